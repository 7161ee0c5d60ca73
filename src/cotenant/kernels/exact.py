"""Machine load as a probability mass function on a grid of equal cells.

A grid has cells 0..G with capacity at G. `load[m, k]` is the probability that machine m
uses k cells, `above[m]` that it uses more than G, `pinned[m, k]` the part of
`load[m, k]` whose every contribution lay exactly on a cell. Values between two cells
are split linearly, which keeps the mean. Of the mass at G, half of what was split
counts as overload (the half-cell rule: second order in the cell width), what is pinned
does not, since usage equal to capacity is no overload.
"""

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit

# Samples this close to a cell lie on it: decimals of a trace are not exact in binary.
_ON_CELL = 1e-7


@jit
def to_cells(
    values: FloatArray, weights: FloatArray, width: float
) -> tuple[IntArray, FloatArray, FloatArray]:
    # Values ascend, so the cells written so far end at the last or the last but one.
    cells = np.empty(2 * len(values), np.int64)
    mass, pinned = np.zeros(2 * len(values)), np.zeros(2 * len(values))
    count = 0
    for i in range(len(values)):
        place, weight = values[i] / width, weights[i]
        cell = int(np.floor(place + _ON_CELL))
        share = place - cell
        on_cell = share < _ON_CELL
        for step in range(1 if on_cell else 2):
            at = count - 1
            while at >= 0 and cells[at] > cell + step:
                at -= 1
            if at < 0 or cells[at] != cell + step:
                at = count
                cells[at] = cell + step
                count += 1
            if on_cell:
                mass[at] += weight
                pinned[at] += weight
            else:
                mass[at] += weight * (share if step else 1.0 - share)
    return cells[:count].copy(), mass[:count].copy(), pinned[:count].copy()


@jit
def overload_alone(values: FloatArray, weights: FloatArray, capacity: float) -> float:
    total = 0.0
    for i in range(len(values) - 1, -1, -1):
        if values[i] <= capacity * (1.0 + 1e-12):
            break
        total += weights[i]
    return total


@jit
def overload_with(
    tail: FloatArray,
    pinned: FloatArray,
    cells: IntArray,
    mass: FloatArray,
    mass_pinned: FloatArray,
) -> FloatArray:
    # Pr[load + usage > capacity] for every machine: the dot product of the machine's
    # tail with the histogram of the task.
    machines, top = tail.shape[0], tail.shape[1] - 1
    result = np.zeros(machines)
    inside = 0
    beyond = 0.0
    for i in range(len(cells) - 1, -1, -1):
        if cells[i] <= top:
            inside = i + 1
            break
        beyond += mass[i]
    for machine in range(machines):
        total = beyond
        for i in range(inside):
            total += mass[i] * tail[machine, top - cells[i]]
        for i in range(inside):
            if mass_pinned[i] > 0.0:
                total -= 0.5 * mass_pinned[i] * pinned[machine, top - cells[i]]
        result[machine] = max(total, 0.0)
    return result


@jit
def join(
    load: FloatArray,
    pinned: FloatArray,
    above: float,
    cells: IntArray,
    mass: FloatArray,
    mass_pinned: FloatArray,
) -> float:
    # Convolve one machine with one task, in place; returns the new mass above capacity.
    size = len(load)
    new_load, new_pinned = np.zeros(size), np.zeros(size)
    new_above = above
    for i in range(len(cells)):
        cell = min(cells[i], size)
        for k in range(size - cell):
            new_load[k + cell] += mass[i] * load[k]
        spilled = 0.0
        for k in range(size - cell, size):
            spilled += load[k]
        new_above += mass[i] * spilled
        if mass_pinned[i] > 0.0:
            for k in range(size - cell):
                new_pinned[k + cell] += mass_pinned[i] * pinned[k]
    load[:] = new_load
    pinned[:] = new_pinned
    return new_above


@jit
def tail_of(load: FloatArray, above: float, tail: FloatArray) -> None:
    # Summed from the far end, so that small tails keep their digits.
    total = above
    for k in range(len(load) - 1, -1, -1):
        tail[k] = total + 0.5 * load[k]
        total += load[k]


@jit
def overload_of(load: FloatArray, pinned: FloatArray, above: float) -> float:
    split = max(load[-1] - pinned[-1], 0.0)
    return above + 0.5 * float(split)
