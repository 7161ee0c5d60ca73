"""Tests of sums over a machine's tasks: levels, and packing by them through the index.

A machine keeps the sums of some numbers of its tasks; what level they amount to is a
matter of the law. It admits a task while its level, the task included, is within its
limit. Its room is what is left to the limit, and a task needs at least what it adds to
the level of any machine.
"""

import math
from typing import NamedTuple

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.kernels._jit import jit, jit_borrowing
from cotenant.kernels.corrected import cornish_fisher, shifted_gamma
from cotenant.kernels.index import ANY, EVERY, Index, following, is_allowed, put
from cotenant.kernels.tree import NONE

# Laws by how many numbers are summed: sizes; means and variances; four cumulants.
SIZES, NORMAL, CUMULANTS = 1, 2, 4
_ROUNDING = 1e-5  # of the limit, by which room and need may be wrong


class Load(NamedTuple):
    """What machines carry, a row each.

    `z` is how many standard deviations are kept free, `steady` as in `corrected`,
    `nothing` a row of zeros, `most` what few tasks exceed in each number.
    """

    law: int
    z: float
    steady: float
    nothing: FloatArray
    most: FloatArray
    capacity: FloatArray
    limit: FloatArray
    mean: FloatArray
    sums: FloatArray


@jit_borrowing
def level(load: Load, machine: int, add: FloatArray) -> float:
    # What a machine reaches with these numbers added.
    if load.law == SIZES:
        return float(load.sums[machine, 0] + add[0])
    mean, variance = load.sums[machine, 0] + add[0], load.sums[machine, 1] + add[1]
    spread = math.sqrt(variance)
    if load.law == NORMAL:
        return float(mean + load.z * spread)
    if variance <= 0.0:
        return float(mean)
    skew = (load.sums[machine, 2] + add[2]) / spread**3
    excess = (load.sums[machine, 3] + add[3]) / variance**2
    w = max(cornish_fisher(load.z, skew, excess), shifted_gamma(load.z, skew))
    return float(mean + spread * w)


@jit
def levels(load: Load, machines: int, add: FloatArray) -> FloatArray:
    result = np.empty(machines)
    for machine in range(machines):
        result[machine] = level(load, machine, add)
    return result


@jit_borrowing
def need(load: Load, add: FloatArray) -> float:
    # A variance more never lowers mean + z sd where z >= 0; else by z sd of it at most.
    if load.law == NORMAL and load.z < 0.0:
        return float(add[0] + load.z * math.sqrt(add[1]))
    # As `room` says.
    if load.law == CUMULANTS and not 0.0 <= add[2] <= load.most[2]:
        return ANY
    return float(add[0])


@jit_borrowing
def room(load: Load, machine: int) -> float:
    limit = load.limit[machine]
    slack = _ROUNDING * abs(limit)
    if load.law != CUMULANTS:
        return float(limit - level(load, machine, load.nothing) + slack)
    # The level is at least that of the gamma law. Where its skew is steady, and is so
    # with a task more, the task adds its mean at least. Other machines are asked.
    variance, third = load.sums[machine, 1], load.sums[machine, 2]
    half = 0.5 * load.steady * variance**1.5
    if not (0.0 <= third <= half and 0.0 < load.most[2] <= half):
        return math.inf
    w = shifted_gamma(load.z, third / variance**1.5)
    return float(limit - load.sums[machine, 0] - math.sqrt(variance) * w + slack)


@jit_borrowing
def note(index: Index, load: Load, machine: int) -> None:
    # Tells the index what a machine carries.
    fullness = load.mean[machine] / load.capacity[machine]
    put(index, machine, fullness, room(load, machine))


@jit_borrowing
def note_all(index: Index, load: Load, machines: int) -> None:
    for machine in range(machines):
        note(index, load, machine)


@jit_borrowing
def choose(index: Index, load: Load, add: FloatArray, allowed: BoolArray) -> int:
    # The machine the rule picks among the allowed ones (none given: all), else NONE.
    least = need(load, add)
    machine = following(index, NONE, least)
    while machine != NONE:
        fits = level(load, machine, add) <= load.limit[machine]
        if fits and is_allowed(allowed, machine):
            break
        machine = following(index, machine, least)
    return machine


@jit_borrowing
def put_on(load: Load, machine: int, add: FloatArray, mean: float) -> None:
    # The index is not told.
    for k in range(len(add)):
        load.sums[machine, k] += add[k]
    load.mean[machine] += mean


@jit_borrowing
def place(
    index: Index,
    load: Load,
    machines: int,
    first: int,
    numbers: FloatArray,
    means: FloatArray,
    where: IntArray,
) -> tuple[int, int]:
    # Puts tasks from `first` on, one after another, where the rule picks; NONE in
    # `where` for those that fit not even an empty machine. Rows of `load` from
    # `machines` on are empty and are opened in turn as they are needed. Stops where
    # they run out. Returns the next task and the machines then open.
    for task in range(first, len(where)):
        add = numbers[task]
        machine = choose(index, load, add, EVERY)
        if machine == NONE and machines == len(load.mean):
            return task, machines
        if machine == NONE and level(load, machines, add) <= load.limit[machines]:
            machine, machines = machines, machines + 1
        where[task] = machine
        if machine != NONE:
            put_on(load, machine, add, means[task])
            note(index, load, machine)
    return len(where), machines


@jit_borrowing
def rebalance(
    load: Load, last: int, numbers: FloatArray, means: FloatArray, where: IntArray
) -> None:
    # In rounds, each machine gives the last one the first of its tasks that fits there.
    # Tasks of a machine are in the order they joined, which is that of their numbers:
    # nothing joins a machine but the last, and that one gives nothing. `load` has the
    # last machine alone, in its row 0.
    moved = True
    while moved:
        moved = False
        for giver in range(last):
            for task in range(len(where)):
                if where[task] != giver:
                    continue
                if level(load, 0, numbers[task]) <= load.limit[0]:
                    put_on(load, 0, numbers[task], means[task])
                    where[task] = last
                    moved = True
                    break
