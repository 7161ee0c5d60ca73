"""Machines and clusters: what they are called, what they offer, how many."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cotenant.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine that is open for tasks.

    Parameters
    ----------
    name
        Unique in a plan.
    kind
        Name of its row in the fleet.
    type
        A word for the kind of machine, for people.
    capacity
        What it offers by resource, in the unit of usage.
    """

    name: str
    kind: str
    type: str
    capacity: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class MachineType:
    """Machines that are alike.

    Parameters
    ----------
    name
        Start of the names of its machines.
    capacity
        What each offers by resource, `cpu` at least; above 0.
    count
        How many there are; None for as many as needed.
    type
        A word for the kind of machine, for people.
    cost
        Price of one, any unit; None to take price as proportional to CPU capacity.
    """

    name: str
    capacity: Mapping[str, float]
    count: int | None = None
    type: str = ""
    cost: float | None = None

    def __post_init__(self) -> None:
        if "cpu" not in self.capacity:
            raise InvalidInput(f"machine {self.name!r} has no cpu capacity")
        for resource, value in self.capacity.items():
            if not 0 < value < float("inf"):
                raise InvalidInput(
                    f"machine {self.name!r} has {resource} = {value}; expected above 0"
                )
        if self.cost is not None and not 0 <= self.cost < float("inf"):
            raise InvalidInput(f"machine {self.name!r} has cost {self.cost}")
        if self.count is not None and self.count < 0:
            raise InvalidInput(f"machine {self.name!r} has count {self.count}")

    def machine(self, number: int) -> Machine:
        """Return the machine of this number, from 1; a lone machine has no number."""
        name = self.name if self.count == 1 else f"{self.name}-{number:04d}"
        return Machine(name, self.name, self.type, self.capacity)

    @property
    def price_per_cpu(self) -> float:
        """Cost over CPU capacity; 1 where no cost is given."""
        return 1.0 if self.cost is None else self.cost / self.capacity["cpu"]


@dataclass(frozen=True, slots=True)
class Fleet:
    """All machines that a plan may use.

    Parameters
    ----------
    types
        In the order of preference where prices tie.
    spare
        This many of the largest machines are kept empty, so that the tasks of as many
        lost machines find room; with an unlimited type they are added to the count.

    Examples
    --------
    >>> Fleet.of_equal({"cpu": 4.0}).types[0].capacity["cpu"]
    4.0
    """

    types: Sequence[MachineType] = field(default_factory=tuple)
    spare: int = 0

    def __post_init__(self) -> None:
        if not self.types:
            raise InvalidInput("the fleet has no machine types")
        names = [t.name for t in self.types]
        if len(set(names)) < len(names):
            raise InvalidInput("two machine types of the fleet have the same name")
        for lone in self.types:
            start, _, number = lone.name.rpartition("-")
            if lone.count == 1 and start in names and number.isdigit():
                raise InvalidInput(
                    f"machine {lone.name!r} has the name of a machine of type {start!r}"
                )
        if self.spare < 0:
            raise InvalidInput(f"spare is {self.spare}; expected 0 or more")

    @classmethod
    def of_equal(cls, capacity: Mapping[str, float], spare: int = 0) -> "Fleet":
        """Make a fleet of as many equal machines as needed."""
        return cls((MachineType("m", capacity, type="equal"),), spare)

    @property
    def is_mixed(self) -> bool:
        """Whether machines differ in capacity."""
        return len({tuple(sorted(t.capacity.items())) for t in self.types}) > 1

    def usable(self) -> list[tuple[MachineType, int | None]]:
        """Return types with the counts left after spares, cheapest per core first.

        The sort is stable: equal prices keep the order of the fleet. Spares come from
        the machines with most CPU.
        """
        left = {t.name: t.count for t in self.types}
        spare = self.spare
        for kind in sorted(self.types, key=lambda t: -t.capacity["cpu"]):
            count = left[kind.name]
            if spare == 0 or count is None:
                break
            taken = min(spare, count)
            left[kind.name], spare = count - taken, spare - taken
        ordered = sorted(self.types, key=lambda t: t.price_per_cpu)
        return [(t, left[t.name]) for t in ordered]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Processors of one speed, for jobs that wait.

    Parameters
    ----------
    processors
        How many there are, at least 1.
    speed
        Relative to the machine that run times refer to; above 0.
    name
        A word for people.
    """

    processors: int
    speed: float = 1.0
    name: str = ""

    def __post_init__(self) -> None:
        if self.processors < 1:
            raise InvalidInput(
                f"cluster {self.name!r} has {self.processors} processors; "
                "expected 1 or more"
            )
        if not 0 < self.speed < float("inf"):
            raise InvalidInput(
                f"cluster {self.name!r} has speed {self.speed}; expected above 0"
            )
