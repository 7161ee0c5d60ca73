"""The arrays of one queue of rigid jobs, and the steps that all orders share.

Everything that changes lies in the arrays of a `State`, so a run can be stopped, copied
and resumed. With the rule `ASK`, a run returns whenever a job could start, and goes on
once `marks[ANSWER]` says where: a cluster, `WAIT`, or `-2 - c` to wait for cluster c.
"""

from typing import NamedTuple

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit_borrowing

FCFS, EASY = 0, 1
BEST_FIT, FASTEST_FIRST, WORST_FIT, RANDOM, EARLIEST_COMPLETION, ASK = range(6)
DONE, ASKED = 0, 1
WAIT, NO_ANSWER, ASKING = -1, -(1 << 40), -(1 << 41)
EVENT, HEAD, BACKFILL = range(3)
# Positions in `marks` and `clock`.
ARRIVED, FIRST, LAST, RUNNING, PHASE, AT, JOB, ANSWER = range(8)
RESERVED, EXTRA, FRESH, LEAST, HOLD = range(8, 13)
MARKS = 13
NOW, SHADOW = 0, 1
# Seconds added to a prediction each time a job outlives it (Tsafrir and others, 2007).
STEPS = 60.0 * np.array([1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000])


class Site(NamedTuple):
    """Processors and speed of each cluster."""

    size: IntArray
    speed: FloatArray


class Work(NamedTuple):
    """What is known of the jobs from the start, in order of submission."""

    submit: FloatArray
    processors: IntArray
    runtime: FloatArray
    request: FloatArray  # at most this is predicted; infinite where unknown
    user: IntArray  # dense numbers, -1 where unknown
    draw: FloatArray  # one number in [0, 1) a job, for the random rule


class State(NamedTuple):
    """Everything that changes."""

    free: IntArray  # (clusters,)
    believed: FloatArray  # (jobs,) run time that the scheduler believes in
    start: FloatArray  # (jobs,) -1 while waiting
    finish: FloatArray
    cluster: IntArray
    queue: IntArray  # jobs from marks[FIRST] to marks[LAST] wait
    ends: FloatArray  # heap of the running jobs by end
    ending: IntArray
    history: FloatArray  # (users, 2) their last two run times
    seen: IntArray  # (users,) how many of them are known
    raised: IntArray  # (jobs,) corrections of a prediction so far
    clock: FloatArray
    marks: IntArray
    leaving: FloatArray  # room for a heap, where a reservation is worked out
    leavers: IntArray


@jit_borrowing
def push(ends: FloatArray, items: IntArray, count: int, end: float, item: int) -> None:
    # Equal ends leave in order of the item, so that runs are repeatable.
    at = count
    while at > 0:
        up = (at - 1) >> 1
        if ends[up] < end or (ends[up] == end and items[up] < item):
            break
        ends[at], items[at] = ends[up], items[up]
        at = up
    ends[at], items[at] = end, item


@jit_borrowing
def pop(ends: FloatArray, items: IntArray, count: int) -> None:
    # Takes the first of `count` away.
    last = count - 1
    end, item = ends[last], items[last]
    at, low = 0, 1
    while low < last:
        right = low + 1
        if right < last and (
            ends[right] < ends[low]
            or (ends[right] == ends[low] and items[right] < items[low])
        ):
            low = right
        if end < ends[low] or (end == ends[low] and item < items[low]):
            break
        ends[at], items[at] = ends[low], items[low]
        at, low = low, 2 * low + 1
    ends[at], items[at] = end, item


@jit_borrowing
def learn(work: Work, state: State, job: int) -> None:
    # Remembers the run time of a job that has ended, for the predictions of its user.
    user = work.user[job]
    if user >= 0:
        state.history[user, 1] = state.history[user, 0]
        state.history[user, 0] = work.runtime[job]
        state.seen[user] += 1


@jit_borrowing
def predicted(history: FloatArray, seen: int, request: float) -> float:
    # Mean of the last two run times of a user that are known, at most the request.
    mean = history[0] if seen == 1 else (history[0] + history[1]) / 2.0
    return float(min(mean, request))


@jit_borrowing
def arrive(work: Work, state: State, now: float, predict: bool) -> None:
    # Queues the jobs that have been submitted by now.
    marks, seen, jobs = state.marks, state.seen, len(work.submit)
    job = marks[ARRIVED]
    while job < jobs and work.submit[job] <= now:
        user = work.user[job]
        if predict and user >= 0 and seen[user] > 0:
            state.believed[job] = predicted(
                state.history[user], seen[user], work.request[job]
            )
        state.queue[marks[LAST]] = job
        marks[LAST] += 1
        marks[LEAST] = min(marks[LEAST], work.processors[job])
        job += 1
    marks[ARRIVED] = job


@jit_borrowing
def outlived(site: Site, state: State, job: int) -> bool:
    # Whether a running job has run longer than is believed; then more is believed.
    end = state.start[job] + state.believed[job] / site.speed[state.cluster[job]]
    if end > state.clock[NOW]:
        return False
    state.believed[job] += STEPS[min(state.raised[job], len(STEPS) - 1)]
    state.raised[job] += 1
    return True
