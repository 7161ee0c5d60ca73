"""What the placement of periodic SLAs answers: frozen values with JSON and table."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from cotenant.planning.results import API_VERSION

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PlacedSla:
    """One task: what it asked and what its host gives, in text form."""

    task: str
    asked: str
    given: str


@dataclass(frozen=True, slots=True)
class SlaCore:
    """One unit host.

    Parameters
    ----------
    utilization, asked_utilization
        Sums of budget over period, as given and as asked.
    """

    core: int
    tasks: tuple[PlacedSla, ...]
    utilization: float
    asked_utilization: float


@dataclass(frozen=True, slots=True)
class SlaMachine:
    """One machine and its cores in use."""

    machine: str
    cores: tuple[SlaCore, ...]

    @property
    def tasks(self) -> tuple[PlacedSla, ...]:
        """Tasks of all cores."""
        return tuple(task for core in self.cores for task in core.tasks)


@dataclass(frozen=True, slots=True)
class SlaMove:
    """One change of a repack; `from` and `to` are equal where it only rewrites."""

    task: str
    source: str
    target: str
    before: str
    after: str
    reason: str

    def to_dict(self) -> Json:
        """Return the keys of the JSON form."""
        values = asdict(self)
        return {"task": values.pop("task"), "from": values.pop("source")} | {
            "to": values.pop("target"),
            **values,
        }


@dataclass(frozen=True, slots=True)
class SlaBaseline:
    """First fit without any rewriting under one host test.

    Parameters
    ----------
    wasted
        Machines less what all tasks asked of them.
    efficiency
        1 - wasted / wasted of the Liu-Layland row; None where that is 0.
    """

    test: str
    machines: int
    wasted: float
    efficiency: float | None


@dataclass(frozen=True, slots=True)
class SlaSummary:
    """The answer in numbers.

    Parameters
    ----------
    utilization
        What all tasks asked, in machines.
    wasted
        Machines less `utilization`: what rewriting adds counts as wasted.
    efficiency_over_first_fit
        1 - wasted / wasted of Liu-Layland first fit without rewriting; None where that
        wastes nothing.
    rewritten
        Tasks given something else than they asked.
    migrated
        Tasks that a repack moved to another host.
    """

    tasks: int
    machines: int
    utilization: float
    wasted: float
    efficiency_over_first_fit: float | None
    rewritten: int
    migrated: int


@dataclass(frozen=True, slots=True)
class SlaPlacement:
    """Where each periodic task goes and in which form.

    Parameters
    ----------
    settings
        What was in force.
    moves
        What repacking changed, in order.
    baselines
        The same tasks without rewriting, by host test.
    notes
        Sentences about limits that struck.
    """

    settings: Mapping[str, Any]
    summary: SlaSummary
    machines: tuple[SlaMachine, ...]
    moves: tuple[SlaMove, ...]
    baselines: tuple[SlaBaseline, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        return {
            "apiVersion": API_VERSION,
            "kind": "SlaPlacement",
            "settings": dict(self.settings),
            "summary": asdict(self.summary),
            "machines": [asdict(machine) for machine in self.machines],
            "moves": [move.to_dict() for move in self.moves],
            "baselines": [asdict(row) for row in self.baselines],
            "notes": list(self.notes),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row a task: task, machine, core, asked, given."""
        rows = [
            (task.task, machine.machine, core.core, task.asked, task.given)
            for machine in self.machines
            for core in machine.cores
            for task in core.tasks
        ]
        schema = {
            "task": pl.String,
            "machine": pl.String,
            "core": pl.Int64,
            "asked": pl.String,
            "given": pl.String,
        }
        return pl.DataFrame(rows, schema=schema, orient="row")


@dataclass(frozen=True, slots=True)
class SlaFit:
    """Whether SLAs share one unit host, by every test.

    Parameters
    ----------
    test
        The test asked for.
    response_times
        Worst cases under rate-monotonic priorities, in the order given; None beyond
        the period.
    """

    test: str
    slas: tuple[str, ...]
    tests: Mapping[str, bool]
    utilization: float
    response_times: tuple[int | None, ...]

    @property
    def fits(self) -> bool:
        """The verdict of the test asked for."""
        return self.tests[self.test]

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        return {
            "apiVersion": API_VERSION,
            "kind": "SlaFit",
            "slas": list(self.slas),
            "test": self.test,
            "fits": self.fits,
            "tests": dict(self.tests),
            "utilization": self.utilization,
            "response_times": list(self.response_times),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row an SLA: sla, response_time."""
        values = {"sla": list(self.slas), "response_time": list(self.response_times)}
        return pl.DataFrame(
            values, schema={"sla": pl.String, "response_time": pl.Int64}
        )
