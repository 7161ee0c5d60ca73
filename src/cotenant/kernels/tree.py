"""Numbers in a row, and the first of them from a place on that is large enough.

A tree of sixteen children a node, two lines of memory beside each other, knows the
largest number below each of its nodes. It is laid out as a heap is: the children of the
root come first, those of the node at p from `16 * (p + 1)` on.
"""

from typing import NamedTuple

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.kernels._jit import jit_borrowing

NONE = -1
_CHILDREN = 16  # a power of two


class Tree(NamedTuple):
    """`most` of each node; the number at place k is `most[leaves + k]`."""

    most: FloatArray
    leaves: int


def make_tree(size: int) -> Tree:
    """Return a tree of so many numbers, all of them -inf."""
    leaves, level = 0, _CHILDREN
    while level < size:
        leaves += level
        level *= _CHILDREN
    size += -size % _CHILDREN
    return Tree(np.full(leaves + size, -np.inf), leaves)


@jit_borrowing
def first_from(tree: Tree, place: int, least: float) -> int:
    # The first place from this one on whose number is at least `least`, else NONE.
    node = 0 if place == 0 else _at_or_above(tree.leaves + place)
    if node == NONE:
        return NONE
    while tree.most[node] < least:
        node = _at_or_above(node + 1)
        if node == NONE:
            return NONE
    while node < tree.leaves:
        node = _CHILDREN * (node + 1)
        while tree.most[node] < least:
            node += 1
    return node - tree.leaves


@jit_borrowing
def write(tree: Tree, place: int, number: float) -> None:
    node = tree.leaves + place
    while True:
        before, tree.most[node] = tree.most[node], number
        parent = node // _CHILDREN - 1
        if parent < 0 or (before < tree.most[parent] and number <= tree.most[parent]):
            break
        first = node - node % _CHILDREN
        for child in range(first, first + _CHILDREN):
            number = max(number, tree.most[child])
        node = parent


@jit_borrowing
def _at_or_above(node: int) -> int:
    # Past the last child of a parent comes the node after the parent.
    while node % _CHILDREN == 0:
        node = node // _CHILDREN - 1
        if node <= 0:
            return NONE
    return node
