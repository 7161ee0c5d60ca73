"""Days of usage, and a service without a socket that they are fed to."""

from collections.abc import Mapping, Sequence

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.service.answers import Event
from cotenant.service.asked import MachineSpec, Moments, Settings, TaskSpec
from cotenant.service.core import Placement
from cotenant.service.keeping.history import MOMENTS, WIDTH_S
from cotenant.service.keeping.keeper import Keeper
from cotenant.service.keeping.kept import Told
from cotenant.service.keeping.reading import Reading, read
from cotenant.service.keeping.timing import Timing

FIRST = 18_000  # a day in 2019
TOMORROW = Settings(rho=0.01, promise="tomorrow")


def generated(tasks: int, days: int, seed: int = 0) -> FloatArray:
    """Usage with a rhythm, noise, and a level that drifts from day to day."""
    random = np.random.default_rng(seed)
    size = random.gamma(2.0, 0.04, (tasks, 1, 1))
    level = np.exp(np.cumsum(random.normal(0.0, 0.1, (tasks, days, 1)), axis=1))
    hours = np.arange(MOMENTS) / MOMENTS
    rhythm = 1.0 + 0.5 * np.sin(2 * np.pi * (hours + random.random((tasks, 1, 1))))
    noise = random.gamma(8.0, 1 / 8.0, (tasks, days, MOMENTS))
    return (size * level * rhythm * noise).reshape(tasks, days * MOMENTS)


class Fed:
    """A placement core, its keeper, and a feed that makes its days pass.

    Parameters
    ----------
    first
        Day on which the feed starts.
    """

    def __init__(
        self,
        settings: Settings = TOMORROW,
        database: str | None = None,
        first: int = FIRST,
    ) -> None:
        self._use(Placement(settings, database), first)

    @classmethod
    def over(cls, placement: Placement) -> "Fed":
        """Feed a placement core that is there already."""
        made = cls.__new__(cls)
        made._use(placement, FIRST)
        return made

    def _use(self, placement: Placement, first: int) -> None:
        self.placement, self.first = placement, first
        self.settings = placement.settings
        self.keeper = Keeper(placement)

    def machines(self, count: int, cpu: float = 1.0) -> None:
        specs = [MachineSpec(f"m{i:02}", {"cpu": cpu}) for i in range(count)]
        self.placement.add_machines(specs).result()

    def place(self, name: str, mean: float = 0.1, label: str | None = None) -> str:
        usage = {"cpu": Moments(mean)}
        task = TaskSpec(name, usage, label=label)
        return self.placement.place([task]).result()[0].machine

    def feed(
        self,
        moment: int,
        usage: Mapping[str, Sequence[float] | FloatArray],
        throttled: Mapping[str, Sequence[float]] | None = None,
    ) -> list[str]:
        """Send samples from a moment of the first day on."""
        start = (self.first * MOMENTS + moment) * WIDTH_S
        readings = [
            Reading(
                name,
                np.asarray(values).tolist(),
                Timing(start, WIDTH_S, (throttled or {}).get(name)),
            )
            for name, values in usage.items()
        ]
        return self.placement.decide(lambda desk: read(desk, readings)).result()

    def day(self, number: int, usage: Mapping[str, float | FloatArray]) -> None:
        """Send a whole day of each task: a level, or samples."""
        values = {name: np.full(MOMENTS, value) for name, value in usage.items()}
        self.feed(number * MOMENTS, values)

    def settle(self) -> None:
        """Do all that is due."""
        while self.keeper.turn():
            pass

    @property
    def told(self) -> Told:
        found = self.placement.kept()
        assert found is not None
        return found

    def events(self, *kinds: str) -> list[Event]:
        found = self.placement.events(0, 1_000_000)
        return [event for event in found if not kinds or event.kind in kinds]

    def where(self) -> dict[str, str]:
        return {task.name: task.machine for task in self.placement.tasks()}

    def close(self) -> None:
        self.placement.close()
