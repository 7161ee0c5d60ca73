"""Runs a stream of rigid jobs through one queue: first come first served, and EASY.

Everything that changes lies in the arrays of a `State`, so a run can be stopped, copied
and resumed. With the rule `ASK`, `advance` returns whenever a job could start, and goes
on once `marks[ANSWER]` says where: a cluster, `WAIT`, or `waiting_for` a cluster.
"""

from typing import NamedTuple

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit

FCFS, EASY = 0, 1
BEST_FIT, FASTEST_FIRST, WORST_FIT, RANDOM, EARLIEST_COMPLETION, ASK = range(6)
DONE, ASKED = 0, 1
WAIT, NO_ANSWER = -1, -(1 << 40)
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


@jit
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


@jit
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


@jit
def pick(
    free: IntArray,
    speed: FloatArray,
    rule: int,
    need: int,
    draw: float,
    late: int,
    believed: float,
    now: float,
    shadow: float,
) -> int:
    # The cluster where a job starts now by a greedy rule; WAIT if it has no room. It
    # may use cluster `late` only if it ends there by the shadow time.
    found, count, best, second = WAIT, 0, 0, 0.0
    for c in range(len(free)):
        left = free[c] - need
        if left < 0 or (c == late and now + believed / speed[c] > shadow):
            continue
        count += 1
        if rule in (BEST_FIT, WORST_FIT):
            value = left if rule == WORST_FIT else -left
            if found < 0 or value > best or (value == best and speed[c] > second):
                found, best, second = c, value, speed[c]
        elif found < 0 or speed[c] > second or (speed[c] == second and left < best):
            found, best, second = c, left, speed[c]
    if rule == RANDOM and count > 1:
        # The job's own number chooses, whatever was drawn for others.
        chosen = int(draw * count)
        for c in range(len(free)):
            if free[c] < need or (c == late and now + believed / speed[c] > shadow):
                continue
            found = c
            if chosen == 0:
                break
            chosen -= 1
    return found


@jit
def reserve(
    size: IntArray,
    speed: FloatArray,
    free: IntArray,
    processors: IntArray,
    believed: FloatArray,
    start: FloatArray,
    cluster: IntArray,
    running: IntArray,
    now: float,
    job: int,
    by_completion: bool,
    only: int,
) -> tuple[int, float, int]:
    # Where and when `job` could start by what is believed, and how many processors it
    # would then leave over. The earliest start (or completion); the faster on a tie.
    need = processors[job]
    ends, items = np.empty(len(running)), np.empty(len(running), np.int64)
    found, when, extra, best = -1, np.inf, 0, np.inf
    for c in range(len(size)):
        if size[c] < need or (only >= 0 and c != only):
            continue
        left, at, count = free[c], now, 0
        for other in running:
            if cluster[other] == c:
                end = start[other] + believed[other] / speed[c]
                # An overdue job is taken to end in a second.
                push(ends, items, count, end if end > now else now + 1.0, other)
                count += 1
        while left < need:
            at = ends[0]
            left += processors[items[0]]
            pop(ends, items, count)
            count -= 1
        value = at + believed[job] / speed[c] if by_completion else at
        if found >= 0 and (
            value > best or (value == best and speed[c] <= speed[found])
        ):
            continue
        while count > 0 and ends[0] <= at:
            left += processors[items[0]]
            pop(ends, items, count)
            count -= 1
        found, when, extra, best = c, at, left - need, value
    return found, when, extra


@jit
def predicted(history: FloatArray, seen: int, request: float) -> float:
    # Mean of the last two run times of a user that are known, at most the request.
    mean = history[0] if seen == 1 else (history[0] + history[1]) / 2.0
    return float(min(mean, request))


@jit
def correct(
    running: IntArray,
    start: FloatArray,
    believed: FloatArray,
    cluster: IntArray,
    speed: FloatArray,
    raised: IntArray,
    now: float,
) -> None:
    # Raises the predictions that running jobs have outlived.
    for job in running:
        while start[job] + believed[job] / speed[cluster[job]] <= now:
            believed[job] += STEPS[min(raised[job], len(STEPS) - 1)]
            raised[job] += 1


@jit
def close_gaps(queue: IntArray, start: FloatArray, first: int, last: int) -> int:
    # Jobs that were backfilled leave the queue; the others keep their order.
    to = last
    for at in range(last - 1, first - 1, -1):
        if start[queue[at]] < 0.0:
            to -= 1
            queue[to] = queue[at]
    return to


