"""Runs a stream of rigid jobs through one queue: first come first served, and EASY."""

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit_borrowing
from cotenant.kernels.queue_state import (
    ANSWER,
    ARRIVED,
    ASK,
    ASKED,
    ASKING,
    AT,
    BACKFILL,
    BEST_FIT,
    DONE,
    EARLIEST_COMPLETION,
    EVENT,
    EXTRA,
    FCFS,
    FIRST,
    FRESH,
    HEAD,
    HOLD,
    JOB,
    LAST,
    LEAST,
    NO_ANSWER,
    NOW,
    PHASE,
    RANDOM,
    RESERVED,
    RUNNING,
    SHADOW,
    WAIT,
    WORST_FIT,
    Site,
    State,
    Work,
    arrive,
    learn,
    outlived,
    pop,
    push,
)


@jit_borrowing
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


@jit_borrowing
def largest(free: IntArray) -> int:
    most = free[0]
    for one in free[1:]:
        most = max(most, one)
    return int(most)


@jit_borrowing
def reserve(
    site: Site, work: Work, state: State, job: int, by_completion: bool, only: int
) -> tuple[int, float, int]:
    # Where and when `job` could start by what is believed, and how many processors it
    # would then leave over. The earliest start (or completion); the faster on a tie.
    size, speed = site
    processors, believed, ends, items = (
        work.processors, state.believed, state.leaving, state.leavers
    )  # fmt: skip
    need, now = processors[job], state.clock[NOW]
    found, when, extra, best = -1, np.inf, 0, np.inf
    for c in range(len(size)):
        if size[c] < need or (only >= 0 and c != only):
            continue
        left, at, count = state.free[c], now, 0
        for other in state.ending[: state.marks[RUNNING]]:
            if state.cluster[other] == c:
                end = state.start[other] + believed[other] / speed[c]
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


@jit_borrowing
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
    # help the jobs that were passed over before it.
    marks, free = state.marks, state.free
    while True:
        if marks[PHASE] == EVENT and not next_event(site, work, state, predict):
            return DONE
        if marks[PHASE] == HEAD:
            choice = start_heads(site, work, state, rule)
            if choice == ASKING:
                return ASKED
            marks[PHASE] = EVENT
            if (
                order == FCFS
                or marks[LAST] - marks[FIRST] < 2
                or largest(free) < marks[LEAST]
                or (sure and rule != ASK and marks[FRESH] >= marks[LAST])
            ):
                continue
            only = -2 - choice if choice < WAIT else -1
            reserve_head(site, work, state, by_completion, only)
            if sure and rule != ASK:
                marks[AT] = max(marks[AT], marks[FRESH])
            if marks[AT] == marks[FIRST] + 1:
                marks[LEAST] = 1 << 40
            marks[PHASE] = BACKFILL
        if backfill(site, work, state, rule) == ASKING:
            return ASKED
        marks[FRESH] = marks[LAST]
        marks[PHASE] = EVENT


@jit_borrowing
def next_event(site: Site, work: Work, state: State, predict: bool) -> bool:
    # Goes to the next moment where anything happens; False if there is none. Jobs end
    # before others arrive.
    marks, ends, ending = state.marks, state.ends, state.ending
    running, arrived = marks[RUNNING], marks[ARRIVED]
    now = ends[0] if running > 0 else np.inf
    if arrived < len(work.submit):
        now = min(now, work.submit[arrived])
    if now == np.inf:
        return False
    state.clock[NOW] = now
    while running > 0 and ends[0] <= now:
        job = ending[0]
        state.free[state.cluster[job]] += work.processors[job]
        pop(ends, ending, running)
        running -= 1
        marks[FRESH] = 0
        if predict:
            learn(work, state, job)
    marks[RUNNING] = running
    if predict:
        for job in ending[:running]:
            while outlived(site, state, job):
                pass
    arrive(work, state, now, predict)
    marks[PHASE] = HEAD
    return True


