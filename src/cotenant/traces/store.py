"""Rows of all pieces, put together and sorted, one partition at a time."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from cotenant.traces.cleaning import Cleaning
from cotenant.traces.intake import CODE, PARTITIONS, VALUES, Rows, one_row_a_task
from cotenant.traces.lock import mark, remove_abandoned
from cotenant.traces.names import Names
from cotenant.traces.order import by_code, by_time, repeats, rises
from cotenant.workers import completed, open_workers, send

Codes: TypeAlias = npt.NDArray[np.uint32]
_PREFIX = "cotenant-"


class Scratch:
    """A folder for parts on disk, removed when nothing refers to it any more.

    Folders of processes that were killed are removed first.
    """

    def __init__(self, within: Path | None = None) -> None:
        remove_abandoned(Path(within or tempfile.gettempdir()), _PREFIX)
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=within))
        weakref.finalize(self, _remove, self.path, mark(self.path))


def _remove(folder: Path, lock: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(lock)


@dataclass(slots=True)
class Store:
    """All samples of a trace, sorted by task and time, in parts that fit in memory.

    A task lies in one part as a whole, so that every statistic of it is exact however
    large the trace is.

    Parameters
    ----------
    names
        Task names; a task's code is its place here.
    attributes
        One row a task that has any: `code` and what describes the task.
    frames
        Parts that are in memory.
    files
        Parts that are on disk.
    scratch
        Their folder, kept as long as the store.
    """

    names: list[str]
    attributes: pl.DataFrame
    frames: list[pl.DataFrame]
    files: list[Path]
    scratch: Scratch | None

    def __len__(self) -> int:
        return len(self.frames) + len(self.files)

    def schema(self) -> dict[str, pl.DataType]:
        """Return the columns that are in any part."""
        columns: dict[str, pl.DataType] = {CODE: pl.UInt32()}
        for frame in self.frames:
            columns |= frame.schema
        for file in self.files:
            columns |= pl.read_ipc_schema(file)
        return columns

    def parts(self) -> Iterator[pl.DataFrame]:
        """Yield `code`, `time` and the value columns, sorted by code and time."""
        yield from self.frames
        for file in self.files:
            yield pl.read_ipc(file)


def merge(
    pieces: Sequence[Rows],
    cleaning: Cleaning,
    scratch: Scratch,
    step: Callable[[str, int, int], None] = lambda what, done, total: None,
    workers: Executor | None = None,
) -> Store:
    """Put the rows of all pieces together; codes follow the order of the pieces.

    Of several rows of one task at one time the largest value counts; the others are
    counted in `cleaning`. Workers, where there are any, sort a partition at a time.
    """
    names = Names()
    codes = [
        names.number(p.names.cast(pl.Categorical)).astype(np.uint32) for p in pieces
    ]
    described = [
        _recoded(p.attributes, c)
        for p, c in zip(pieces, codes, strict=True)
        if p.attributes.width > 1
    ]
    store = Store(names.all().to_list(), one_row_a_task(described), [], [], scratch)
    if not any(p.files for p in pieces):
        frames = [
            _recoded(f, c) for p, c in zip(pieces, codes, strict=True) for f in p.frames
        ]
        if frames:
            rows, again = in_order(pl.concat(frames, how="diagonal"))
            cleaning.drop("duplicate", again)
            store.frames.append(rows)
        return store
    parts = [
        Partition(files, (scratch.path / f"part-{number:02d}.arrow").absolute())
        for number in range(PARTITIONS)
        if any(files := [p.files.get(number, []) for p in pieces])
    ]
    store.files += [part.target for part in parts]
    step("sorting", 0, len(parts))
    with open_workers() as here:
        others = workers or here
        merged = completed(others, merge_partition, parts, send(others, codes))
        for done, (part, again) in enumerate(merged, start=1):
            cleaning.drop("duplicate", again)
            _drop(part.files, scratch.path)
            step("sorting", done, len(parts))
    return store


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The files of one partition, a list a piece, and the file they become."""

    files: Sequence[Sequence[Path]]
    target: Path


def merge_partition(part: Partition, codes: Sequence[Codes]) -> int:
    """Write one partition of all pieces in order; return how many rows were repeats.

    Parameters
    ----------
    codes
        For each piece, the code in the trace of each of its own codes.
    """
    frames = [
        _recoded(pl.read_ipc_stream(file), of_piece)
        for of_piece, those in zip(codes, part.files, strict=True)
        for file in those
    ]
    rows, again = in_order(pl.concat(frames, how="diagonal"))
    rows.write_ipc(part.target)
    return again


def _drop(files: Sequence[Sequence[Path]], folder: Path) -> None:
    """Remove files that belong to this run only."""
    for file in (file for those in files for file in those):
        if file.parent == folder:
            file.unlink()


def _recoded(rows: pl.DataFrame, codes: Codes) -> pl.DataFrame:
    return rows.with_columns(pl.Series(CODE, codes[rows[CODE].to_numpy()]))


def in_order(rows: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Sort by code and time, in the order of the source where it has no time.

    Of rows with the same code and time one is left, with the largest values; the second
    result is how many measurements were dropped.
    """
    codes = rows[CODE].to_numpy()
    if not rises(codes):
        order = by_code(codes)
        rows, codes = rows[order], codes[order]
    if "time" not in rows.columns or rows["time"].null_count() == rows.height:
        return rows, 0
    time = rows["time"].fill_null(-np.inf).to_numpy()
    if not rises(time, within=codes):
        order = by_time(codes, time)
        rows, codes, time = rows[order], codes[order], time[order]
    if not repeats(codes, time):
        return rows, 0
    present = [c for c in VALUES if c in rows.columns]
    before = rows.select(pl.col(present).count()).row(0)
    rows = rows.group_by(CODE, "time", maintain_order=True).agg(pl.col(present).max())
    after = rows.select(pl.col(present).count()).row(0)
    # Rows that complete each other (cpu here, memory there) are not duplicates.
    return rows, max(b - a for b, a in zip(before, after, strict=True))
