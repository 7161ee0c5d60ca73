"""Machines in the order a rule prefers them, and how much room each has.

Room and need are numbers a test chooses, such that a machine with less room than a task
needs can be passed over unasked. First fit prefers low numbers; best fit prefers full
machines, low numbers among equally full ones. Machines stand in a row of levels, the
most preferred level first: their number for first fit, their fullness in steps for best
fit. A tree over the levels knows the most room below each of its nodes, so that finding
the next machine with room takes one walk up and down the tree.
"""

from typing import NamedTuple

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.kernels._jit import jit

NONE = -1
ANY = -1e300  # need of a task that every machine has to be asked about
EVERY = np.ones(0, np.bool_)  # allowed machines where all are


class Index(NamedTuple):
    """Levels `(levels,)`, their tree `(2 * levels,)` and machines `(machines,)`.

    `most[1]` is the root of the tree, `most[levels + k]` its leaf of level k. Machines
    of one level are linked in order of preference: `first` and `last` of a level,
    `after` and `before` of a machine.
    """

    best_fit: bool
    most: FloatArray
    first: IntArray
    last: IntArray
    after: IntArray
    before: IntArray
    level: IntArray
    room: FloatArray
    fullness: FloatArray


def make_index(machines: int, best_fit: bool) -> Index:
    """Return an index for machines numbered below `machines`, none in it yet."""
    levels = 1
    while levels < machines:
        levels *= 2
    none = [np.full(size, NONE, np.int64) for size in (levels,) * 2 + (machines,) * 3]
    first, last, after, before, level = none
    most, room = np.full(2 * levels, -np.inf), np.zeros(machines)
    links = (first, last, after, before, level)
    return Index(best_fit, most, *links, room, np.zeros(machines))


@jit
def put(index: Index, machine: int, fullness: float, room: float) -> None:
    # Puts a machine where it belongs now, new in the index or not.
    old, levels = index.level[machine], len(index.first)
    if not index.best_fit:
        level, fullness = machine, 0.0
    else:
        level = levels - 1 - min(int(fullness * levels), levels - 1)
    moves = old != level or index.fullness[machine] != fullness
    if moves and old != NONE:
        _unlink(index, machine)
    index.fullness[machine], index.room[machine] = fullness, room
    if moves:
        _link(index, machine, level)
        if old not in (NONE, level):
            _tell(index, old)
    _tell(index, level)


@jit
def following(index: Index, machine: int, need: float) -> int:
    # The machine preferred next after this one (NONE: the very first) that has room.
    levels, level = len(index.first), 0
    if machine != NONE:
        level = index.level[machine] + 1
        machine = index.after[machine]
        while machine != NONE and index.room[machine] < need:
            machine = index.after[machine]
        if machine != NONE or level == levels:
            return machine
    node = levels + level
    while index.most[node] < need:
        while node & 1:  # the last child of its parent, or the root
            node >>= 1
        if node == 0:
            return NONE
        node += 1
    while node < levels:
        node *= 2
        if index.most[node] < need:
            node += 1
    machine = index.first[node - levels]
    while index.room[machine] < need:
        machine = index.after[machine]
    return machine


@jit
def is_allowed(allowed: BoolArray, machine: int) -> bool:
    return len(allowed) == 0 or bool(allowed[machine])


@jit
def _tell(index: Index, level: int) -> None:
    # Tells the tree how much room a level has.
    most = -np.inf
    machine = index.first[level]
    while machine != NONE:
        most = max(most, index.room[machine])
        machine = index.after[machine]
    node = len(index.first) + level
    while node and index.most[node] != most:
        index.most[node] = most
        most = max(most, index.most[node ^ 1]) if node > 1 else most
        node >>= 1


@jit
def _link(index: Index, machine: int, level: int) -> None:
    # Looked up from the end: a machine just opened has the highest number.
    fullness, before = index.fullness[machine], index.last[level]
    while before != NONE and (
        index.fullness[before] < fullness
        or (index.fullness[before] == fullness and before > machine)
    ):
        before = index.before[before]
    after = index.first[level] if before == NONE else index.after[before]
    _join(index, level, before, machine)
    _join(index, level, machine, after)
    index.level[machine] = level


@jit
def _unlink(index: Index, machine: int) -> None:
    before, after = index.before[machine], index.after[machine]
    _join(index, index.level[machine], before, after)


@jit
def _join(index: Index, level: int, before: int, after: int) -> None:
    if before == NONE:
        index.first[level] = after
    else:
        index.after[before] = after
    if after == NONE:
        index.last[level] = before
    else:
        index.before[after] = before
