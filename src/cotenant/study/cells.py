"""Cells of a study: run in parallel, each kept on disk as soon as it is done."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cotenant import __version__
from cotenant.errors import InvalidInput
from cotenant.study.copies import Copies, Files
from cotenant.workers import Where, completed, on_other_machines, open_workers, send

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


def check_parts(asked: Sequence[str], known: Sequence[str]) -> None:
    """Refuse a part that a study does not have, and name those it has."""
    for part in asked:
        if part not in known:
            raise InvalidInput(f"part is {part!r}; expected one of {', '.join(known)}")


def run_cells(
    function: Callable[[str], Value],
    cells: Sequence[str],
    kept: Kept,
    workers: Where,
    advance: Advance,
    files: Files | None = None,
) -> dict[str, Value]:
    """Return the values of all cells, running those that are not kept yet.

    Parameters
    ----------
    function
        Computes a cell from its text; has to be importable, for other processes.
    workers
        Who computes, see `open_workers`.
    files
        What cells read; workers on other machines get copies.
    """
    missing = [cell for cell in cells if cell not in kept.values]
    done = len(cells) - len(missing)
    with open_workers(workers, len(missing)) as opened:
        copies = None
        if files and on_other_machines(opened):
            copies = send(opened, Copies.of(files))
        for cell, value in completed(opened, _run, missing, function, copies):
            kept.keep(cell, value)
            done += 1
            advance(cell, done, len(cells))
    return {cell: kept.values[cell] for cell in cells}


def _run(cell: str, function: Callable[[str], Value], copies: Copies | None) -> Value:
    return function(cell if copies is None else copies.renamed(cell))
