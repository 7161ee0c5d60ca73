"""From the runs of one order on one system to the rows of a comparison."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.planning.queue.results import QueueRow
from cotenant.queueing import ALLOCATORS
from cotenant.queueing.allocators import COMPILED
from cotenant.queueing.metrics import UNSTABLE, Measures
from cotenant.sim.jobs import QueueRun


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """One allocator on every replica: the first run, and the measures of all."""

    run: QueueRun
    measures: tuple[Measures, ...]
    decisions: int
    overrides: int
    seconds: float

    def averages(self, name: str) -> FloatArray:
        return np.array([getattr(m.total, name) for m in self.measures])


def rows_of(
    tried: Sequence[Tried],
    names: Sequence[str],
    order: str,
    system: str,
    offered: float,
) -> list[QueueRow]:
    """Return a row an allocator, each against the best greedy one among them."""
    turnaround = [one.averages("average_turnaround_s") for one in tried]
    greedy = [at for at, name in enumerate(names) if ALLOCATORS[name] in COMPILED]
    best = min(greedy, key=lambda at: turnaround[at].mean(), default=None)
    rows = []
    for at, one in enumerate(tried):
        against = error = None
        if best is not None and at != best:
            ratio = turnaround[at].mean() / turnaround[best].mean()
            against = float(ratio - 1)
            paired = (turnaround[at] - turnaround[best]) / turnaround[best].mean()
            error = standard_error(paired)
        growths = [m.growth for m in one.measures if m.growth is not None]
        growth = float(np.mean(growths)) if growths else None
        count = len(one.measures)
        rows.append(
            QueueRow(
                allocator=names[at],
                order=order,
                system=system,
                offered_load=offered,
                jobs=one.measures[0].total.jobs,
                average_turnaround_s=float(turnaround[at].mean()),
                average_wait_s=float(one.averages("average_wait_s").mean()),
                average_bounded_slowdown=float(
                    one.averages("average_bounded_slowdown").mean()
                ),
                makespan_s=float(np.mean([m.makespan_s for m in one.measures])),
                utilization=float(one.averages("utilization").mean()),
                decisions=round(one.decisions / count),
                overrides=round(one.overrides / count),
                standard_error_s=standard_error(turnaround[at]),
                against_heuristic=against,
                against_error=error,
                growth=growth,
                stable=growth is None or growth <= UNSTABLE,
                replicas=count,
                detail=one.measures[0],
                seconds=one.seconds,
            )
        )
    return rows


def standard_error(values: FloatArray) -> float | None:
    """Return the standard error of a mean; None of fewer than two values."""
    if len(values) < 2:
        return None
    return float(values.std(ddof=1) / np.sqrt(len(values)))
