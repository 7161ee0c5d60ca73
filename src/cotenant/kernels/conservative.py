"""Conservative backfilling: every job gets a reservation when it arrives.

Each cluster has a profile, a step function of the processors that are neither held nor
promised from now on: `level[c, i]` holds from `times[c, i]` until the next step, the
last one for ever. Reservations are half-open intervals by what is believed of run
times. No reservation is ever moved back, unless a job outlives what was believed.
"""

from typing import NamedTuple

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit
from cotenant.kernels.queueing import Site, State, Work

BEST_FIT, FASTEST_FIRST, WORST_FIT, RANDOM, EARLIEST_COMPLETION, ASK = range(6)
DONE, ASKED = 0, 1
NO_ANSWER = -(1 << 40)
EVENT, PLACE = 0, 1
# Positions in `marks`; what other orders keep besides is not used here.
ARRIVED, FIRST, LAST, RUNNING, PHASE, AT, JOB, ANSWER = range(8)


class Profiles(NamedTuple):
    """What is promised: the profiles and the reservations they are made of."""

    times: FloatArray  # (clusters, steps)
    level: IntArray
    steps: IntArray  # (clusters,) how many are used
    planned: FloatArray  # (jobs,) start of the reservation
    until: FloatArray  # (jobs,) its end
    soonest: FloatArray  # (clusters,) earliest start of the job in question


@jit
def slot(
    times: FloatArray, level: IntArray, steps: int, now: float, length: float, need: int
) -> tuple[float, int]:
    # Earliest start with `need` processors for so long, and the level at that moment.
    at, i = now, 0
    while i + 1 < steps and times[i + 1] <= now:
        i += 1
    begin = i
    while i < steps:
        if level[i] < need:
            begin = i + 1
            if begin < steps:
                at = times[begin]
        elif i + 1 == steps or times[i + 1] >= at + length:
            return at, level[begin]
        i += 1
    return np.inf, 0


@jit
def cut(times: FloatArray, level: IntArray, steps: int, at: float) -> int:
    # Makes `at` a step; returns the new number of steps.
    i = steps
    while i > 0 and times[i - 1] > at:
        i -= 1
    if i > 0 and times[i - 1] == at:
        return steps
    for k in range(steps, i, -1):
        times[k], level[k] = times[k - 1], level[k - 1]
    times[i], level[i] = at, level[i - 1]
    return steps + 1


@jit
def take(
    times: FloatArray, level: IntArray, steps: int, begin: float, end: float, need: int
) -> int:
    # Takes processors from an interval, or gives them back; drops steps without height.
    if end <= begin:
        return steps
    steps = cut(times, level, steps, begin)
    steps = cut(times, level, steps, end)
    for i in range(steps):
        if begin <= times[i] < end:
            level[i] -= need
    to = 0
    for i in range(steps):
        if to == 0 or level[i] != level[to - 1]:
            times[to], level[to] = times[i], level[i]
            to += 1
    return to


@jit
def forget(times: FloatArray, level: IntArray, steps: int, now: float) -> int:
    # Drops the steps that have passed.
    gone = 0
    while gone + 1 < steps and times[gone + 1] <= now:
        gone += 1
    if gone > 0:
        for i in range(gone, steps):
            times[i - gone], level[i - gone] = times[i], level[i]
    return steps - gone


