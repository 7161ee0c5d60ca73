"""Machine load as a probability mass function on a grid of equal cells.

A grid has cells 0..G with capacity at G. `load[m, s, k]` is the probability that
machine m uses k cells in time-of-day slot s, `above[m, s]` that it uses more than G,
`pinned[m, s, k]` the part of `load` whose every contribution lay exactly on a cell.
Values between two cells are split linearly, which keeps the mean. Of the mass at G,
half of what was split counts as overload (the half-cell rule: second order in the cell
width), what is pinned does not, since usage equal to capacity is no overload. Overload
is the mean over slots.
"""

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit

# Samples this close to a cell lie on it: decimals of a trace are not exact in binary.
_ON_CELL = 1e-7


@jit
def to_cells(
    offsets: IntArray, values: FloatArray, weights: FloatArray, width: float
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    # Values ascend within a slot, so the cell of a value is the last of its slot so
    # far, the last but one or a new one.
    slots, most = len(offsets) - 1, _most_cells(offsets, values, width)
    starts, cells = np.zeros(slots + 1, np.int64), np.empty(most, np.int64)
    mass, pinned = np.zeros(most), np.zeros(most)
    count = 0
    for slot in range(slots):
        first = count
        for i in range(offsets[slot], offsets[slot + 1]):
            place, weight = values[i] / width, weights[i]
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
        starts[slot + 1] = count
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


@jit
def overload_on(
    tail: FloatArray,
    pinned: FloatArray,
    starts: IntArray,
    cells: IntArray,
    mass: FloatArray,
    mass_pinned: FloatArray,
) -> float:
    # Pr[load + usage > capacity] on one machine: in each slot the dot product of its
    # tail with the histogram of the task.
    slots, top = tail.shape[0], tail.shape[1] - 1
    total = 0.0
    for slot in range(slots):
        for i in range(starts[slot], starts[slot + 1]):
            if cells[i] > top:
                total += mass[i]
                continue
            total += mass[i] * tail[slot, top - cells[i]]
            if mass_pinned[i] > 0.0:
                total -= 0.5 * mass_pinned[i] * pinned[slot, top - cells[i]]
    # Rounding may leave a probability a hair outside [0, 1].
    return float(min(max(total / slots, 0.0), 1.0))


@jit
def overload_with(
    tail: FloatArray,
    pinned: FloatArray,
    rows: IntArray,
    starts: IntArray,
    cells: IntArray,
    mass: FloatArray,
    mass_pinned: FloatArray,
) -> FloatArray:
    # The same on some machines, none of which is copied.
    result = np.empty(len(rows))
    for k, m in enumerate(rows):
        result[k] = overload_on(tail[m], pinned[m], starts, cells, mass, mass_pinned)
    return result


@jit
def _spread(
    row: FloatArray,
    padded: FloatArray,
    result: FloatArray,
    cells: IntArray,
    mass: FloatArray,
) -> None:
    # result[k] = the sum of mass[i] * row[k - cells[i]], i ascending; then into `row`.
    # Four cells at a time, so that memory is passed a quarter as often; a row padded
    # with zeros before its start spares the edges. Adding zeros changes no bit.
    size, count = len(row), len(cells)
    padded[size:] = row
    result[:] = 0.0
    weight, shift = np.zeros(4), np.zeros(4, np.int64)
    for i in range(0, count, 4):
        first = cells[i]
        if first >= size:
            break
        for n in range(4):
            inside = i + n < count and cells[i + n] < size
            weight[n] = mass[i + n] if inside else 0.0
            shift[n] = cells[i + n] - first if inside else 0
        end = 2 * size - first
        out, a = result[first:], padded[size - shift[0] : end - shift[0]]
        b = padded[size - shift[1] : end - shift[1]]
        c = padded[size - shift[2] : end - shift[2]]
        d = padded[size - shift[3] : end - shift[3]]
        wa, wb, wc, wd = weight[0], weight[1], weight[2], weight[3]
        for k in range(len(out)):
            total = out[k] + wa * a[k]
            total += wb * b[k]
            total += wc * c[k]
            out[k] = total + wd * d[k]
    row[:] = result


@jit
def join(
    load: FloatArray,
    pinned: FloatArray,
    above: FloatArray,
    starts: IntArray,
    cells: IntArray,
    mass: FloatArray,
    mass_pinned: FloatArray,
) -> None:
    # Convolve one machine with one task, in place, slot by slot.
    slots, size = load.shape
    padded, result = np.zeros(2 * size), np.empty(size)
    beyond = np.zeros(size + 1)  # mass from a cell on
    for slot in range(slots):
        own = slice(starts[slot], starts[slot + 1])
        for k in range(size - 1, -1, -1):
            beyond[k] = beyond[k + 1] + load[slot, k]
        for i in range(starts[slot], starts[slot + 1]):
            above[slot] += mass[i] * beyond[size - min(cells[i], size)]
        _spread(load[slot], padded, result, cells[own], mass[own])
        if mass_pinned[own].any():
            _spread(pinned[slot], padded, result, cells[own], mass_pinned[own])
        else:
            pinned[slot] = 0.0


@jit
def tail_of(load: FloatArray, above: FloatArray, tail: FloatArray) -> None:
    # Summed from the far end, so that small tails keep their digits.
    slots, size = load.shape
    for slot in range(slots):
        total = above[slot]
        for k in range(size - 1, -1, -1):
            tail[slot, k] = total + 0.5 * load[slot, k]
            total += load[slot, k]


@jit
def overload_of(load: FloatArray, pinned: FloatArray, above: FloatArray) -> float:
    slots, size = load.shape
    total = 0.0
    for slot in range(slots):
        split = max(load[slot, size - 1] - pinned[slot, size - 1], 0.0)
        total += above[slot] + 0.5 * split
    return float(min(total / slots, 1.0))


@jit
def overloads(
    starts: IntArray,
    cells: IntArray,
    mass: FloatArray,
    mass_pinned: FloatArray,
    tasks: IntArray,
    ends: IntArray,
    size: int,
    slots: int,
) -> FloatArray:
    # Overload of finished machines: machine m has tasks[ends[m] : ends[m + 1]], task t
    # the slots from starts[t * slots] on, capacity is cell `size` - 1.
    result = np.empty(len(ends) - 1)
    load, pinned = np.empty((slots, size)), np.empty((slots, size))
    above = np.empty(slots)
    for machine in range(len(result)):
        load[:], pinned[:], above[:] = 0.0, 0.0, 0.0
        load[:, 0], pinned[:, 0] = 1.0, 1.0
        for at in range(ends[machine], ends[machine + 1]):
            task = tasks[at]
            own = starts[task * slots : (task + 1) * slots + 1]
            join(load, pinned, above, own, cells, mass, mass_pinned)
        result[machine] = overload_of(load, pinned, above)
    return result
