"""Machine load as a probability mass function on a grid of equal cells.

A grid has cells 0..G with capacity at G. `load[m, s, k]` is the probability that
machine m uses k cells in time-of-day slot s, `above[m, s]` that it uses more than G,
`pinned[m, s, k]` the part of `load` whose every contribution lay exactly on a cell, and
`pins[m, s]` is 0 once there is none.
Values between two cells are split linearly, which keeps the mean. Of the mass at G,
half of what was split counts as overload (the half-cell rule: second order in the cell
width), what is pinned does not, since usage equal to capacity is no overload. Overload
is the mean over slots.
"""

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit, jit_borrowing

SCRATCH = 3  # rows that `join` works in; zeros before it is first called


@jit
def beyond_of(
    starts: IntArray, cells: IntArray, mass: FloatArray, top: int
) -> tuple[IntArray, FloatArray]:
    # For each slot of a task, aligned with the last cells of a machine: how likely the
    # task brings a load in that cell above capacity, half of what it brings onto
    # capacity included. Summed from the far end, so that small tails keep their digits.
    slots = len(starts) - 1
    ends = np.zeros(slots + 1, np.int64)
    for slot in range(slots):
        ends[slot + 1] = ends[slot] + min(cells[starts[slot + 1] - 1], top) + 1
    beyond = np.empty(ends[slots])
    for slot in range(slots):
        total, i = 0.0, starts[slot + 1] - 1
        for at in range(ends[slot], ends[slot + 1]):
            cell = ends[slot + 1] - 1 - at
            while i >= starts[slot] and cells[i] > cell:
                total += mass[i]
                i -= 1
            onto = mass[i] if i >= starts[slot] and cells[i] == cell else 0.0
            beyond[at] = total + 0.5 * onto
    return ends, beyond


@jit_borrowing
def overload_on(
    load: FloatArray,
    pinned: FloatArray,
    pins: FloatArray,
    above: FloatArray,
    ends: IntArray,
    beyond: FloatArray,
    starts: IntArray,
    cells: IntArray,
    mass_pinned: FloatArray,
) -> float:
    # Pr[load + usage > capacity] on one machine, of a task as `beyond_of` has it.
    slots, size = load.shape
    total = 0.0
    for slot in range(slots):
        low, high = ends[slot], ends[slot + 1]
        total += above[slot] + _dot(load[slot, size - high + low :], beyond[low:high])
        if pins[slot] > 0.0:
            for i in range(starts[slot], starts[slot + 1]):
                if mass_pinned[i] > 0.0 and cells[i] < size:
                    total -= 0.5 * mass_pinned[i] * pinned[slot, size - 1 - cells[i]]
    # Rounding may leave a probability a hair outside [0, 1].
    return float(min(max(total / slots, 0.0), 1.0))


@jit_borrowing
def _dot(a: FloatArray, b: FloatArray) -> float:
    # Four sums side by side: none waits for an addition of another to end.
    w, x, y, z = 0.0, 0.0, 0.0, 0.0
    rest = len(a) % 4
    for i in range(rest):
        w += a[i] * b[i]
    for i in range(rest, len(a), 4):
        w += a[i] * b[i]
        x += a[i + 1] * b[i + 1]
        y += a[i + 2] * b[i + 2]
        z += a[i + 3] * b[i + 3]
    return (w + x) + (y + z)


@jit
def overload_with(
    load: FloatArray,
    pinned: FloatArray,
    pins: FloatArray,
    above: FloatArray,
    rows: IntArray,
    starts: IntArray,
    cells: IntArray,
    mass: FloatArray,
    mass_pinned: FloatArray,
) -> FloatArray:
    # The same on some machines, none of which is copied.
    ends, beyond = beyond_of(starts, cells, mass, load.shape[2] - 1)
    result = np.empty(len(rows))
    for k, m in enumerate(rows):
        task = (ends, beyond, starts, cells, mass_pinned)
        result[k] = overload_on(load[m], pinned[m], pins[m], above[m], *task)
    return result


@jit_borrowing
def join(
    load: FloatArray,
    pinned: FloatArray,
    pins: FloatArray,
    above: FloatArray,
    starts: IntArray,
    cells: IntArray,
    mass: FloatArray,
    mass_pinned: FloatArray,
    scratch: FloatArray,
) -> None:
    # Convolve one machine with one task, in place, slot by slot.
    for slot in range(len(load)):
        own = slice(starts[slot], starts[slot + 1])
        above[slot] += _pushed_above(load[slot], cells[own], mass[own])
        _spread(load[slot], cells[own], mass[own], scratch)
        if pins[slot] > 0.0 and mass_pinned[own].any():
            _spread(pinned[slot], cells[own], mass_pinned[own], scratch)
        elif pins[slot] > 0.0:
            pinned[slot], pins[slot] = 0.0, 0.0


@jit_borrowing
def _pushed_above(row: FloatArray, cells: IntArray, mass: FloatArray) -> float:
    pushed, total, k = 0.0, 0.0, len(row)
    for i in range(len(cells)):
        while k > max(len(row) - cells[i], 0):
            k -= 1
            total += row[k]
        pushed += mass[i] * total
    return pushed


@jit_borrowing
def _spread(
    row: FloatArray, cells: IntArray, mass: FloatArray, scratch: FloatArray
) -> None:
    # row[k] becomes the sum of mass[i] * row[k - cells[i]], i ascending. Four cells of
    # the task at a time, so that memory is passed a quarter as often. Zeros around the
    # row in `padded` spare the edges; where all is zero nothing is done.
    size, count, low, high = len(row), len(cells), 0, len(row)
    padded, result = scratch[: 2 * size], scratch[2 * size :]
    while low < high and row[low] == 0.0:
        low += 1
    while low < high and row[high - 1] == 0.0:
        high -= 1
    end = min(high + cells[count - 1], size)
    for k in range(low, high):
        padded[size + k] = row[k]
    result[low:end] = 0.0
    i, step = 0, 4
    while i < count and low + cells[i] < size:
        if i + 4 > count or low + cells[i + 3] >= size:
            step = 1
        first, until = cells[i], min(high + cells[i + step - 1], size)
        out, source = result[low + first : until], size + low + first
        a = padded[source - first :]
        if step == 1:
            for k in range(len(out)):
                out[k] += mass[i] * a[k]
        else:
            b = padded[source - cells[i + 1] :]
            c = padded[source - cells[i + 2] :]
            d = padded[source - cells[i + 3] :]
            wa, wb, wc, wd = mass[i], mass[i + 1], mass[i + 2], mass[i + 3]
            for k in range(len(out)):
                total = out[k] + wa * a[k]
                total += wb * b[k]
                total += wc * c[k]
                out[k] = total + wd * d[k]
        i += step
    for k in range(low, end):
        row[k] = result[k]
    padded[size + low : size + high] = 0.0


@jit_borrowing
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
    # in slot s the cells from starts[t, s] on; capacity is cell `size` - 1.
    result = np.empty(len(ends) - 1)
    load, pinned = np.empty((slots, size)), np.empty((slots, size))
    pins, above, scratch = np.empty(slots), np.empty(slots), np.zeros(SCRATCH * size)
    for machine in range(len(result)):
        load[:], pinned[:], pins[:], above[:] = 0.0, 0.0, 1.0, 0.0
        load[:, 0], pinned[:, 0] = 1.0, 1.0
        for at in range(ends[machine], ends[machine + 1]):
            own = starts[tasks[at]]
            join(load, pinned, pins, above, own, cells, mass, mass_pinned, scratch)
        result[machine] = overload_of(load, pinned, above)
    return result
