"""Look-ahead: judge a choice by running the queue ahead on copies of the clusters.

After P.-C. Shih, K.-C. Huang, C.-R. Lee, I-H. Chung and Y.-C. Chung, "TLA: Temporal
look-ahead processor allocation method for heterogeneous multi-cluster systems", J.
Parallel Distrib. Comput. 73 (2013), as far as its abstract and introduction tell. What
they leave open is an option here.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.demand.job import Jobs
from cotenant.errors import InvalidInput
from cotenant.kernels import lookahead as kernel
from cotenant.queueing.allocators import (
    Answer,
    WaitFor,
    best_fit_order,
    fastest_first,
    fastest_first_order,
)
from cotenant.queueing.order import Order
from cotenant.queueing.view import View

ROLLOUTS = {"fastest-first": 0, "best-fit": 1, "both": 2}
METRICS = {
    "turnaround": kernel.TURNAROUND,
    "wait": kernel.WAIT,
    "bounded-slowdown": kernel.SLOWDOWN,
    "makespan": kernel.MAKESPAN,
    "weighted": kernel.WEIGHTED,
}
TIES = {"fastest-first": fastest_first_order, "best-fit": best_fit_order}

IMAGINED = 50

Metric = str | Callable[[Jobs], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """A choice and what it was weighed against.

    Parameters
    ----------
    answer
        Where to start, or what to wait for.
    values
        `(clusters + 1,)` the metric if the job starts on each cluster, or waits for it
        where it is busy; the last if it does not start now. NaN where not judged.
    """

    answer: Answer
    values: FloatArray


@dataclass(frozen=True, slots=True)
class LookAhead:
    """Start a job where the queue then fares best, by a simulation of each candidate.

    Candidates are the clusters with room and, with `allow_wait`, waiting for a busy
    cluster that is faster than the best of them. The head starts there, and the jobs
    behind it follow in order of the queue by a greedy rule; all by what is believed of
    run times. What is decided is only where this job goes now; a job that waits is
    judged again at the next event.

    Under EASY every placement is judged; a head that is to wait for a cluster is
    promised it, and backfills have "not now", that is not before some job completes, as
    a candidate. Under conservative backfilling every cluster's earliest slot is judged.

    Parameters
    ----------
    rollout
        The greedy rule behind the candidate: `fastest-first`, `best-fit`, or `both`:
        the better of the two.
    depth
        How many waiting jobs are simulated; None for the whole queue.
    allow_wait
        Whether not starting now is a candidate.
    metric
        What is added up over the simulated jobs: `turnaround`, `wait`,
        `bounded-slowdown` (no job counts as shorter than 10 s), `weighted` (turnaround
        times processor seconds), or a function that returns the weight of each job's
        turnaround; or `makespan`, the last end.
    tie
        The candidate that wins a tie: the choice of `fastest-first` or of `best-fit`.
    candidates
        Only so many of the fastest clusters with room are judged; None for all.
    imagined_arrivals
        At most how many jobs are imagined to arrive, namely as many as wait behind the
        job: the most recently submitted ones that have completed, at the spacing of as
        many most recent submissions. None for 50 under first come first served, and 0
        under backfilling, where imagining arrivals was measured to cost more than it
        brings.
    heads_only
        Judge the head of the queue only, against the queue in order, and let
        backfilled jobs start on the fastest cluster.

    Raises
    ------
    InvalidInput
        If an option is not one of the above.
    """

    rollout: str = "both"
    depth: int | None = 200
    allow_wait: bool = True
    metric: Metric = "turnaround"
    tie: str = "fastest-first"
    candidates: int | None = None
    imagined_arrivals: int | None = None
    heads_only: bool = False

    def __post_init__(self) -> None:
        _check("rollout", self.rollout, ROLLOUTS)
        _check("tie", self.tie, TIES)
        if isinstance(self.metric, str):
            _check("metric", self.metric, METRICS)
        for name, value in (("depth", self.depth), ("candidates", self.candidates)):
            if value is not None and value < 1:
                raise InvalidInput(f"{name} is {value}; expected 1 or more")
        if self.imagined_arrivals is not None and self.imagined_arrivals < 0:
            raise InvalidInput(
                f"imagined arrivals are {self.imagined_arrivals}; expected 0 or more"
            )

    def __call__(self, view: View) -> Answer:
        """Say where the job starts."""
        return self.judge(view).answer

    def judge(self, view: View) -> Judgement:
        """Say where the job starts and what every candidate was worth."""
        # The other ways are imported late: they build on this module.
        from cotenant.queueing.judged_backfill import judge_backfill, judge_slots

        if view.order is Order.CONSERVATIVE:
            return judge_slots(self, view)
        if view.order is Order.EASY and not self.heads_only:
            return judge_backfill(self, view)
        return self._judge_head(view)

    def candidates_of(self, view: View) -> list[int]:
        """Return the clusters with room that are judged, ties decided by order."""
        order = TIES[self.tie](view)
        if self.candidates is not None:
            kept = set(fastest_first_order(view)[: self.candidates])
            order = [c for c in order if c in kept]
        return order

    def ahead_of(self, view: View, waiting: object = None) -> kernel.Ahead:
        """Return the jobs to run ahead: those that wait, then the imagined ones."""
        work, state = view.work, view.state
        queue = view.waiting[: self.depth] if waiting is None else np.asarray(waiting)
        weight = np.empty(0)
        if not isinstance(self.metric, str):
            weight = view.weights(self.metric)
        return kernel.gather(
            work.submit,
            work.processors,
            work.runtime,
            state.believed,
            weight,
            state.finish,
            queue,
            view.arrived,
            view.now,
            # Where hardly anyone waits, a place kept for others is wasted.
            min(self.imagined_of(view.order), len(view.waiting) - 1),
        )

    def imagined_of(self, order: Order) -> int:
        """Return at most how many arrivals are imagined under an order."""
        if self.imagined_arrivals is None:
            return IMAGINED if order is Order.FCFS else 0
        return self.imagined_arrivals

    @property
    def metric_number(self) -> int:
        """The number that the kernels know the metric by."""
        return METRICS.get(str(self.metric), kernel.WEIGHTED)

    def _judge_head(self, view: View) -> Judgement:
        values = np.full(len(view.clusters) + 1, np.nan)
        if not view.is_head:
            return Judgement(fastest_first(view), values)
        order = self.candidates_of(view)
        if len(order) == 1 and not self.may_wait(view, order[0]):
            return Judgement(order[0], values)
        site, work, state = view.site, view.work, view.state
        ahead, running = self.ahead_of(view), view.running
        base = kernel.believed_ends(
            state.start,
            state.believed,
            state.cluster,
            work.processors,
            site.speed,
            running,
            view.now,
            len(ahead.arrive),
        )
        choice = kernel.decide(
            site.size,
            site.speed,
            state.free,
            base,
            len(running),
            ahead,
            view.now,
            np.array(order),
            ROLLOUTS[self.rollout],
            self.allow_wait,
            self.metric_number,
            values,
        )
        return Judgement(choice if choice >= 0 else WaitFor(-2 - choice), values)

    def may_wait(self, view: View, held: int) -> bool:
        """Say whether some cluster is faster than `held` and large enough."""
        speed, size = view.site.speed, view.site.size
        return self.allow_wait and bool(
            ((speed > speed[held]) & (size >= view.need)).any()
        )


# The name that the library offers: it reads as what it makes, an allocator.
look_ahead = LookAhead


def _check(option: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        raise InvalidInput(f"{option} is {value!r}; expected one of {', '.join(known)}")


TLA = LookAhead(
    rollout="fastest-first",
    depth=None,
    allow_wait=False,
    imagined_arrivals=0,
    heads_only=True,
)
