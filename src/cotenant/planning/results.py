"""What the main job answers: frozen values that know their JSON and their table."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    # A table is asked for less often than JSON, and polars takes a while to import.
    import polars as pl

API_VERSION = "cotenant/v1"
Json: TypeAlias = dict[str, Any]
Judge: TypeAlias = Literal["exact", "samples", "aligned"]
Promise: TypeAlias = Literal["history", "tomorrow"]


@dataclass(frozen=True, slots=True)
class Overload:
    """How often machines are above capacity, as a fraction of time.

    Parameters
    ----------
    mean
        Average over all machines used, the last one too.
    worst_machine
        The largest of any machine.
    machines_above_rho
        Number of machines above the promise.
    low, high
        95 % interval of `mean` where it is an estimate, None where it is computed.
    judged_by
        `exact` by convolution, `samples` by resampled realisations, `aligned` by
        replaying the trace row by row.
    """

    mean: float
    worst_machine: float
    machines_above_rho: int
    low: float | None
    high: float | None
    judged_by: Judge


@dataclass(frozen=True, slots=True)
class MachineUse:
    """One machine of a plan: what it holds and what to expect of it.

    Parameters
    ----------
    tasks
        Names, in the order they joined.
    mean
        Sum of the tasks' mean usage, by resource, in the unit of `capacity`.
    overload
        Fraction of time above CPU capacity, by the judge of the plan.
    """

    machine: str
    type: str
    capacity: Mapping[str, float]
    tasks: tuple[str, ...]
    mean: Mapping[str, float]
    overload: float


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A task that no machine takes, the resource that refused, and the number."""

    task: str
    resource: str
    reason: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A machine that was preferred but refused, and what it would have reached."""

    machine: str
    resource: str
    reason: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Why a task is where it is, as known when it was placed.

    Parameters
    ----------
    reach
        Value of the admission test on the chosen machine with the task on it, in words.
    value, limit
        The same as numbers; the test admits while value <= limit.
    opened
        Whether the machine was opened for this task.
    refused
        Up to three machines that the rule would have preferred, best first.
    mean, high
        Mean and 99.9th percentile of the task's CPU usage.
    moved
        Whether rebalancing moved the task here after it was placed.
    """

    task: str
    machine: str
    reach: str
    value: float
    limit: float
    opened: bool
    refused: tuple[Refusal, ...]
    mean: float
    high: float
    observations: int
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One method and rule; `machines` is for the tasks it could place."""

    method: str
    rule: str
    machines: int
    normalized_machines: float | None
    overload_mean: float
    worst_machine: float
    machines_above_rho: int
    unplaced: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Plan:
    """Where each task goes, how many machines that takes, and the overload to expect.

    Parameters
    ----------
    settings
        What was in force: method, rule, rho, capacity, slots, promise, judge, seed ...
    summary
        Counts: tasks, placed, machines, spare, normalized_machines (machines over
        ceil(mean load / capacity), None for mixed fleets), mean_load_machines; with a
        promise for tomorrow margin, margin_days and machines_without_margin.
    timeline
        `(seconds, share of machines in overload)` where the trace was replayed.
    command
        The command line that repeats the plan.
    """

    settings: Mapping[str, Any]
    summary: Mapping[str, Any]
    overload: Overload
    machines: tuple[MachineUse, ...]
    unplaced: tuple[Unplaced, ...]
    decisions: tuple[Decision, ...]
    cleaning: Mapping[str, Any]
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]
    comparison: tuple[Row, ...] = ()
    timeline: tuple[tuple[float, float], ...] = ()
    command: str = ""

    def to_dict(self) -> Json:
        """Return the JSON of `cotenant plan -o json`."""
        return {
            "apiVersion": API_VERSION,
            "kind": "Plan",
            "settings": dict(self.settings),
            "summary": {**self.summary, "overload": asdict(self.overload)},
            "machines": [_plain(m) for m in self.machines],
            "unplaced": [asdict(u) for u in self.unplaced],
            "cleaning": dict(self.cleaning),
            "assumptions": list(self.assumptions),
            "warnings": list(self.warnings),
            "comparison": [asdict(row) for row in self.comparison],
            "timeline": [list(point) for point in self.timeline],
            "decisions": [_plain(d) for d in self.decisions],
            "command": self.command,
        }

    def to_frame(self) -> "pl.DataFrame":
        """Return one row a placed task: `task`, `machine`."""
        import polars as pl

        pairs = [(task, m.machine) for m in self.machines for task in m.tasks]
        schema = {"task": pl.String(), "machine": pl.String()}
        return pl.DataFrame(pairs, schema=schema, orient="row")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Methods and rules side by side on the same tasks."""

    settings: Mapping[str, Any]
    rows: tuple[Row, ...]
    cleaning: Mapping[str, Any]
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]

    def to_dict(self) -> Json:
        """Return the JSON of `cotenant compare -o json`."""
        return {
            "apiVersion": API_VERSION,
            "kind": "Comparison",
            "settings": dict(self.settings),
            "rows": [asdict(row) for row in self.rows],
            "cleaning": dict(self.cleaning),
            "assumptions": list(self.assumptions),
            "warnings": list(self.warnings),
        }

    def to_frame(self) -> "pl.DataFrame":
        """Return one row a method and rule."""
        import polars as pl

        return pl.DataFrame([asdict(row) for row in self.rows])


