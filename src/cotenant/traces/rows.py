"""A table of numbers filled row by row: in memory, or on disk once it is large."""

import tempfile
from pathlib import Path

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.errors import InvalidInput

IN_MEMORY = 128 << 20  # bytes


class RowFile:
    """Rows that are put once each, in any order, and then read as one array.

    On disk it is a file without a name, so that nothing is left however the process
    ends; what has been read of it is memory that the system takes back when it is
    short of it.

    Parameters
    ----------
    shape
        Rows first.
    folder
        Where the file goes; None for the folder of temporary files.
    """

    def __init__(self, shape: tuple[int, ...], folder: Path | None = None) -> None:
        self._shape = shape
        self._left = np.ones(shape[0], np.bool_)
        self._row_bytes = 8 * int(np.prod(shape[1:]))
        self._file = None
        if shape[0] * self._row_bytes <= IN_MEMORY:
            self._all = np.full(shape, np.nan)
        else:
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115

    def put(self, at: IntArray, rows: FloatArray) -> None:
        """Set the rows at some places.

        Raises
        ------
        InvalidInput
            If the disk is full.
        """
        self._left[at] = False
        if self._file is None:
            self._all[at] = rows
            return
        try:
            for place, row in zip(at.tolist(), rows, strict=True):
                self._file.seek(place * self._row_bytes)
                self._file.write(np.ascontiguousarray(row).data)
            self._file.flush()
        except OSError as error:
            need = self._shape[0] * self._row_bytes / 2**30
            raise InvalidInput(
                f"cannot lay out {need:.1f} GiB of history in the folder for temporary "
                f"files ({error.strerror}); set TMPDIR to one with more room"
            ) from error

    def finish(self) -> FloatArray:
        """Return the table; rows that were not put are NaN."""
        if self._file is None:
            return self._all
        missing = np.flatnonzero(self._left)
        for place in missing:
            self.put(np.array([place]), np.full((1, *self._shape[1:]), np.nan))
        with self._file:
            return np.memmap(self._file, np.float64, "r", shape=self._shape)