@jit
def advance(
    site: Site,
    work: Work,
    state: State,
    order: int,
    rule: int,
    by_completion: bool,
    sure: bool,
    predict: bool,
) -> int:
    # `sure`: no job outlives what is believed of it, so that an arrival alone cannot
    # help the jobs that were passed over before it. Arrays are taken out of their
    # tuples once, for speed.
    size, speed = site
    submit, processors, runtime, request, user, draw = work
    free, believed, start, finish, cluster, queue = state[:6]
    ends, ending, history, seen, raised, clock, marks = state[6:]
    jobs, drawn = len(submit), len(draw) > 0
    while True:
        if marks[PHASE] == EVENT:
            running, arrived = marks[RUNNING], marks[ARRIVED]
            now = ends[0] if running > 0 else np.inf
            if arrived < jobs:
                now = min(now, submit[arrived])
            if now == np.inf:
                return DONE
            while running > 0 and ends[0] <= now:
                job = ending[0]
                free[cluster[job]] += processors[job]
                pop(ends, ending, running)
                running -= 1
                marks[FRESH] = 0
                if predict and user[job] >= 0:
                    history[user[job], 1] = history[user[job], 0]
                    history[user[job], 0] = runtime[job]
                    seen[user[job]] += 1
            if predict:
                correct(ending[:running], start, believed, cluster, speed, raised, now)
            while arrived < jobs and submit[arrived] <= now:
                if predict and user[arrived] >= 0 and seen[user[arrived]] > 0:
                    who = user[arrived]
                    believed[arrived] = predicted(
                        history[who], seen[who], request[arrived]
                    )
                queue[marks[LAST]] = arrived
                marks[LAST] += 1
                marks[LEAST] = min(marks[LEAST], processors[arrived])
                arrived += 1
            clock[NOW], marks[RUNNING], marks[ARRIVED] = now, running, arrived
            marks[PHASE] = HEAD
        now = clock[NOW]
        if marks[PHASE] == HEAD:
            choice = WAIT
            while marks[FIRST] < marks[LAST]:
                job = queue[marks[FIRST]]
                choice = marks[ANSWER]
                marks[ANSWER] = NO_ANSWER
                if choice != NO_ANSWER:
                    # A head that is to wait for a cluster is held until it has room.
                    marks[HOLD] = -2 - choice if choice < WAIT else -1
                elif marks[HOLD] >= 0 and rule != ASK:
                    choice = marks[HOLD]
                    if free[choice] < processors[job]:
                        choice = -2 - choice
                elif rule == EARLIEST_COMPLETION:
                    choice, when, _ = reserve(
                        size, speed, free, processors, believed, start, cluster,
                        ending[: marks[RUNNING]], now, job, True, -1,
                    )  # fmt: skip
                    if when > now:
                        choice = -2 - choice
                else:
                    marks[HOLD] = -1
                    number = draw[job] if drawn else 0.0
                    choice = pick(
                        free, speed, rule, processors[job], number, -1, 0.0, now, now
                    )
                    if choice >= 0 and rule == ASK:
                        marks[JOB] = job
                        return ASKED
                if choice < 0:
                    break
                free[choice] -= processors[job]
                start[job], cluster[job] = now, choice
                finish[job] = now + runtime[job] / speed[choice]
                push(ends, ending, marks[RUNNING], finish[job], job)
                marks[RUNNING] += 1
                marks[FIRST] += 1
                marks[FRESH], marks[HOLD] = 0, -1
            marks[PHASE] = EVENT
            if (
                order == FCFS
                or marks[LAST] - marks[FIRST] < 2
                or np.max(free) < marks[LEAST]
                or (sure and rule != ASK and marks[FRESH] >= marks[LAST])
            ):
                continue
            marks[RESERVED], clock[SHADOW], marks[EXTRA] = reserve(
                size, speed, free, processors, believed, start, cluster,
                ending[: marks[RUNNING]], now, queue[marks[FIRST]], by_completion,
                -2 - choice if choice < WAIT else -1,
            )  # fmt: skip
            marks[AT] = marks[FIRST] + 1
            if sure and rule != ASK:
                marks[AT] = max(marks[AT], marks[FRESH])
            if marks[AT] == marks[FIRST] + 1:
                marks[LEAST] = 1 << 40
            marks[PHASE] = BACKFILL
        most, started = np.max(free), False
        while marks[AT] < marks[LAST]:
            job = queue[marks[AT]]
            choice = marks[ANSWER]
            marks[ANSWER] = NO_ANSWER
            if choice == NO_ANSWER:
                choice = WAIT
                if processors[job] <= most:
                    late = marks[RESERVED] if processors[job] > marks[EXTRA] else -1
                    choice = pick(
                        free, speed, rule, processors[job], draw[job] if drawn else 0.0,
                        late, believed[job], now, clock[SHADOW],
                    )  # fmt: skip
                if choice >= 0 and rule == ASK:
                    marks[JOB] = job
                    return ASKED
            if choice >= 0:
                end = now + believed[job] / speed[choice]
                if choice == marks[RESERVED] and end > clock[SHADOW]:
                    marks[EXTRA] -= processors[job]
                free[choice] -= processors[job]
                start[job], cluster[job] = now, choice
                finish[job] = now + runtime[job] / speed[choice]
                push(ends, ending, marks[RUNNING], finish[job], job)
                marks[RUNNING] += 1
                most, started = np.max(free), True
            else:
                marks[LEAST] = min(marks[LEAST], processors[job])
            marks[AT] += 1
        # Once answers have come from outside, whether any job started is not known.
        if started or rule == ASK:
            marks[FIRST] = close_gaps(queue, start, marks[FIRST], marks[LAST])
        marks[FRESH] = marks[LAST]
        marks[PHASE] = EVENT
