"""How the adversary got there: the choices behind a window, and the time they grant."""

import math

import numpy as np

from cotenant.arrays import IntArray
from cotenant.kernels import misses as kernels

Terms = tuple[int, int, int, int, int, int]

# Entries of the record held at once.
_RECORDED = 2**22


def grants(terms: Terms, window: tuple[int, int, int]) -> list[tuple[int, int]]:
    """Return where and how much is granted in a window with the most misses.

    Parameters
    ----------
    terms
        Budget, period, misses and window of the offered SLA, then budget and period of
        the required one.
    window
        Start, end, and the number of misses that is enough.

    Returns
    -------
    One pair for each stretch between two boundaries of either grid: its first slot, and
    how many slots are granted from there on.
    """
    budget, period, _, _, need, length = terms
    start, end, _ = window
    edges = _edges(start, end, period, length)
    owed, room, granted = max(0, budget - start % period), 0, []
    for i, (missed, declared) in enumerate(_choices(terms, window, edges)):
        position = edges[i]
        if position % period == 0:
            owed = budget
        if (position - start) % length == 0:
            room = need - 1 if declared else kernels.NO_CAP
        given = 0 if missed else min(owed, edges[i + 1] - position, room)
        owed, room = owed - given, room - given
        granted.append((position, given))
    return granted


def _edges(start: int, end: int, period: int, length: int) -> list[int]:
    ours = range(start, end + 1, length)
    theirs = range(start - start % period + period, end, period)
    return sorted({*ours, *theirs})


def _choices(
    terms: Terms, window: tuple[int, int, int], edges: list[int]
) -> list[tuple[bool, bool]]:
    """Return for each stretch whether it is in a missed, in a declared period."""
    budget, period, misses, _, _, length = terms
    start = window[0]
    shape = (kernels.size_for(period, length), misses + 1)
    rows = max(1, min(len(edges), _RECORDED // math.prod(shape)))
    record = np.zeros((rows, *shape, 2), dtype=np.int64)
    level = np.zeros(shape, dtype=np.int64)
    value = np.zeros((*shape, 2), dtype=np.int64)
    kernels.begin(budget, period, start, level, value)
    # What led to the end is recorded piece by piece, from saved states: the record of a
    # long window would not fit in memory.
    saved = []
    for first in range(0, len(edges) - 1, rows):
        saved.append((first, level.copy(), value.copy()))
        kernels.sweep(terms, window, edges[first], level, value, record)
    at = _end_cell(level, value)
    choices: list[tuple[bool, bool]] = []
    for first, level, value in reversed(saved):
        kernels.sweep(terms, window, edges[first], level, value, record)
        last = min(first + rows, len(edges) - 1)
        for i in range(last - 1, first - 1, -1):
            k, d, slot = at
            code = int(record[i - first, k % shape[0], d, slot])
            declared, missed = bool(code & 1), bool(code & 2)
            begins = (edges[i] - start) % length == 0
            at = (k - (declared and begins), code >> 3, code >> 2 & 1)
            choices.append((missed, declared))
    return choices[::-1]


def _end_cell(level: IntArray, value: IntArray) -> tuple[int, int, int]:
    k = int(level.max())
    _, d, slot = np.argwhere((level == k)[:, :, None] & (value >= 0))[0]
    return k, int(d), int(slot)