@dataclass(frozen=True, slots=True)
class Trial:
    """A plan at rho / divisor: its machines, and the overload it got later."""

    divisor: float
    machines: int
    overload: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """The smallest divisor of rho tried that would have kept the promise.

    Parameters
    ----------
    promised
        Rho.
    divisor
        1 where the plan kept its promise as it was.
    trials
        All that was tried, by divisor.
    """

    promised: float
    divisor: float
    trials: tuple[Trial, ...]


@dataclass(frozen=True, slots=True)
class MachineReplay:
    """One machine of a replay: moments judged, moments in overload, largest load."""

    machine: str
    promised: float
    overload: float
    moments: int
    overloaded: int
    peak: float
    capacity: float


@dataclass(frozen=True, slots=True)
class Replay:
    """A plan judged on samples it has not seen, time-aligned.

    Parameters
    ----------
    overload
        Measured, with its interval; `promised` is rho of the plan.
    missing_tasks
        Tasks of the plan without samples here.
    new_tasks
        Tasks here that the plan does not know.
    calibration
        The divisor of rho that would have kept the promise here, where asked for.
    timeline
        `(time in seconds, fraction of machines in overload)`, at most 2,000 points.
    """

    promised: float
    overload: Overload
    machines: tuple[MachineReplay, ...]
    missing_tasks: tuple[str, ...]
    new_tasks: tuple[str, ...]
    timeline: tuple[tuple[float, float], ...]
    cleaning: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    calibration: Calibration | None = None

    def to_dict(self) -> Json:
        """Return the JSON of `cotenant replay -o json`."""
        return {
            "apiVersion": API_VERSION,
            "kind": "Replay",
            "promised": self.promised,
            "overload": asdict(self.overload),
            "machines": [asdict(m) for m in self.machines],
            "missing_tasks": list(self.missing_tasks),
            "new_tasks": list(self.new_tasks),
            "timeline": [list(point) for point in self.timeline],
            "cleaning": dict(self.cleaning),
            "warnings": list(self.warnings),
            "calibration": asdict(self.calibration) if self.calibration else None,
        }

    def to_frame(self) -> "pl.DataFrame":
        """Return one row a machine."""
        import polars as pl

        return pl.DataFrame([asdict(m) for m in self.machines])


def _plain(value: Any) -> Json:
    """Turn mappings that are not dicts and tuples into what JSON knows."""
    plain = asdict(value)
    return {k: list(v) if isinstance(v, tuple) else v for k, v in plain.items()}
