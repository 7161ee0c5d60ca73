"""The most periods one supply can make another miss, by dynamic programming.

One window of required periods is swept from its start to its end; at every boundary of
either grid the adversary chooses. An offered period is met (it owes `budget`) or missed
(it owes nothing, which is never worse for the adversary than a part of the budget).
A required period is declared missed (it takes at most `need - 1`) or not (it takes
anything). Given the choices, granting owed time as early as the caps allow is best. So
at a boundary of required periods only what is still owed matters, the less the better;
at a boundary of offered periods only the room below the cap, the more the better.

A cell stands for k declared periods and d misses in the open window of offered ones:
`level[k % size, d]` is k, or -1. `value[k % size, d, j]` is, at a boundary of offered
periods, the room of the required period at hand, declared (j = 1) or not; at one of
required periods, what the offered period at hand still owes, missed (j = 1) or not; at
one of both, 0 (j = 0); -1 where it cannot be. Of two cells whose k differ by `size` the
lower may go: whoever declared so many more can stop declaring until the next boundary
of offered periods, and is still ahead there, whatever the other did.

`terms` are budget, period, misses and window of the offered SLA, then budget and period
of the required one; `window` is the start, the end, and the highest k of interest.
"""

import numpy as np

from cotenant.arrays import IntArray
from cotenant.kernels._jit import jit

NO_CAP = 1 << 62


@jit
def size_for(period: int, length: int) -> int:
    # Required periods that may begin inside one offered period, and one on each side.
    return -(-period // length) + 2


@jit
def begin(
    budget: int, period: int, start: int, level: IntArray, value: IntArray
) -> None:
    level[:] = -1
    value[:] = -1
    level[0, 0] = 0
    # What lies before the window was granted in full: less is owed inside.
    inside = start % period
    value[0, 0, 0] = max(0, budget - inside) if inside else 0
    if inside and level.shape[1] > 1:
        level[0, 1] = 0
        value[0, 1, 1] = 0


@jit
def _put(
    level: IntArray, value: IntArray, k: int, d: int, j: int, worth: int, sign: int
) -> bool:
    at = k % level.shape[0]
    if level[at, d] > k:
        return False
    if level[at, d] < k:
        level[at, d] = k
        value[at, d] = -1
    old = value[at, d, j]
    if old >= 0 and sign * old >= sign * worth:
        return False
    value[at, d, j] = worth
    return True


@jit
def _pass(level: IntArray, value: IntArray, budget: int) -> None:
    # One offered period inside one required period, in place: met it takes `budget` of
    # the room, missed it adds one to d.
    size, depth = level.shape
    for at in range(size):
        for d in range(depth - 1, -1, -1):
            if value[at, d, 1] >= 0:
                value[at, d, 1] = max(value[at, d, 1] - budget, -1)
            if d == 0 or level[at, d - 1] < max(level[at, d], 0):
                continue
            if level[at, d - 1] > level[at, d]:
                level[at, d] = level[at, d - 1]
                value[at, d] = -1
            value[at, d, 0] = max(value[at, d, 0], value[at, d - 1, 0])
            value[at, d, 1] = max(value[at, d, 1], value[at, d - 1, 1])


@jit
def _segment(
    terms: tuple[int, int, int, int, int, int],
    bounds: tuple[int, int, int],
    most: int,
    level: IntArray,
    value: IntArray,
    onto_level: IntArray,
    onto_value: IntArray,
    came: IntArray,
) -> None:
    # Every choice of every cell at `position`, and what it comes to at the next
    # boundary. `came` tells from which cell and by which choices, unless it is empty.
    budget, period, _, cycle, need, length = terms
    position, offered, required = bounds
    at_offered, at_required = (
        offered - position == period,
        required - position == length,
    )
    renewed = at_offered and position % (period * cycle) == 0
    here = min(offered, required)
    misses, declarations = 2 if at_offered else 1, 2 if at_required else 1
    size, depth = level.shape
    onto_level[:] = -1
    for cell in range(2 * size * depth):
        at, d, j = cell // (2 * depth), cell // 2 % depth, cell % 2
        if level[at, d] < 0 or value[at, d, j] < 0:
            continue
        for choice in range(misses * declarations):
            miss = choice % 2 if at_offered else j
            declare = choice // misses if at_required else j
            to = miss if renewed else d + miss if at_offered else d
            k = level[at, d] + (declare if at_required else 0)
            if to >= depth or k > most:
                continue
            owed = (0 if miss else budget) if at_offered else value[at, d, j]
            room = value[at, d, j]
            if at_required:
                room = need - 1 if declare else NO_CAP
            granted = min(owed, here - position, room)
            if owed - granted > offered - here:
                continue
            if here < offered:
                slot, worth, sign = miss, owed - granted, -1
            elif here < required:
                slot, worth, sign = declare, room - granted, 1
            else:
                slot, worth, sign = 0, 0, 1
            if _put(onto_level, onto_value, k, to, slot, worth, sign) and len(came):
                came[k % size, to, slot] = 4 * (2 * d + j) + 2 * miss + declare


@jit
def sweep(
    terms: tuple[int, int, int, int, int, int],
    window: tuple[int, int, int],
    position: int,
    level: IntArray,
    value: IntArray,
    record: IntArray,
) -> int:
    # Runs over as many segments as `record` has rows, or to the end where it has none;
    # returns where it stopped.
    budget, period, _, cycle, _, length = terms
    start, end, most = window
    onto_level, onto_value = np.empty_like(level), np.empty_like(value)
    steps, step = len(record), 0
    unrecorded = np.empty((0, level.shape[1], 2), np.int64)
    while position < end and (steps == 0 or step < steps):
        offered = position - position % period + period
        required = position - (position - start) % length + length
        inside = offered - position == period and offered < required < position + length
        if inside and position % (period * cycle) and not steps:
            _pass(level, value, budget)
        else:
            _segment(
                terms,
                (position, offered, required),
                most,
                level,
                value,
                onto_level,
                onto_value,
                record[step] if steps else unrecorded,
            )
            level[:], value[:] = onto_level, onto_value
        position = min(offered, required)
        step += 1
    return position


@jit
def worst(
    terms: tuple[int, int, int, int, int, int],
    count: int,
    most: int,
    phases: tuple[int, int, int],
) -> tuple[int, int]:
    # The most misses of `count` required periods that start at first, first + step, ...
    # before last, and where; stops at `most`.
    first, last, step = phases
    size = size_for(terms[1], terms[5])
    level = np.empty((size, terms[2] + 1), np.int64)
    value = np.empty((size, terms[2] + 1, 2), np.int64)
    record = np.empty((0, size, terms[2] + 1, 2), np.int64)
    best, where = -1, first
    for start in range(first, last, step):
        begin(terms[0], terms[1], start, level, value)
        window = (start, start + count * terms[5], most)
        sweep(terms, window, start, level, value, record)
        if level.max() > best:
            best, where = level.max(), start
        if best >= most:
            break
    return best, where
