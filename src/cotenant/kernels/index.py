"""Machines in the order a rule prefers them, and how much room each has.

Room and need are numbers a test chooses, such that a machine with less room than a task
needs can be passed over unasked. First fit prefers low numbers; best fit prefers full
machines, low numbers among equally full ones. Machines stand in a row of levels, the
most preferred level first: their number for first fit, their fullness in steps for best
fit. A tree over the levels knows the most room in each.
"""

from typing import NamedTuple

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.kernels._jit import jit_borrowing
from cotenant.kernels.tree import NONE, Tree, first_from, make_tree, write

ANY = -1e300  # need of a task that every machine has to be asked about
EVERY = np.ones(0, np.bool_)  # allowed machines where all are


class Index(NamedTuple):
    """Machines `(machines,)` in as many levels; `most` room of each level.

    Machines of one level are linked in order of preference: `first` and `last` of a
    level, `after` and `before` of a machine. First fit, with a machine a level, has no
    use for links.
    """

    best_fit: bool
    most: Tree
    first: IntArray
    last: IntArray
    after: IntArray
    before: IntArray
    level: IntArray
    room: FloatArray
    fullness: FloatArray


def make_index(machines: int, best_fit: bool) -> Index:
    """Return an index for machines numbered below `machines`, none in it yet."""
    first, last, after, before, level = np.full((5, machines), NONE)
    room, fullness = np.zeros((2, machines))
    links = (first, last, after, before, level)
    return Index(best_fit, make_tree(machines), *links, room, fullness)


NO_INDEX = make_index(0, best_fit=False)


@jit_borrowing
def put(index: Index, machine: int, fullness: float, room: float) -> None:
    # Puts a machine where it belongs now, new in the index or not.
    if not index.best_fit:
        write(index.most, machine, room)
        return
    old, levels = index.level[machine], len(index.first)
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


@jit_borrowing
def following(index: Index, machine: int, need: float) -> int:
    # The machine preferred next after this one (NONE: the very first) that has room.
    if not index.best_fit:
        return first_from(index.most, machine + 1, need)
    level = 0
    if machine != NONE:
        level = index.level[machine] + 1
        machine = index.after[machine]
        while machine != NONE and index.room[machine] < need:
            machine = index.after[machine]
        if machine != NONE:
            return machine
    level = first_from(index.most, level, need)
    if level == NONE:
        return NONE
    machine = index.first[level]
    while index.room[machine] < need:
        machine = index.after[machine]
    return machine


@jit_borrowing
def is_allowed(allowed: BoolArray, machine: int) -> bool:
    return len(allowed) == 0 or bool(allowed[machine])


@jit_borrowing
def _tell(index: Index, level: int) -> None:
    # Tells the tree how much room a level has.
    most = -np.inf
    machine = index.first[level]
    while machine != NONE:
        most = max(most, index.room[machine])
        machine = index.after[machine]
    write(index.most, level, most)


@jit_borrowing
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


@jit_borrowing
def _unlink(index: Index, machine: int) -> None:
    before, after = index.before[machine], index.after[machine]
    _join(index, index.level[machine], before, after)


@jit_borrowing
def _join(index: Index, level: int, before: int, after: int) -> None:
    if before == NONE:
        index.first[level] = after
    else:
        index.after[before] = after
    if after == NONE:
        index.last[level] = before
    else:
        index.before[after] = before
