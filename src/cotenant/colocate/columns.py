"""What picking a machine keeps of a pool of machines, brought up to date when asked."""

from collections import OrderedDict

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels.pruned import empty_columns, note

REMEMBERED = 16
"""Kinds of task whose refusals are remembered, the latest ones."""


class Columns:
    """Columns of tails, and which machine refused what since it changed.

    Attributes
    ----------
    strict
        As in `kernels.pruned`.
    changed
        `(machines,)` when each was brought up to date last, as a count of those times.
    now
        The latest of these times.
    """

    def __init__(self) -> None:
        self.strict = np.zeros((0, 0, 0), np.float32)
        self.changed: IntArray = np.zeros(0, np.int64)
        self.now = 0
        self._dirty: set[int] = set()
        self._refused: OrderedDict[bytes, IntArray] = OrderedDict()

    def touch(self, *rows: int) -> None:
        """Note that machines have changed."""
        self._dirty.update(rows)

    def follow(self, load: FloatArray, tail: FloatArray) -> None:
        """Bring machines up to date: `(machines, slots, cells)`."""
        if not self._dirty:
            return
        machines, slots, size = load.shape
        if len(self.changed) < machines:
            self.strict = empty_columns(slots, size, 2 * machines)
            self.changed = np.zeros(2 * machines, np.int64)
            self._refused.clear()
            self._dirty.update(range(machines))
        rows = np.fromiter(self._dirty, np.int64)
        note(load, tail, rows, self.strict)
        self.now += 1
        self.changed[rows] = self.now
        self._dirty.clear()

    def refused(self, kind: bytes) -> IntArray:
        """Return when each machine refused a kind of task; 0 if never."""
        found = self._refused.pop(kind, None)
        if found is None:
            found = np.zeros(len(self.changed), np.int64)
        self._refused[kind] = found
        if len(self._refused) > REMEMBERED:
            self._refused.popitem(last=False)
        return found
