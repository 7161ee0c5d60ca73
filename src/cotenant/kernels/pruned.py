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

# Shares of a distribution between which its values share a column. More columns leave
# fewer machines to compute, and take longer to sweep.
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)

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
    # The sum over slots; their mean is the bound. Neighbours in the distribution share
    # one column, that of the lowest of them, until it stands for more than `_SHARES`.
    result = np.zeros(machines, np.float32)
    beyond = 0.0
    for slot in range(strict.shape[0]):
        i, end, below, share = starts[slot], starts[slot + 1], 0.0, 0
        while i < end:
            if cells[i] > top:
                beyond += mass[i]
                i += 1
                continue
            g, first = cells[i] // STEP, below
            while share < len(_SHARES) and below >= _SHARES[share]:
                share += 1
            until = _SHARES[share] if share < len(_SHARES) else np.inf
            while (
                i < end and cells[i] <= top and (below < until or cells[i] // STEP == g)
            ):
                below += mass[i]
                i += 1
            weight, row = np.float32(below - first), strict[slot, g]
            for m in range(machines):
                result[m] += weight * row[m]
    return result + np.float32(beyond)


@jit
def _before(m: int, n: int, preference: FloatArray) -> bool:
    # Whether the rule takes m rather than n; the lower number on a tie.
    if preference[m] != preference[n]:
        return bool(preference[m] > preference[n])
    return m < n


@jit
def _sink(heap: IntArray, size: int, at: int, preference: FloatArray) -> None:
    # Restores the order of a heap whose entry `at` may be too high.
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _before(heap[child + 1], heap[child], preference):
            child += 1
        if not _before(heap[child], heap[at], preference):
            return
        heap[at], heap[child] = heap[child], heap[at]
        at = child


@jit
def pick(
    strict: NDArray[np.float32],
    tail: FloatArray,
    pinned: FloatArray,
    count: FloatArray,
    peak: FloatArray,
    allowed: BoolArray,
    preference: FloatArray,
    starts: IntArray,
    cells: IntArray,
    mass: FloatArray,
    mass_pinned: FloatArray,
    maximum: float,
    alone: float,
    limit: float,
    rho: float,
    changed: IntArray,
    refused: IntArray,
    now: int,
) -> int:
    # The allowed machine of highest preference that fits, the lowest-numbered on a tie;
    # -1 if none. A machine whose peak with the task stays within `limit` fits for sure,
    # an empty one if the task fits alone. `refused` is when each machine refused such a
    # task, which stands until the machine has changed; it is brought up to date.
    machines, slots, top = tail.shape[0], tail.shape[1], tail.shape[2] - 1
    sure = -1
    for m in range(machines):
        fits = peak[m] + maximum <= limit or (count[m] == 0.0 and alone <= rho)
        if fits and allowed[m] and (sure < 0 or _before(m, sure, preference)):
            sure = m
    least = _least_overload(strict, machines, top, starts, cells, mass)
    bound = rho * slots * (1.0 + _RELATIVE) + _ABSOLUTE
    heap, size = np.empty(machines, np.int64), 0
    for m in range(machines):
        if (
            least[m] <= bound
            and allowed[m]
            and refused[m] < changed[m]
            and count[m] > 0.0
            and (sure < 0 or _before(m, sure, preference))
        ):
            heap[size] = m
            size += 1
    for at in range(size // 2 - 1, -1, -1):
        _sink(heap, size, at, preference)
    while size:
        m = heap[0]
        if _overload(tail[m], pinned[m], starts, cells, mass, mass_pinned) <= rho:
            return int(m)
        refused[m] = now
        size -= 1
        heap[0] = heap[size]
        _sink(heap, size, 0, preference)
    return sure


def empty_columns(slots: int, size: int, machines: int) -> NDArray[np.float32]:
    # `strict` for a grid of `size` cells, 0 included.
    shape: Any = (slots, (size - 1) // STEP + 1, machines)
    return np.zeros(shape, np.float32)
