"""Samples of tasks laid onto a grid of equal cells, as `exact` needs them."""

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit

# Samples this close to a cell lie on it: decimals of a trace are not exact in binary.
_ON_CELL = 1e-7
# Samples beyond lie here: farther than any capacity, and a cell that has a number.
_FARTHEST = 2.0**40


@jit
def to_cells(
    offsets: IntArray,
    values: FloatArray,
    weights: FloatArray,
    width: float,
    slots: int,
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    # Values ascend within a slot, so the cell of a value is the last of its slot so
    # far, the last but one or a new one. Task t has in slot s the cells from
    # starts[t, s] to starts[t, s + 1].
    most = _most_cells(offsets, values, width)
    starts = np.zeros(((len(offsets) - 1) // slots, slots + 1), np.int64)
    cells, mass, pinned = np.empty(most, np.int64), np.zeros(most), np.zeros(most)
    count = 0
    for part in range(len(offsets) - 1):
        task, slot, first = part // slots, part % slots, count
        starts[task, slot] = first
        for i in range(offsets[part], offsets[part + 1]):
            place, weight = min(values[i] / width, _FARTHEST), weights[i]
            cell = int(np.floor(place + _ON_CELL))
            share, at = place - cell, count - 1
            if at >= first and cells[at] > cell:
                at -= 1
            if at < first or cells[at] < cell:
                at, count = count, count + 1
                cells[at] = cell
            if share < _ON_CELL:
                mass[at] += weight
                pinned[at] += weight
                continue
            mass[at] += weight * (1.0 - share)
            if at + 1 == count:
                cells[count] = cell + 1
                count += 1
            mass[at + 1] += weight * share
        starts[task, slot + 1] = count
    return starts, cells[:count].copy(), mass[:count].copy(), pinned[:count].copy()


@jit
def _most_cells(offsets: IntArray, values: FloatArray, width: float) -> int:
    # No less than the cells that values of all slots lie on or between.
    total = 0
    for slot in range(len(offsets) - 1):
        low, high = offsets[slot], offsets[slot + 1]
        if high > low:
            span = (values[high - 1] - values[low]) / width
            total += int(min(2.0 * (high - low), span + 3.0))
    return total


@jit
def overload_alone(
    offsets: IntArray, values: FloatArray, weights: FloatArray, capacity: float
) -> float:
    slots = len(offsets) - 1
    total = 0.0
    for slot in range(slots):
        for i in range(offsets[slot + 1] - 1, offsets[slot] - 1, -1):
            if values[i] <= capacity * (1.0 + 1e-12):
                break
            total += weights[i]
    return total / slots


@jit
def overloads_alone(
    bounds: IntArray,
    values: FloatArray,
    weights: FloatArray,
    capacity: float,
    slots: int,
) -> FloatArray:
    # The same for many tasks, with the bounds of all slots of all of them.
    result = np.empty((len(bounds) - 1) // slots)
    for task in range(len(result)):
        own = bounds[task * slots : (task + 1) * slots + 1]
        result[task] = overload_alone(own, values, weights, capacity)
    return result
