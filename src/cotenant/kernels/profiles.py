"""What a cluster has promised: processors free from now on, as a step function.

`level[c, i]` holds from `times[c, i]` until the next step, the last one for ever.
"""

from typing import NamedTuple

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit
from cotenant.kernels.queue_state import (
    BEST_FIT,
    EARLIEST_COMPLETION,
    RANDOM,
    WORST_FIT,
)


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
