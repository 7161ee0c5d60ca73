"""Cells of a study: run in parallel, each kept on disk as soon as it is done."""

import json
import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from cotenant import __version__
from cotenant.errors import InvalidInput

Value = Mapping[str, Any]
Advance = Callable[[str, int, int], None]


class Kept:
    """Values of cells in a file of JSON lines; what is in it is not run again.

    Lines of another version are ignored, and so is a last line that was cut short.

    Parameters
    ----------
    file
        None to keep nothing.
    version
        Of all that a value depends on besides its cell.
    """

    def __init__(self, file: Path | None, version: str = __version__) -> None:
        self._file = file
        self._version = version
        self.values: dict[str, Value] = {}
        if file is not None and file.exists():
            for line in file.read_text("utf-8").splitlines():
                try:
                    entry = json.loads(line)
                except json.JSONDecodeError:
                    continue
                if entry.get("version") == version:
                    self.values[entry["cell"]] = entry["value"]

    def keep(self, cell: str, value: Value) -> None:
        """Remember the value of a cell, on disk too."""
        self.values[cell] = value
        if self._file is None:
            return
        entry = {"cell": cell, "version": self._version, "value": value}
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(entry) + "\n")
        except OSError as error:
            raise InvalidInput(
                f"cannot write {self._file}: {error.strerror}"
            ) from error


def run_cells(
    function: Callable[[str], Value],
    cells: Sequence[str],
    kept: Kept,
    processes: int,
    advance: Advance,
) -> dict[str, Value]:
    """Return the values of all cells, running those that are not kept yet.

    Parameters
    ----------
    function
        Computes a cell from its text; has to be importable, for other processes. With
        one process it is called in this one.
    """
    if processes < 1:
        raise InvalidInput(f"processes is {processes}; expected 1 or more")
    missing = [cell for cell in cells if cell not in kept.values]
    done = len(cells) - len(missing)
    if processes == 1:
        for cell in missing:
            kept.keep(cell, function(cell))
            done += 1
            advance(cell, done, len(cells))
        return {cell: kept.values[cell] for cell in cells}
    # A fresh interpreter each: threads of other libraries do not survive a fork.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        futures = {pool.submit(function, cell): cell for cell in missing}
        try:
            for future in as_completed(futures):
                kept.keep(futures[future], future.result())
                done += 1
                advance(futures[future], done, len(cells))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return {cell: kept.values[cell] for cell in cells}