@jit
def choose(
    size: IntArray,
    speed: FloatArray,
    profiles: Profiles,
    now: float,
    need: int,
    believed: float,
    rule: int,
    draw: float,
) -> int:
    # The cluster with the earliest slot, ties by the rule; or the earliest completion.
    # Leaves the slots of all clusters in `soonest`.
    soonest = profiles.soonest
    left = np.zeros(len(size), np.int64)
    best, count = np.inf, 0
    for c in range(len(size)):
        soonest[c] = np.inf
        if size[c] >= need:
            soonest[c], room = slot(
                profiles.times[c], profiles.level[c], profiles.steps[c],
                now, believed / speed[c], need,
            )  # fmt: skip
            left[c] = room - need
            value = soonest[c]
            if rule == EARLIEST_COMPLETION:
                value += believed / speed[c]
            if value < best:
                best, count = value, 1
            elif value == best:
                count += 1
    found, chosen = -1, int(draw * count) if rule == RANDOM else 0
    for c in range(len(size)):
        value = soonest[c]
        if rule == EARLIEST_COMPLETION:
            value += believed / speed[c]
        if value != best:
            continue
        if rule == RANDOM:
            if chosen == 0:
                return c
            chosen -= 1
        elif found < 0:
            found = c
        elif rule in (BEST_FIT, WORST_FIT):
            gain = left[c] - left[found] if rule == WORST_FIT else left[found] - left[c]
            if gain > 0 or (gain == 0 and speed[c] > speed[found]):
                found = c
        elif speed[c] > speed[found] or (
            speed[c] == speed[found]
            and left[c] < left[found]
            and rule != EARLIEST_COMPLETION
        ):
            found = c
    return found


@jit
def hold(profiles: Profiles, c: int, begin: float, end: float, need: int) -> None:
    profiles.steps[c] = take(
        profiles.times[c], profiles.level[c], profiles.steps[c], begin, end, need
    )


@jit
def promise_ahead(
    size: IntArray,
    speed: FloatArray,
    profiles: Profiles,
    need: int,
    believed: float,
    c: int,
    arrive: FloatArray,
    processors: IntArray,
    lengths: FloatArray,
    rule: int,
) -> tuple[FloatArray, FloatArray]:
    # Starts and ends of a job in its earliest slot on cluster `c`, and of imagined jobs
    # that are promised slots after it. Works on copies that it is given.
    start, end = np.empty(len(arrive) + 1), np.empty(len(arrive) + 1)
    start[0] = profiles.soonest[c]
    end[0] = start[0] + believed / speed[c]
    hold(profiles, c, start[0], end[0], need)
    for k in range(len(arrive)):
        found = choose(
            size, speed, profiles, arrive[k], processors[k], lengths[k], rule, 0.0
        )
        start[k + 1] = profiles.soonest[found]
        end[k + 1] = start[k + 1] + lengths[k] / speed[found]
        hold(profiles, found, start[k + 1], end[k + 1], processors[k])
    return start, end


@jit
def replan(
    size: IntArray,
    speed: FloatArray,
    profiles: Profiles,
    now: float,
    job: int,
    need: int,
    believed: float,
    cluster: IntArray,
    rule: int,
    draw: float,
    afresh: bool,
) -> None:
    # Moves a reservation forward where the rule finds an earlier one; where jobs have
    # outlived what was believed it was given back before, and is made afresh.
    planned, until = profiles.planned, profiles.until
    if not afresh:
        hold(profiles, cluster[job], planned[job], until[job], -need)
    c = choose(size, speed, profiles, now, need, believed, rule, draw)
    end = profiles.soonest[c] + believed / speed[c]
    earlier = profiles.soonest[c] < planned[job]
    if rule == EARLIEST_COMPLETION:
        earlier = end < until[job]
    if afresh or earlier:
        cluster[job], planned[job], until[job] = c, profiles.soonest[c], end
    hold(profiles, cluster[job], planned[job], until[job], need)


