"""Arrays with one row a machine that grow by doubling."""

import numpy as np

from cotenant.arrays import FloatArray


class Rows:
    """A float array `(machines, ...)` to which machines are added.

    Parameters
    ----------
    shape
        Shape of one machine's row; `()` for a number.
    """

    def __init__(self, *shape: int) -> None:
        self._data = np.zeros((4, *shape))
        self._count = 0

    def grow(self) -> None:
        """Add a row: of zeros, unless something was written to it in `allocated`."""
        if self._count == len(self._data):
            self.double()
        self._count += 1

    def double(self) -> None:
        """Allocate as many rows again, of zeros, and use none of them yet."""
        # Rows that were never written take no memory yet.
        more = np.zeros((2 * len(self._data), *self._data.shape[1:]))
        more[: len(self._data)] = self._data
        self._data = more

    def use(self, count: int) -> None:
        """Use the first so many of the allocated rows."""
        self._count = count

    def __len__(self) -> int:
        return self._count

    @property
    def all(self) -> FloatArray:
        """The rows in use, a view."""
        return self._data[: self._count]

    @property
    def allocated(self) -> FloatArray:
        """The rows in use and those kept for more, which are zeros at first."""
        return self._data
