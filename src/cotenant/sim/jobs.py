"""Runs a stream of jobs through one queue onto clusters."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.demand.job import Jobs
from cotenant.errors import InvalidInput
from cotenant.kernels import conservative, queueing
from cotenant.kernels import queue_state as kernel
from cotenant.queueing import ALLOCATORS
from cotenant.queueing.allocators import (
    COMPILED,
    Allocator,
    Answer,
    WaitFor,
    best_fit,
    fastest_first,
)
from cotenant.queueing.clusters import Clusters
from cotenant.queueing.estimates import Estimates, exact
from cotenant.queueing.judged_backfill import answer_number
from cotenant.queueing.lookahead import LookAhead
from cotenant.queueing.opening import opened
from cotenant.queueing.order import Order, parse_order


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """One choice among candidates, for those who want to know why.

    Parameters
    ----------
    time_s, job
        When, and the id of the job.
    answer
        Cluster, or what was waited for.
    values
        `(clusters + 1,)` what each candidate was worth, see `Judgement`; empty where
        the allocator does not say.
    fastest_first, best_fit
        What these would have chosen.
    """

    time_s: float
    job: int
    answer: Answer
    values: FloatArray
    fastest_first: int
    best_fit: int


@dataclass(frozen=True, slots=True, eq=False)
class QueueRun:
    """What became of every job.

    Parameters
    ----------
    jobs, clusters
        As they were given.
    start_s, finish_s, cluster
        `(jobs,)` in order of submission; `cluster` is its number.
    killed
        `(jobs,)` whether it was killed at its limit.
    decisions, overrides
        Times that more than one candidate was judged, and times that the choice was not
        that of fastest first; 0 where the allocator is a greedy one.
    log
        The decisions, where asked for.
    """

    jobs: Jobs
    clusters: Clusters
    start_s: FloatArray
    finish_s: FloatArray
    cluster: IntArray
    killed: BoolArray
    decisions: int = 0
    overrides: int = 0
    log: tuple[Decision, ...] = ()


def run_queue(
    jobs: Jobs,
    clusters: Clusters,
    allocator: str | Allocator = "look-ahead",
    order: str | Order = Order.FCFS,
    estimates: Callable[..., Estimates] = exact,
    *,
    reserve: str = "start",
    kill_at_limit: bool = False,
    seed: int = 0,
    log: bool = False,
) -> QueueRun:
    """Run all jobs to their ends.

    Parameters
    ----------
    allocator
        A name of `ALLOCATORS`, or any function that is one.
    estimates
        Returns what the scheduler believes, called with the jobs and the seed.
    reserve
        Under EASY, whether the blocked head is promised the earliest start or the
        earliest completion; earliest completion always uses the latter.
    kill_at_limit
        Whether a job ends at its estimate, scaled by speed like everything, where it
        would run longer.
    seed
        Fixes what is random: the random allocator and drawn estimates.
    log
        Whether every decision is kept.

    Raises
    ------
    InvalidInput
        If a name is unknown, a job fits no cluster, or an allocator answers with a
        cluster that has no room.

    Examples
    --------
    >>> from cotenant.demand.job import Jobs
    >>> from cotenant.queueing.clusters import parse_cluster
    >>> two = Clusters.of([parse_cluster("8@2"), parse_cluster("4@1")])
    >>> jobs = Jobs.of(
    ...     submit_s=[0, 0, 0, 0], processors=[1, 4, 8, 2], runtime_s=[40, 400, 80, 20]
    ... )
    >>> run_queue(jobs, two, "tla").finish_s.tolist()
    [20.0, 400.0, 60.0, 70.0]
    """
    chosen = _allocator(allocator)
    order = parse_order(order) if isinstance(order, str) else order
    wide = jobs.processors > clusters.largest
    if wide.any():
        job = jobs[int(wide.argmax())]
        raise InvalidInput(
            f"job {job.id} asks for {job.processors} processors; the largest cluster "
            f"has {clusters.largest}"
        )
    if reserve not in ("start", "completion"):
        raise InvalidInput(f"reserve is {reserve!r}; expected start or completion")
    runtime = jobs.runtime_s
    if kill_at_limit:
        runtime = np.fmin(runtime, jobs.estimate_s)
    believed = estimates(_as_run(jobs, runtime), seed)
    run = _Run(jobs, clusters, chosen, order, believed, runtime, reserve, seed, log)
    return run.finish()


def _as_run(jobs: Jobs, runtime: FloatArray) -> Jobs:
    if runtime is jobs.runtime_s:
        return jobs
    columns = {name: getattr(jobs, name) for name in ("submit_s", "processors")}
    return Jobs.of(
        **columns,
        runtime_s=runtime,
        estimate_s=jobs.estimate_s,
        user=jobs.user,
        id=jobs.id,
    )


def _allocator(allocator: str | Allocator) -> Allocator:
    if not isinstance(allocator, str):
        return allocator
    if allocator not in ALLOCATORS:
        known = ", ".join(ALLOCATORS)
        raise InvalidInput(f"allocator is {allocator!r}; expected one of {known}")
    return ALLOCATORS[allocator]


class _Run:
    def __init__(
        self,
        jobs: Jobs,
        clusters: Clusters,
        allocator: Allocator,
        order: Order,
        estimates: Estimates,
        runtime: FloatArray,
        reserve: str,
        seed: int,
        log: bool,
    ) -> None:
        self._allocator = allocator
        self._log: list[Decision] | None = [] if log else None
        self._decisions = self._overrides = 0
        promised = order is Order.CONSERVATIVE
        self._rule = COMPILED.get(allocator, kernel.ASK)
        if promised and isinstance(allocator, LookAhead) and allocator.heads_only:
            # A job that is promised a slot leaves no queue behind it to look at.
            self._rule = kernel.FASTEST_FIRST
        self._by_completion = (
            reserve == "completion" or self._rule == kernel.EARLIEST_COMPLETION
        )
        self._predict = estimates.predict
        self._sure = not self._predict and bool((estimates.believed_s >= runtime).all())
        draw = np.random.default_rng([seed, 1]).random(len(jobs))
        self.view = opened(jobs, clusters, order, estimates, runtime, draw)

    def finish(self) -> QueueRun:
        state = self.view.state
        while self._advance() == kernel.ASKED:
            state.marks[kernel.ANSWER] = answer_number(self._ask())
        runtime, jobs = self.view.work.runtime, self.view.jobs
        return QueueRun(
            jobs,
            self.view.clusters,
            state.start,
            state.finish,
            state.cluster,
            runtime < jobs.runtime_s,
            self._decisions,
            self._overrides,
            tuple(self._log or ()),
        )

    def _advance(self) -> int:
        view = self.view
        if view.profiles is not None:
            return conservative.advance_promised(
                view.site, view.work, view.state, view.profiles, self._rule,
                self._predict,
            )  # fmt: skip
        return queueing.advance(
            view.site, view.work, view.state, int(view.order), self._rule,
            self._by_completion, self._sure, self._predict,
        )  # fmt: skip

    def _ask(self) -> Answer:
        view, values = self.view, np.empty(0)
        if isinstance(self._allocator, LookAhead):
            judged = self._allocator.judge(view)
            answer, values = judged.answer, judged.values
            several = int(np.count_nonzero(values == values)) > 1
        else:
            answer, several = self._allocator(view), len(view.room) > 1
            self._check(answer)
        if several:
            fastest = fastest_first(view)
            self._decisions += 1
            self._overrides += answer != fastest
            if self._log is not None:
                job = int(view.jobs.id[view.job])
                other = best_fit(view)
                self._log.append(
                    Decision(view.now, job, answer, values, fastest, other)
                )
        return answer

    def _check(self, answer: Answer) -> None:
        view = self.view
        promised = view.profiles is not None
        may = view.large if promised else view.room
        if isinstance(answer, WaitFor) or answer is None:
            if not promised:
                return
        elif answer in may:
            return
        raise InvalidInput(
            f"the allocator answered {answer!r} for job {view.jobs.id[view.job]}; "
            f"expected one of the clusters {may.tolist()}"
        )