@jit
def advance_promised(
    site: Site,
    work: Work,
    state: State,
    profiles: Profiles,
    rule: int,
    predict: bool,
    steps: FloatArray,
) -> int:
    # `steps` are added to predictions that a job outlives.
    size, speed = site
    submit, processors, runtime, request, user, draw = work
    free, believed, start, finish, cluster, queue = state[:6]
    _, ending, history, seen, raised, clock, marks = state[6:]
    planned, until = profiles.planned, profiles.until
    jobs, drawn = len(submit), len(draw) > 0
    inner = EARLIEST_COMPLETION if rule == ASK else rule
    while True:
        if marks[PHASE] == EVENT:
            now = submit[marks[ARRIVED]] if marks[ARRIVED] < jobs else np.inf
            for job in ending[: marks[RUNNING]]:
                now = min(now, finish[job])
            for job in queue[marks[FIRST] : marks[LAST]]:
                now = min(now, planned[job])
            if now == np.inf:
                return DONE
            clock[0] = now
            for c in range(len(size)):
                profiles.steps[c] = forget(
                    profiles.times[c], profiles.level[c], profiles.steps[c], now
                )
            early, late, kept = False, False, 0
            # Running jobs lie in the order of their numbers, so they end in it too.
            for job in ending[: marks[RUNNING]]:
                if finish[job] > now:
                    late = late or until[job] <= now
                    ending[kept] = job
                    kept += 1
                    continue
                free[cluster[job]] += processors[job]
                if until[job] > now:
                    early = True
                    hold(profiles, cluster[job], now, until[job], -processors[job])
                if predict and user[job] >= 0:
                    history[user[job], 1] = history[user[job], 0]
                    history[user[job], 0] = runtime[job]
                    seen[user[job]] += 1
            marks[RUNNING] = kept
            waiting = queue[marks[FIRST] : marks[LAST]]
            if late:
                for job in waiting:
                    hold(
                        profiles, cluster[job], planned[job], until[job],
                        -processors[job],
                    )  # fmt: skip
                for job in ending[:kept]:
                    if until[job] > now:
                        continue
                    until[job] = now + 1.0
                    while predict and (
                        start[job] + believed[job] / speed[cluster[job]] <= now
                    ):
                        believed[job] += steps[min(raised[job], len(steps) - 1)]
                        raised[job] += 1
                        until[job] = start[job] + believed[job] / speed[cluster[job]]
                    hold(profiles, cluster[job], now, until[job], processors[job])
            if late or early:
                for job in waiting:
                    replan(
                        size, speed, profiles, now, job, processors[job],
                        believed[job], cluster, inner, draw[job] if drawn else 0.0,
                        late,
                    )  # fmt: skip
            marks[AT] = marks[LAST]
            while marks[ARRIVED] < jobs and submit[marks[ARRIVED]] <= now:
                job = marks[ARRIVED]
                who = user[job]
                if predict and who >= 0 and seen[who] > 0:
                    mean = history[who, 0]
                    if seen[who] > 1:
                        mean = (mean + history[who, 1]) / 2.0
                    believed[job] = min(mean, request[job])
                queue[marks[LAST]] = job
                marks[LAST] += 1
                marks[ARRIVED] += 1
            marks[PHASE] = PLACE
        now = clock[0]
        while marks[AT] < marks[LAST]:
            job = queue[marks[AT]]
            choice = marks[ANSWER]
            marks[ANSWER] = NO_ANSWER
            if choice == NO_ANSWER:
                choice = choose(
                    size, speed, profiles, now, processors[job], believed[job],
                    inner, draw[job] if drawn else 0.0,
                )  # fmt: skip
                if rule == ASK:
                    marks[JOB] = job
                    return ASKED
            cluster[job], planned[job] = choice, profiles.soonest[choice]
            until[job] = planned[job] + believed[job] / speed[choice]
            hold(profiles, choice, planned[job], until[job], processors[job])
            marks[AT] += 1
        to = marks[LAST]
        for at in range(marks[LAST] - 1, marks[FIRST] - 1, -1):
            job = queue[at]
            if planned[job] > now:
                to -= 1
                queue[to] = job
                continue
            free[cluster[job]] -= processors[job]
            start[job] = now
            finish[job] = now + runtime[job] / speed[cluster[job]]
            at_end = marks[RUNNING]
            while at_end > 0 and ending[at_end - 1] > job:
                ending[at_end] = ending[at_end - 1]
                at_end -= 1
            ending[at_end] = job
            marks[RUNNING] += 1
        marks[FIRST] = to
        marks[PHASE] = EVENT
