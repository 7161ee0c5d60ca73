"""The numbers a run of the queue is told in."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.demand.job import Jobs
from cotenant.queueing.clusters import Clusters

TAU_S = 10.0  # no job counts as shorter in a bounded slowdown
PERCENTILES = (50, 90, 99)
SIZES = ((1, 1), (2, 4), (5, 16), (17, 64), (65, 256), (257, None))
# Beyond this ratio of the halves of a log, turnaround grows with the log's length.
UNSTABLE = 2.0


@dataclass(frozen=True, slots=True)
class Averages:
    """Averages over some jobs; None without jobs.

    Parameters
    ----------
    utilization
        Share of the processors' time that was held, from the first submission to the
        last end; None where it makes no sense.
    """

    jobs: int
    average_turnaround_s: float | None
    average_wait_s: float | None
    average_bounded_slowdown: float | None
    utilization: float | None = None


@dataclass(frozen=True, slots=True)
class Measures:
    """What a run of the queue came to.

    Parameters
    ----------
    percentiles
        By measure (`turnaround_s`, `wait_s`, `bounded_slowdown`) and percentile.
    makespan_s
        From the first submission to the last end.
    clusters, sizes
        By name of the cluster, and by class of processors, such as ``5-16``.
    growth
        Average turnaround of the later half of the jobs over that of the earlier half;
        None with fewer than two jobs.
    """

    total: Averages
    percentiles: Mapping[str, Mapping[str, float]]
    makespan_s: float
    clusters: Mapping[str, Averages]
    sizes: Mapping[str, Averages]
    growth: float | None

    @property
    def stable(self) -> bool:
        """Whether the later half of the log fared at most twice as badly."""
        return self.growth is None or self.growth <= UNSTABLE


def bounded_slowdown(jobs: Jobs, turnaround_s: FloatArray) -> FloatArray:
    """Return max(1, turnaround / max(run time at speed 1, 10 s)) of each job.

    The run time at speed 1 is the same wherever a job went, so that runs compare.
    """
    return np.maximum(1.0, turnaround_s / np.maximum(jobs.runtime_s, TAU_S))


def measure(
    jobs: Jobs,
    clusters: Clusters,
    start_s: FloatArray,
    finish_s: FloatArray,
    cluster: IntArray,
) -> Measures:
    """Measure a run over all its jobs: none is left out at either end of the log."""
    told = {
        "turnaround_s": finish_s - jobs.submit_s,
        "wait_s": start_s - jobs.submit_s,
    }
    told["bounded_slowdown"] = bounded_slowdown(jobs, told["turnaround_s"])
    makespan = float(finish_s.max() - jobs.submit_s[0]) if len(jobs) else 0.0
    held = jobs.processors * (finish_s - start_s)

    def of(some: BoolArray, processors: int | None = None) -> Averages:
        count = int(some.sum())
        means = [float(v[some].mean()) if count else None for v in told.values()]
        used = None
        if processors is not None and makespan > 0:
            used = float(held[some].sum()) / (processors * makespan)
        return Averages(count, means[0], means[1], means[2], used)

    half = len(jobs) // 2
    halves = [told["turnaround_s"][:half], told["turnaround_s"][half:]]
    return Measures(
        of(np.ones(len(jobs), np.bool_), int(clusters.size.sum())),
        {name: _percentiles(values) for name, values in told.items()},
        makespan,
        {
            name: of(cluster == at, int(clusters.size[at]))
            for at, name in enumerate(clusters.names)
        },
        {
            _class(low, high): of(some)
            for low, high in SIZES
            for some in [
                (jobs.processors >= low) & (jobs.processors <= (high or np.inf))
            ]
            if some.any()
        },
        float(halves[1].mean() / halves[0].mean()) if half else None,
    )


def _percentiles(values: FloatArray) -> dict[str, float]:
    if not len(values):
        return {}
    found = np.percentile(values, PERCENTILES)
    return {f"p{p}": float(v) for p, v in zip(PERCENTILES, found, strict=True)}


def _class(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} or more"
    return str(low) if low == high else f"{low}-{high}"
