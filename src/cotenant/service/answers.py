"""What the service answers: frozen values with a JSON form."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from cotenant.service.asked import Kind


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a task is, and what its machine risks.

    Parameters
    ----------
    name, machine
        Of the task and of the machine it is on.
    overload
        Probability that the machine, with the task, exceeds its CPU capacity; None on
        machines of kind `sla`, where every task meets its promise.
    repeated
        Whether the task was there already and nothing was done.
    granted
        The SLA its host gives, where that stands in for the one asked.
    """

    name: str
    machine: str
    overload: float | None
    repeated: bool = False
    granted: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; the same for a repeated request."""
        found: dict[str, Any] = {
            "name": self.name,
            "machine": self.machine,
            "overload": self.overload,
        }
        if self.granted is not None:
            found["granted"] = self.granted
        return found


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of a changed demand.

    Parameters
    ----------
    moved_from
        The machine it had to leave; None where it stayed.
    reason
        Why it stayed or moved, one sentence.
    """

    name: str
    machine: str
    overload: float | None
    moved_from: str | None
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Relocated:
    """A task that had to leave its machine, where it went, and why."""

    task: str
    machine: str
    reason: str


@dataclass(frozen=True, slots=True)
class Assessed:
    """What one machine would reach with a demand on it.

    Parameters
    ----------
    fits
        Whether it may take the demand now.
    reason
        The number and its limit: ``Pr[use > 4] = 0.0011 > 0.001``.
    score
        0 to 10, higher where the rule prefers the machine; 0 where it does not fit.
    ever
        Whether the machine would take the demand if it were empty: if not, removing
        tasks does not help.
    """

    machine: str
    fits: bool
    reason: str
    score: int
    ever: bool = True


@dataclass(frozen=True, slots=True)
class Reservation:
    """A provisional place for a pod that the Kubernetes scheduler has not bound yet."""

    uid: str
    machine: str
    overload: float | None
    expires: float


@dataclass(frozen=True, slots=True)
class Move:
    """One move of a repacking plan.

    Parameters
    ----------
    gain
        What it is good for, a number in the unit of `unit`: probability of overload
        taken off the machine it leaves, or a share of a machine emptied.
    cost
        Mean CPU that moves, in the unit of capacity.
    reason
        One sentence.
    """

    task: str
    source: str
    target: str
    cost: float
    gain: float
    unit: Literal["overload", "machines"]
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        data = asdict(self)
        data["from"], data["to"] = data.pop("source"), data.pop("target")
        return data


@dataclass(frozen=True, slots=True)
class RepackPlan:
    """Moves that were worked out and not made yet.

    Parameters
    ----------
    id
        What `apply` is given.
    version
        Number of the last event the plan knows.
    before, after
        Facts of the fleet: `machines_in_use`, `over_promise`, `worst_overload`.
    """

    id: str
    version: int
    moves: tuple[Move, ...]
    before: Mapping[str, float]
    after: Mapping[str, float]

    @property
    def cost(self) -> float:
        """Mean CPU that moves in all."""
        return sum(move.cost for move in self.moves)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "id": self.id,
            "version": self.version,
            "moves": [move.to_dict() for move in self.moves],
            "cost": self.cost,
            "before": dict(self.before),
            "after": dict(self.after),
        }


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the ledger.

    Parameters
    ----------
    number
        From 1, ascending; gaps are possible.
    at
        Seconds since 1970, UTC.
    kind
        A word: `placed`, `released`, `moved`, ...
    words
        The same for people, one line.
    data
        Everything needed to do it again.
    """

    number: int
    at: float
    kind: str
    words: str
    data: Mapping[str, Any] = field(default_factory=dict)

    def about(self, task: str | None, machine: str | None) -> bool:
        """Say whether it is about a task and a machine; None for whichever."""
        asked, where = self.data.get("task"), self.data.get("machine")
        name = asked["name"] if isinstance(asked, Mapping) else self.data.get("name")
        place = where["name"] if isinstance(where, Mapping) else where
        places = (None, place, self.data.get("moved_from"))
        return task in (None, name) and machine in places

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TaskView:
    """A placed task as readers see it.

    Parameters
    ----------
    usage
        What it is believed to use, by resource: `mean`, `variance`, `maximum` and
        `observations`; empty for an SLA.
    sla, granted
        The SLA asked for, and the one its host gives; None for random usage.
    placed_at
        Seconds since 1970.
    measured_at
        When usage was last heard of; None if never.
    feed_error
        Why the last reading failed; None if it did not.
    """

    name: str
    kind: Kind
    machine: str
    usage: Mapping[str, Mapping[str, float]]
    sla: str | None
    granted: str | None
    label: str | None
    placed_at: float
    measured_at: float | None
    feed_error: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class MachineView:
    """A machine as readers see it.

    Parameters
    ----------
    tasks
        Names, in the order they joined.
    load
        Mean CPU over capacity; utilization for kind `sla`.
    overload
        Probability that it exceeds its CPU capacity; None for kind `sla`.
    memory
        Largest memory usages over capacity; None where it is not limited.
    over_promise
        Whether overload is above rho, or more is on it than its test admits.
    draining
        Whether it takes no more tasks and leaves when it is empty.
    reserved
        Reservations that count on it.
    """

    name: str
    kind: Kind
    capacity: Mapping[str, float]
    tasks: tuple[str, ...]
    load: float
    overload: float | None
    memory: float | None
    over_promise: bool
    draining: bool
    reserved: int

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Resized:
    """A machine with its new capacity, and the tasks that had to leave it."""

    machine: MachineView
    moved: tuple[Relocated, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Summary:
    """The fleet at a glance, for the dashboard and metrics.

    Parameters
    ----------
    placements, releases, moves
        Since the service of this process started.
    refusals
        Tasks refused by the resource that refused, since the same start.
    mean_overload
        Over machines in use of kind `usage`; None when there is none.
    stale_tasks
        Tasks whose measurements failed or are older than allowed.
    events
        Number of the last event.
    durable
        Whether the last write to the database succeeded.
    """

    machines: int
    machines_in_use: int
    draining: int
    tasks: int
    reservations: int
    rho: float
    mean_load: float
    mean_overload: float | None
    worst_overload: float | None
    over_promise: int
    stale_tasks: int
    oldest_measurement: float | None
    placements: int
    releases: int
    moves: int
    refusals: Mapping[str, int]
    events: int
    last_event_at: float | None
    durable: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)
