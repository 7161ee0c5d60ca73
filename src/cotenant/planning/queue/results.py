"""What `queue` answers: frozen values that know their JSON and their table."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cotenant.planning.results import API_VERSION, Json
from cotenant.queueing.metrics import Measures
from cotenant.sim.jobs import QueueRun

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One allocator under one order, load and system.

    Averages are means over the replicas where the log was shaken.

    Parameters
    ----------
    offered_load
        Work asked for over work possible, from the first submission to the last.
    decisions, overrides
        Times that more than one candidate was judged, and times that the choice was
        not that of fastest first; 0 for greedy allocators.
    standard_error_s
        Of the average turnaround over the replicas; None with one run.
    against_heuristic, against_error
        Average turnaround over that of the best greedy allocator among the rows of the
        same system, load and order, minus 1, and the standard error of this, replica
        by replica; None where there is nothing to compare.
    growth
        Average turnaround of the later half of the log over the earlier half.
    detail
        Percentiles, clusters and sizes of the first run.
    seconds
        Time that all runs took.
    """

    allocator: str
    order: str
    system: str
    offered_load: float
    jobs: int
    average_turnaround_s: float
    average_wait_s: float
    average_bounded_slowdown: float
    makespan_s: float
    utilization: float
    decisions: int
    overrides: int
    standard_error_s: float | None
    against_heuristic: float | None
    against_error: float | None
    growth: float | None
    stable: bool
    replicas: int
    detail: Measures
    seconds: float

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        plain = asdict(self)
        detail = plain.pop("detail")
        parts = ("percentiles", "clusters", "sizes")
        return {**plain, **{name: detail[name] for name in parts}}


@dataclass(frozen=True, slots=True)
class QueueComparison:
    """Allocators side by side on one log.

    Parameters
    ----------
    log
        Counts by reason: records, usable, rejected and so on.
    offered_load
        Of the first row.
    runs
        The first run of each row, with every job; not part of the JSON form.
    """

    log: Mapping[str, Any]
    offered_load: float
    settings: Mapping[str, Any]
    systems: Mapping[str, Any]
    rows: tuple[QueueRow, ...]
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]
    command: str
    runs: tuple[QueueRun, ...]

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        return {
            "apiVersion": API_VERSION,
            "kind": "Queue",
            "log": dict(self.log),
            "offered_load": self.offered_load,
            "settings": dict(self.settings),
            "systems": dict(self.systems),
            "rows": [row.to_dict() for row in self.rows],
            "assumptions": list(self.assumptions),
            "warnings": list(self.warnings),
            "command": self.command,
        }

    def to_frame(self) -> "pl.DataFrame":
        """Return one line a row."""
        import polars as pl

        nested = ("percentiles", "clusters", "sizes")
        rows = [row.to_dict() for row in self.rows]
        return pl.DataFrame(
            [{k: v for k, v in row.items() if k not in nested} for row in rows],
            infer_schema_length=None,
        )


def jobs_frame(run: QueueRun) -> "pl.DataFrame":
    """Return one line a job in the column names of Batsim, and cluster and speed.

    `execution_time` is the time on the cluster, `stretch` turnaround over it.
    `requested_time` is at speed 1, absent where the log has none. The final state tells
    a job that was killed at its limit from one that ran to its end.
    """
    import polars as pl

    jobs = run.jobs
    execution = run.finish_s - run.start_s
    turnaround = run.finish_s - jobs.submit_s
    state = np.where(run.killed, "COMPLETED_WALLTIME_REACHED", "COMPLETED_SUCCESSFULLY")
    return pl.DataFrame(
        {
            "job_id": jobs.id,
            "submission_time": jobs.submit_s,
            "requested_number_of_resources": jobs.processors,
            "requested_time": pl.Series(jobs.estimate_s).fill_nan(None),
            "starting_time": run.start_s,
            "execution_time": execution,
            "finish_time": run.finish_s,
            "waiting_time": run.start_s - jobs.submit_s,
            "turnaround_time": turnaround,
            "stretch": turnaround / execution,
            "cluster": np.array(run.clusters.names)[run.cluster],
            "speed": run.clusters.speed[run.cluster],
            "final_state": state,
        }
    )
