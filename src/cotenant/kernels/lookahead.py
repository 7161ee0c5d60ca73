"""Judges where the head of a queue should start by running the queue ahead.

First come first served, by what is believed of run times. Clusters are copied for each
candidate; the heap of running jobs holds their end and, packed in one number, how many
processors they give back to which cluster.
"""

from typing import NamedTuple

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit

TURNAROUND, WAIT, SLOWDOWN, MAKESPAN, WEIGHTED = range(5)
# Slowdown is bounded: no job counts as shorter than this many seconds.
TAU = 10.0
# Costs closer than this part of each other are a tie.
_TIE = 1e-12
_BITS = 16


class Ahead(NamedTuple):
    """What is run ahead: jobs that wait, head first, then jobs that are imagined."""

    arrive: FloatArray
    processors: IntArray
    believed: FloatArray
    weight: FloatArray


class Running(NamedTuple):
    """Running jobs by their believed ends."""

    ends: FloatArray
    holds: IntArray


@jit
def _push(ends: FloatArray, holds: IntArray, count: int, end: float, hold: int) -> None:
    at = count
    while at > 0:
        up = (at - 1) >> 1
        if ends[up] <= end:
            break
        ends[at], holds[at] = ends[up], holds[up]
        at = up
    ends[at], holds[at] = end, hold


@jit
def _pop(ends: FloatArray, holds: IntArray, count: int) -> None:
    last = count - 1
    end, hold = ends[last], holds[last]
    at, low = 0, 1
    while low < last:
        if low + 1 < last and ends[low + 1] < ends[low]:
            low += 1
        if end <= ends[low]:
            break
        ends[at], holds[at] = ends[low], holds[low]
        at, low = low, 2 * low + 1
    ends[at], holds[at] = end, hold


@jit
def imagined(
    submit: FloatArray, finish: FloatArray, arrived: int, now: float, count: int
) -> tuple[IntArray, FloatArray]:
    # Jobs to come, as far as the past tells: the shapes of those most recently
    # submitted that have completed (oldest first), at the spacing of as many most
    # recent submissions, from now on. Nothing of a job that still waits or runs is used
    # but its time of submission.
    jobs = np.empty(count, np.int64)
    found = 0
    for job in range(arrived - 1, -1, -1):
        if found == count:
            break
        # Jobs that wait have finish 0.
        if 0.0 < finish[job] <= now:
            found += 1
            jobs[count - found] = job
    when = np.empty(found)
    for i in range(found):
        when[i] = now + (submit[arrived - found + i] - submit[arrived - found]) + 1.0
    return jobs[count - found :], when


@jit
def gather(
    submit: FloatArray,
    processors: IntArray,
    runtime: FloatArray,
    believed: FloatArray,
    weight: FloatArray,
    finish: FloatArray,
    waiting: IntArray,
    arrived: int,
    now: float,
    count: int,
) -> Ahead:
    # What is run ahead. Without weights, a job weighs its processor seconds.
    pseudo, when = imagined(submit, finish, arrived, now, count)
    real, every = len(waiting), len(waiting) + len(pseudo)
    arrive, length, heavy = np.empty(every), np.empty(every), np.empty(every)
    need = np.empty(every, np.int64)
    for k in range(every):
        job = waiting[k] if k < real else pseudo[k - real]
        arrive[k] = submit[job] if k < real else when[k - real]
        length[k] = believed[job] if k < real else runtime[job]
        need[k] = processors[job]
        heavy[k] = weight[job] if len(weight) > 0 else need[k] * length[k]
    return Ahead(arrive, need, length, heavy)


@jit
def cost_of(
    metric: int, arrive: float, start: float, end: float, believed: float, weight: float
) -> float:
    if metric == TURNAROUND:
        return end - arrive
    if metric == WAIT:
        return start - arrive
    if metric == SLOWDOWN:
        return max(1.0, (end - arrive) / max(believed, TAU))
    if metric == MAKESPAN:
        return end
    return weight * (end - arrive)


@jit
def total(
    metric: int,
    arrive: FloatArray,
    start: FloatArray,
    end: FloatArray,
    believed: FloatArray,
    weight: FloatArray,
) -> float:
    # The metric over jobs that have been run ahead.
    cost = 0.0
    for k in range(len(arrive)):
        paid = cost_of(metric, arrive[k], start[k], end[k], believed[k], weight[k])
        cost = max(cost, paid) if metric == MAKESPAN else cost + paid
    return cost


