"""Read a small source of our own with one reader."""

from pathlib import Path

import polars as pl

from cotenant.traces.cleaning import Cleaning
from cotenant.traces.readers import READERS
from cotenant.traces.schema import Reading, ReadOptions
from cotenant.traces.source import open_source


def read(
    name: str, folder: Path, files: dict[str, str], options: ReadOptions | None = None
) -> tuple[pl.DataFrame, Reading]:
    """Lay the files into the folder and read it; all batches as one frame."""
    for file, text in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
    return read_paths(name, [folder], options)


def read_paths(
    name: str, paths: list[Path], options: ReadOptions | None = None
) -> tuple[pl.DataFrame, Reading]:
    with open_source([str(path) for path in paths]) as members:
        reading = Reading(members, options or ReadOptions(), Cleaning())
        batches = list(READERS[name].read(reading))
    return pl.concat(batches, how="diagonal"), reading


def recognised(folder: Path, files: dict[str, str]) -> str | None:
    """Return the first format that recognises the files."""
    for file, text in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
    with open_source([str(folder)]) as members:
        return next((n for n, r in READERS.items() if r.recognise(members)), None)
