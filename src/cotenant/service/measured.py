"""Measured overload: is what the tasks of a machine use together above its capacity?"""

from collections.abc import Sequence
from dataclasses import dataclass

from cotenant.errors import UnknownMachine, UnknownTask
from cotenant.service.core import Placement
from cotenant.service.metrics import Meters


@dataclass(frozen=True, slots=True)
class Latest:
    """The last sample of a task."""

    cpu: float
    at: float


class Overloads:
    """Adds up the latest CPU samples of machines as they come in.

    A machine is judged only while every task on it has a sample younger than `fresh`
    seconds: a task that is not measured never counts as zero. Samples of one reading
    are judged one by one against the latest of the other tasks.
    """

    def __init__(self, placement: Placement, meters: Meters, fresh: float) -> None:
        self._placement, self._meters, self._fresh = placement, meters, fresh
        self._latest: dict[str, Latest] = {}

    def note(self, task: str, samples: Sequence[float], now: float) -> None:
        """Take in CPU samples of a task, oldest first."""
        if not samples:
            return
        self._latest[task] = Latest(samples[-1], now)
        try:
            machine = self._placement.machine(self._placement.task(task).machine)
        except (UnknownTask, UnknownMachine):
            self._latest.pop(task, None)
            return
        others = [self._latest.get(name) for name in machine.tasks if name != task]
        fresh = [one.cpu for one in others if one and now - one.at <= self._fresh]
        if len(fresh) == len(others):
            self._meters.readings.inc(len(samples))
            room = machine.capacity["cpu"] - sum(fresh)
            self._meters.overloads.inc(sum(sample > room for sample in samples))

    def forget(self, task: str) -> None:
        """Let go of a task that left."""
        self._latest.pop(task, None)