@jit
def believed_ends(
    start: FloatArray,
    believed: FloatArray,
    cluster: IntArray,
    processors: IntArray,
    speed: FloatArray,
    running: IntArray,
    now: float,
    room: int,
) -> Running:
    # Heap of the running jobs, with room to add others. Overdue ones end in a second.
    ends = np.empty(len(running) + room)
    holds = np.empty(len(running) + room, np.int64)
    for i in range(len(running)):
        job = running[i]
        end = start[job] + believed[job] / speed[cluster[job]]
        hold = (processors[job] << _BITS) | cluster[job]
        _push(ends, holds, i, end if end > now else now + 1.0, hold)
    return Running(ends, holds)


@jit
def run_ahead(
    free: FloatArray,
    speed: FloatArray,
    base: Running,
    running: int,
    ahead: Ahead,
    now: float,
    first: int,
    best_fit: bool,
    metric: int,
    scratch: Running,
) -> float:
    # Cost of starting the head on cluster `first`, as soon as it has room, and all
    # others in order by a greedy rule. Works on copies only.
    left = free.copy()
    ends, holds = scratch
    for i in range(running):
        ends[i], holds[i] = base.ends[i], base.holds[i]
    count, t, cost = running, now, 0.0
    clusters = len(speed)
    for k in range(len(ahead.arrive)):
        need = ahead.processors[k]
        t = max(t, ahead.arrive[k])
        while count > 0 and ends[0] <= t:
            left[holds[0] & ((1 << _BITS) - 1)] += holds[0] >> _BITS
            _pop(ends, holds, count)
            count -= 1
        while True:
            found = -1
            if k == 0:
                if left[first] >= need:
                    found = first
            else:
                for c in range(clusters):
                    if left[c] >= need and (
                        found < 0
                        or (
                            (
                                left[c] < left[found]
                                or (left[c] == left[found] and speed[c] > speed[found])
                            )
                            if best_fit
                            else (
                                speed[c] > speed[found]
                                or (speed[c] == speed[found] and left[c] < left[found])
                            )
                        )
                    ):
                        found = c
            if found >= 0:
                break
            t = ends[0]
            while count > 0 and ends[0] <= t:
                left[holds[0] & ((1 << _BITS) - 1)] += holds[0] >> _BITS
                _pop(ends, holds, count)
                count -= 1
        end = t + ahead.believed[k] / speed[found]
        left[found] -= need
        _push(ends, holds, count, end, (need << _BITS) | found)
        count += 1
        paid = cost_of(
            metric, ahead.arrive[k], t, end, ahead.believed[k], ahead.weight[k]
        )
        cost = max(cost, paid) if metric == MAKESPAN else cost + paid
    return cost


@jit
def decide(
    size: IntArray,
    speed: FloatArray,
    free: IntArray,
    base: Running,
    running: int,
    ahead: Ahead,
    now: float,
    candidates: IntArray,
    rollout: int,
    allow_wait: bool,
    metric: int,
    values: FloatArray,
) -> int:
    # The cheapest candidate; the earlier one on a tie. With `allow_wait` also every
    # busy cluster that is faster than it, returned as -2 - cluster.
    scratch = Running(np.empty(len(base.ends)), np.empty(len(base.ends), np.int64))
    left = free.astype(np.float64)
    choice, best = -1, np.inf
    need = ahead.processors[0]
    for turn in range(2 if allow_wait else 1):
        held = choice
        for i in range(len(candidates) if turn == 0 else len(size)):
            c = candidates[i] if turn == 0 else i
            if turn == 1 and (
                size[c] < need or free[c] >= need or speed[c] <= speed[held]
            ):
                continue
            value = np.inf
            for best_fit in range(2):
                if rollout in (best_fit, 2):
                    cost = run_ahead(
                        left, speed, base, running, ahead, now, c,
                        best_fit == 1, metric, scratch,
                    )  # fmt: skip
                    value = min(value, cost)
            values[c] = value
            if choice == -1 or value < best - _TIE * abs(best):
                choice, best = (c if turn == 0 else -2 - c), value
    return choice
