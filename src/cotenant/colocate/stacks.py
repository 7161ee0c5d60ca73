"""Arrays with one row a machine that grow by doubling."""

import numpy as np

from cotenant.arrays import FloatArray


class Rows:
    """A float array `(machines, ...)` to which machines are added one by one.

    Parameters
    ----------
    shape
        Shape of one machine's row; `()` for a number.
    """

    def __init__(self, *shape: int) -> None:
        self._data = np.zeros((4, *shape))
        self._count = 0

    def grow(self) -> None:
        """Add a row of zeros."""
        if self._count == len(self._data):
            self._data = np.concatenate([self._data, np.zeros_like(self._data)])
        self._count += 1

    def __len__(self) -> int:
        return self._count

    @property
    def all(self) -> FloatArray:
        """The rows in use, a view."""
        return self._data[: self._count]
