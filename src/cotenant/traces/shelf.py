"""Arrays put away on disk, each read again whenever it is looked at."""

import os
import tempfile
from typing import Any, cast

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.errors import InvalidInput


class Shelf:
    """A file of arrays; it has no name, so nothing is left however the process ends."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._end = 0

    def put(self, array: FloatArray) -> FloatArray:
        """Put an array away and return what stands for it, see `Stored`.

        Raises
        ------
        InvalidInput
            If the disk is full.
        """
        try:
            self._file.write(np.ascontiguousarray(array, np.float64).data)
        except OSError as error:
            raise InvalidInput(
                "cannot keep usage in the folder for temporary files "
                f"({error.strerror}); set TMPDIR to one with more room"
            ) from error
        stored = Stored(self, self._end, len(array))
        self._end += 8 * len(array)
        return cast("FloatArray", stored)

    def read(self, start: int, count: int) -> FloatArray:
        """Return that many numbers from a place in the file, in bytes."""
        self._file.flush()
        data = os.pread(self._file.fileno(), 8 * count, start)
        return np.frombuffer(data, np.float64)

    def __del__(self) -> None:
        self._file.close()


class Stored:
    """A read-only vector on a shelf, for NumPy an array like others.

    Sent to another process it becomes an array in memory.
    """

    __slots__ = ("_count", "_shelf", "_start")

    def __init__(self, shelf: Shelf, start: int, count: int) -> None:
        self._shelf, self._start, self._count = shelf, start, count

    def __len__(self) -> int:
        return self._count

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        whole = self._shelf.read(self._start, self._count)
        return whole if dtype is None else whole.astype(dtype)

    def __getitem__(self, at: Any) -> Any:
        return np.asarray(self)[at]

    def __reduce__(self) -> tuple[Any, ...]:
        return np.array, (np.asarray(self),)