@jit_borrowing
def start_heads(site: Site, work: Work, state: State, rule: int) -> int:
    # Starts jobs from the front of the queue until one has to wait, and returns what
    # was chosen for that one; ASKING where the answer has to come from outside.
    marks, queue, now, choice = state.marks, state.queue, state.clock[NOW], WAIT
    while marks[FIRST] < marks[LAST]:
        job = queue[marks[FIRST]]
        choice = marks[ANSWER]
        marks[ANSWER] = NO_ANSWER
        if choice != NO_ANSWER:
            # A head that is to wait for a cluster is held until it has room.
            marks[HOLD] = -2 - choice if choice < WAIT else -1
        elif marks[HOLD] >= 0 and rule != ASK:
            choice = marks[HOLD]
            if state.free[choice] < work.processors[job]:
                choice = -2 - choice
        elif rule == EARLIEST_COMPLETION:
            choice, when, _ = reserve(site, work, state, job, True, -1)
            if when > now:
                choice = -2 - choice
        else:
            marks[HOLD] = -1
            number = work.draw[job] if len(work.draw) > 0 else 0.0
            choice = pick(
                state.free, site.speed, rule, work.processors[job], number, -1, 0.0,
                now, now,
            )  # fmt: skip
            if choice >= 0 and rule == ASK:
                marks[JOB] = job
                return ASKING
        if choice < 0:
            break
        begin(site, work, state, job, choice)
        marks[FIRST] += 1
        marks[FRESH], marks[HOLD] = 0, -1
    return choice


@jit_borrowing
def begin(site: Site, work: Work, state: State, job: int, chosen: int) -> None:
    # Starts a job now on the cluster chosen.
    marks, now = state.marks, state.clock[NOW]
    state.free[chosen] -= work.processors[job]
    state.start[job], state.cluster[job] = now, chosen
    state.finish[job] = now + work.runtime[job] / site.speed[chosen]
    push(state.ends, state.ending, marks[RUNNING], state.finish[job], job)
    marks[RUNNING] += 1


@jit_borrowing
def reserve_head(
    site: Site, work: Work, state: State, by_completion: bool, only: int
) -> None:
    # Promises the head of the queue its start; the jobs behind it come next.
    marks = state.marks
    head = state.queue[marks[FIRST]]
    marks[RESERVED], state.clock[SHADOW], marks[EXTRA] = reserve(
        site, work, state, head, by_completion, only
    )
    marks[AT] = marks[FIRST] + 1


@jit_borrowing
def close_gaps(queue: IntArray, start: FloatArray, first: int, last: int) -> int:
    # Jobs that were backfilled leave the queue; the others keep their order.
    to = last
    for at in range(last - 1, first - 1, -1):
        if start[queue[at]] < 0.0:
            to -= 1
            queue[to] = queue[at]
    return to


@jit_borrowing
def backfill(site: Site, work: Work, state: State, rule: int) -> int:
    # Starts jobs behind the head that do not delay it, in the order of the queue.
    marks, queue, free, clock = state.marks, state.queue, state.free, state.clock
    processors, now = work.processors, clock[NOW]
    most, started = largest(free), False
    while marks[AT] < marks[LAST]:
        job = queue[marks[AT]]
        choice = marks[ANSWER]
        marks[ANSWER] = NO_ANSWER
        if choice == NO_ANSWER:
            choice = WAIT
            if processors[job] <= most:
                late = marks[RESERVED] if processors[job] > marks[EXTRA] else -1
                number = work.draw[job] if len(work.draw) > 0 else 0.0
                choice = pick(
                    free, site.speed, rule, processors[job], number, late,
                    state.believed[job], now, clock[SHADOW],
                )  # fmt: skip
            if choice >= 0 and rule == ASK:
                marks[JOB] = job
                return ASKING
        if choice >= 0:
            end = now + state.believed[job] / site.speed[choice]
            if choice == marks[RESERVED] and end > clock[SHADOW]:
                marks[EXTRA] -= processors[job]
            begin(site, work, state, job, choice)
            most, started = largest(free), True
        else:
            marks[LEAST] = min(marks[LEAST], processors[job])
        marks[AT] += 1
    # Once answers have come from outside, whether any job started is not known.
    if started or rule == ASK:
        marks[FIRST] = close_gaps(queue, state.start, marks[FIRST], marks[LAST])
    return WAIT
