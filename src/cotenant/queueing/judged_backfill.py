"""Look-ahead under backfilling: copy the run as it is believed to be, then run it."""

from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels import conservative
from cotenant.kernels import lookahead as ahead_kernel
from cotenant.kernels import queue_state as kernel
from cotenant.kernels.profiles import Profiles
from cotenant.kernels.queue_state import Site, State, Work
from cotenant.kernels.queueing import advance
from cotenant.queueing.allocators import Answer, WaitFor, fastest_first
from cotenant.queueing.lookahead import Judgement, LookAhead
from cotenant.queueing.view import View

_RULES = {"fastest-first": (1,), "best-fit": (0,), "both": (1, 0)}
_TIE = 1e-12


def judge_backfill(option: LookAhead, view: View) -> Judgement:
    """Judge a placement under EASY by running EASY ahead from each candidate.

    Jobs beyond the depth are not judged: they start on the fastest cluster.
    """
    values = np.full(len(view.clusters) + 1, np.nan)
    waiting = view.waiting
    at = int(np.searchsorted(waiting, view.job))
    if option.depth is not None and at >= option.depth:
        return Judgement(fastest_first(view), values)
    order = option.candidates_of(view)
    may_wait = not view.is_head or option.may_wait(view, order[0])
    if len(order) == 1 and not (option.allow_wait and may_wait):
        return Judgement(order[0], values)
    copied = _Copy.of(option, view, waiting[: option.depth], at)
    best, chosen = np.inf, order[0]
    for c in order:
        values[c] = copied.cost(c)
        if values[c] < best - _TIE * abs(best) or best == np.inf:
            best, chosen = values[c], c
    answer: Answer = chosen
    for place, other in _waits(option, view, chosen):
        values[place] = copied.cost(other)
        if values[place] < best - _TIE * abs(best):
            best, answer = values[place], other
    return Judgement(answer, values)


def _waits(option: LookAhead, view: View, held: int) -> list[tuple[int, Answer]]:
    # Ways not to start now, each with its place among the values. The head waits for a
    # faster cluster, which is then promised to it.
    if not option.allow_wait:
        return []
    if not view.is_head:
        return [(len(view.clusters), None)]
    speed, size, free = view.site.speed, view.site.size, view.state.free
    busy = (size >= view.need) & (free < view.need) & (speed > speed[held])
    return [(c, WaitFor(c)) for c in np.flatnonzero(busy).tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class _Copy:
    """The run as believed: running, waiting and imagined jobs, in this order."""

    option: LookAhead
    site: Site
    work: Work
    state: State
    ahead: ahead_kernel.Ahead
    running: int

    @classmethod
    def of(cls, option: LookAhead, view: View, waiting: IntArray, at: int) -> "_Copy":
        running, state, now = view.running, view.state, view.now
        ahead = option.ahead_of(view, waiting)
        start, cluster = state.start[running], state.cluster[running]
        speed, length = view.site.speed[cluster], state.believed[running]
        # An overdue job is taken to end in a second.
        overdue = start + length / speed <= now
        start, length = np.where(overdue, now, start), np.where(overdue, speed, length)
        end = start + length / speed
        # Sorted ends are a heap already.
        sort = np.argsort(end, kind="stable")
        running, cluster, end = running[sort], cluster[sort], end[sort]
        start, length = start[sort], length[sort]
        there, real = len(running), len(waiting)
        jobs = there + len(ahead.arrive)
        believed = np.concatenate([length, ahead.believed])
        work = Work(
            np.concatenate([start, ahead.arrive]),
            np.concatenate([view.work.processors[running], ahead.processors]),
            believed,
            np.empty(0),
            np.empty(0, np.int64),
            np.empty(0),
        )
        marks = state.marks.copy()
        marks[kernel.ARRIVED], marks[kernel.RUNNING] = there + real, there
        marks[kernel.FIRST], marks[kernel.LAST] = 0, real
        marks[kernel.AT], marks[kernel.FRESH], marks[kernel.LEAST] = at, 0, 0
        room = np.zeros(jobs)
        return cls(
            option,
            view.site,
            work,
            State(
                free=state.free,
                believed=believed,
                start=np.concatenate([start, room[there:] - 1.0]),
                finish=np.concatenate([end, room[there:]]),
                cluster=np.concatenate([cluster, np.zeros(jobs - there, np.int64)]),
                queue=np.arange(there, there + jobs),
                ends=np.concatenate([end, room]),
                ending=np.concatenate([np.arange(there), np.zeros(jobs, np.int64)]),
                history=np.empty((0, 2)),
                seen=np.empty(0, np.int64),
                raised=np.empty(0, np.int64),
                clock=state.clock.copy(),
                marks=marks,
                leaving=np.zeros(there + jobs),
                leavers=np.zeros(there + jobs, np.int64),
            ),
            ahead,
            there,
        )

    def cost(self, answer: Answer) -> float:
        """Return the metric after this answer, by the better rule."""
        return min(self._cost(answer, rule) for rule in _RULES[self.option.rollout])

    def _cost(self, answer: Answer, rule: int) -> float:
        state = State._make(array.copy() for array in self.state)
        state.marks[kernel.ANSWER] = answer_number(answer)
        advance(self.site, self.work, state, kernel.EASY, rule, False, True, False)
        return total_cost(
            self.option, self.ahead, state.start[self.running :],
            state.finish[self.running :],
        )  # fmt: skip


def answer_number(answer: Answer) -> int:
    """Return an answer as the kernels take it."""
    if isinstance(answer, WaitFor):
        return -2 - answer.cluster
    return kernel.WAIT if answer is None else int(answer)


def total_cost(
    option: LookAhead, ahead: ahead_kernel.Ahead, start: FloatArray, end: FloatArray
) -> float:
    """Return the metric over jobs that were run ahead."""
    return float(
        ahead_kernel.total(
            option.metric_number, ahead.arrive, start, end, ahead.believed, ahead.weight
        )
    )


def judge_slots(option: LookAhead, view: View) -> Judgement:
    """Judge the earliest slot of each cluster under conservative backfilling.

    Other promises stay; imagined arrivals are promised their slots after it. By heads
    only, nothing waits behind a job that is promised a slot, so that the method is
    fastest first.
    """
    values = np.full(len(view.clusters) + 1, np.nan)
    profiles, job = view.profiles, view.job
    if profiles is None:
        raise ValueError("no promises are kept under this order")
    believed = view.believed_s
    ahead = option.ahead_of(view, np.array([job]))
    order = sorted(view.large.tolist(), key=lambda c: (-view.site.speed[c], c))
    # A reservation makes two steps at most.
    width = int(profiles.steps.max()) + 2 * len(ahead.arrive)
    best, chosen = np.inf, order[0]
    for c in order[: option.candidates]:
        value = np.inf
        for rule in _RULES[option.rollout]:
            copied = Profiles(
                profiles.times[:, :width].copy(), profiles.level[:, :width].copy(),
                profiles.steps.copy(), profiles.planned, profiles.until,
                profiles.soonest.copy(),
            )  # fmt: skip
            start, end = conservative.promise_ahead(
                view.site.size, view.site.speed, copied, view.need, believed, c,
                ahead.arrive[1:], ahead.processors[1:], ahead.believed[1:], rule,
            )  # fmt: skip
            value = min(value, total_cost(option, ahead, start, end))
        values[c] = value
        if value < best - _TIE * abs(best) or best == np.inf:
            best, chosen = value, c
    return Judgement(chosen, values)
