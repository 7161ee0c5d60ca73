"""Finds the preferred machine that takes a task without judging every machine.

Arrays are those of `exact`. `strict[s, g, m]` is the probability that machine m uses
more than G - STEP * g cells in slot s, in short floats and with machines next to each
other: a task rounded down to multiples of STEP cells then has its overload bounded from
below on all machines in one sweep through memory. What the bound leaves open is
computed in the order of `exact.overload_with`, so that its bits and therefore the
decision are the same.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.kernels._jit import jit

STEP = 4

# Above the rounding of a few hundred short floats.
_RELATIVE, _ABSOLUTE = 1e-4, 1e-9


@jit
def note(
    load: FloatArray,
    tail: FloatArray,
    rows: IntArray,
    strict: NDArray[np.float32],
) -> None:
    # Brings the columns of some machines up to date.
    slots, top = load.shape[1], load.shape[2] - 1
    for row in rows:
        for slot in range(slots):
            for g in range(strict.shape[1]):
                at = top - STEP * g
                value = tail[row, slot, at] - 0.5 * load[row, slot, at]
                strict[slot, g, row] = np.float32(value)


@jit
def _overload(
    tail: FloatArray,
    pinned: FloatArray,
    starts: IntArray,
    cells: IntArray,
    mass: FloatArray,
    mass_pinned: FloatArray,
) -> float:
    slots, top = tail.shape[0], tail.shape[1] - 1
    total = 0.0
    for slot in range(slots):
        for i in range(starts[slot], starts[slot + 1]):
            if cells[i] > top:
                total += mass[i]
                continue
            total += mass[i] * tail[slot, top - cells[i]]
            if mass_pinned[i] > 0.0:
                at_top = pinned[slot, top - cells[i]]
                total -= 0.5 * mass_pinned[i] * at_top
    return float(min(max(total / slots, 0.0), 1.0))


@jit
def _least_overload(
    strict: NDArray[np.float32],
    machines: int,
    top: int,
    starts: IntArray,
    cells: IntArray,
    mass: FloatArray,
) -> NDArray[np.float32]:
    # The sum over slots; their mean is the bound.
    result = np.zeros(machines, np.float32)
    beyond = 0.0
    for slot in range(strict.shape[0]):
        i, end = starts[slot], starts[slot + 1]
        while i < end:
            if cells[i] > top:
                beyond += mass[i]
                i += 1
                continue
            g, rounded = cells[i] // STEP, 0.0
            while i < end and cells[i] <= top and cells[i] // STEP == g:
                rounded += mass[i]
                i += 1
            weight, row = np.float32(rounded), strict[slot, g]
            for m in range(machines):
                result[m] += weight * row[m]
    return result + np.float32(beyond)


@jit
def pick(
    strict: NDArray[np.float32],
    tail: FloatArray,
    pinned: FloatArray,
    count: FloatArray,
    allowed: BoolArray,
    preference: FloatArray,
    starts: IntArray,
    cells: IntArray,
    mass: FloatArray,
    mass_pinned: FloatArray,
    alone: float,
    rho: float,
) -> int:
    # The allowed machine of highest preference that fits, the lowest-numbered on a tie;
    # -1 if none.
    machines, slots, top = tail.shape[0], tail.shape[1], tail.shape[2] - 1
    least = _least_overload(strict, machines, top, starts, cells, mass)
    limit = rho * slots * (1.0 + _RELATIVE) + _ABSOLUTE
    open_ones, number = np.empty(machines, np.int64), 0
    for m in range(machines):
        fits = alone <= rho if count[m] == 0.0 else least[m] <= limit
        if allowed[m] and fits:
            open_ones[number] = m
            number += 1
    while number:
        best = 0
        for i in range(1, number):
            if preference[open_ones[i]] > preference[open_ones[best]]:
                best = i
        m = open_ones[best]
        if count[m] == 0.0:
            return int(m)
        if _overload(tail[m], pinned[m], starts, cells, mass, mass_pinned) <= rho:
            return int(m)
        # Keeps the order, so that ties still go to the lowest-numbered machine.
        number -= 1
        for i in range(best, number):
            open_ones[i] = open_ones[i + 1]
    return -1


def empty_columns(slots: int, size: int, machines: int) -> NDArray[np.float32]:
    # `strict` for a grid of `size` cells, 0 included.
    shape: Any = (slots, (size - 1) // STEP + 1, machines)
    return np.zeros(shape, np.float32)
