"""Finished pieces of an import, kept so that an interrupted one goes on from them."""

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import polars as pl

from cotenant.errors import InvalidInput
from cotenant.traces.cleaning import Cleaning
from cotenant.traces.intake import Rows
from cotenant.traces.pieces import Piece
from cotenant.traces.reduction import Reduced

_WHAT = "source.json"
_DONE = ".piece.json"


class Kept:
    """A folder of finished pieces.

    A piece counts as finished once its JSON file is there, which is written last.
    Pieces of another source, of other options or another version are thrown away.

    Parameters
    ----------
    folder
        Its parent must be there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.found = 0
        self._in_use = False

    def open(self, pieces: Sequence[Piece], stamp: Sequence[object]) -> None:
        """Take what a run before has left; `found` tells how many pieces that are.

        Parameters
        ----------
        stamp
            Names, sizes and times of change of the files of the source.

        Raises
        ------
        InvalidInput
            If nothing can be written there.
        """
        what = _describe(pieces, stamp)
        self._in_use = True
        try:
            if not _is(self.folder / _WHAT, what):
                self.remove()
                self.folder.mkdir()
                (self.folder / _WHAT).write_text(what)
        except OSError as error:
            problem = f"cannot keep pieces in {self.folder}: {error.strerror}"
            raise InvalidInput(problem) from error
        self.found = self.finished()

    def finished(self) -> int:
        """Return how many pieces are finished by now."""
        return len(list(self.folder.glob(f"*{_DONE}")))

    def load(self, number: int) -> Reduced | None:
        """Return a finished piece, if it is one."""
        stem = self._stem(number)
        try:
            told = json.loads(stem.with_suffix(_DONE).read_text())
        except FileNotFoundError:
            return None
        files = {
            int(partition): [self.folder / name for name in names]
            for partition, names in told["files"].items()
        }
        rows = Rows(
            pl.read_ipc(stem.with_suffix(".names.arrow"))["task"],
            pl.read_ipc(stem.with_suffix(".attributes.arrow")),
            [],
            files,
        )
        return Reduced(rows, _cleaning(told["cleaning"]), told["unit"], told["lines"])

    def save(self, number: int, found: Reduced) -> None:
        """Keep a finished piece, whose rows are in this folder already."""
        stem = self._stem(number)
        found.rows.names.alias("task").to_frame().write_ipc(
            stem.with_suffix(".names.arrow")
        )
        found.rows.attributes.write_ipc(stem.with_suffix(".attributes.arrow"))
        told = {
            "files": {
                partition: [file.name for file in files]
                for partition, files in found.rows.files.items()
            },
            "cleaning": {
                field.name: getattr(found.cleaning, field.name)
                for field in fields(found.cleaning)
            },
            "unit": found.unit,
            "lines": found.lines,
        }
        unfinished = stem.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(told))
        unfinished.replace(stem.with_suffix(_DONE))

    def remove(self) -> None:
        """Throw everything away, unless it was not opened."""
        if self._in_use:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _stem(self, number: int) -> Path:
        return self.folder / f"{number:06d}"


def _describe(pieces: Sequence[Piece], stamp: Sequence[object]) -> str:
    from importlib.metadata import version

    what = {
        "versions": [version("cotenant"), pl.__version__],
        "format": pieces[0].format,
        "options": asdict(pieces[0].options),
        "stamp": list(stamp),
        "pieces": [[(m.name, m.start, m.size) for m in p.members] for p in pieces],
    }
    return json.dumps(what, indent=1)


def _is(file: Path, text: str) -> bool:
    return file.exists() and file.read_text() == text


def _cleaning(told: dict[str, Any]) -> Cleaning:
    for name in ("dropped", "repaired", "tasks_dropped"):
        told[name] = Counter(told[name])
    told["examples"] = {k: tuple(v) for k, v in told["examples"].items()}
    return Cleaning(**told)
