"""Batches in, one sorted store out: bad values counted, on disk where it is big."""

import shutil
import tempfile
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from cotenant.traces.cleaning import Cleaning
from cotenant.traces.schema import ATTRIBUTES

ROWS_AT_ONCE = 200_000
ROWS_IN_MEMORY = 4_000_000
PARTITIONS = 64
CODE = "code"
VALUES = ("cpu", "cpu_mean", "memory")


class Scratch:
    """A folder for parts on disk, removed when nothing refers to it any more."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="cotenant-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


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

    def parts(self) -> Iterator[pl.DataFrame]:
        """Yield `code`, `time` and the value columns, sorted by code and time."""
        yield from self.frames
        for file in self.files:
            yield pl.read_ipc(file)


class Intake:
    """Takes the batches of a reader and makes a `Store`.

    Values that are NaN, infinite or negative become *not measured*; rows in which
    nothing was measured are dropped; of several rows of one task at one time the
    largest value counts. All of it is counted in `cleaning`.
    """

    def __init__(self, cleaning: Cleaning) -> None:
        self._cleaning = cleaning
        self._codes: dict[str, int] = {}
        self._attributes: list[pl.DataFrame] = []
        self._small: list[pl.DataFrame] = []
        self._buffer: list[pl.DataFrame] = []
        self._buffered = 0
        self._scratch: Scratch | None = None
        self._spills = 0

    def add(self, batch: pl.DataFrame) -> None:
        """Take one canonical batch; small ones are gathered first."""
        self._small.append(batch)
        if sum(b.height for b in self._small) >= ROWS_AT_ONCE or len(self._small) > 500:
            self._take()

    def _take(self) -> None:
        if not self._small:
            return
        coded = self._encode(pl.concat(self._small, how="diagonal"))
        self._small.clear()
        labels = [c for c in coded.columns if c not in (CODE, "time", *VALUES)]
        if labels:
            facts = coded.select(CODE, *labels)
            self._attributes.append(_one_row_a_task([facts]))
        rows = self._clean(coded.drop(labels))
        self._buffer.append(rows)
        self._buffered += rows.height
        if self._buffered >= ROWS_IN_MEMORY:
            self._spill()

    def finish(self) -> Store:
        """Sort, drop repeated rows, and return the store."""
        self._take()
        attributes = _one_row_a_task(self._attributes)
        names = list(self._codes)
        if self._scratch is None:
            frames = [self._sort(self._buffer)] if self._buffer else []
            return Store(names, attributes, frames, [], None)
        self._spill()
        merged = (self._merge(self._scratch.path, k) for k in range(PARTITIONS))
        files = [file for file in merged if file]
        return Store(names, attributes, [], files, self._scratch)

    def _encode(self, batch: pl.DataFrame) -> pl.DataFrame:
        names = batch["task"].unique(maintain_order=True)
        for name in names:
            self._codes.setdefault(name, len(self._codes))
        codes = [self._codes[name] for name in names]
        column = batch["task"].replace_strict(names, codes, return_dtype=pl.UInt32)
        return batch.drop("task").with_columns(column.alias(CODE))

    def _clean(self, rows: pl.DataFrame) -> pl.DataFrame:
        present = [c for c in VALUES if c in rows.columns]
        bad = {
            "nan": pl.any_horizontal(pl.col(present).is_nan()),
            "infinite": pl.any_horizontal(pl.col(present).is_infinite()),
            "negative": pl.any_horizontal(pl.col(present) < 0),
        }
        counts = rows.select(**{k: v.sum() for k, v in bad.items()}).row(0, named=True)
        good = [
            pl.when(pl.col(c).is_finite() & (pl.col(c) >= 0)).then(c) for c in present
        ]
        rows = rows.with_columns(good)
        empty = rows.select(pl.all_horizontal(pl.col(present).is_null())).to_series()
        rows = rows.filter(~empty)
        self._count(counts, int(empty.sum()))
        return rows

    def _count(self, counts: dict[str, int], dropped: int) -> None:
        # A row with a bad value is dropped only when nothing else was measured in it.
        for reason, rows in counts.items():
            gone = min(rows or 0, dropped)
            self._cleaning.drop(reason, gone)
            self._cleaning.repair(f"{reason}_value_ignored", (rows or 0) - gone)
            dropped -= gone
        self._cleaning.drop("missing", dropped)

    def _sort(self, frames: list[pl.DataFrame]) -> pl.DataFrame:
        rows = pl.concat(frames, how="diagonal")
        frames.clear()
        if "time" not in rows.columns or rows["time"].null_count() == rows.height:
            return rows.sort(CODE, maintain_order=True)
        rows = rows.sort(CODE, "time", maintain_order=True)
        again = (pl.col(CODE) == pl.col(CODE).shift()) & (
            pl.col("time") == pl.col("time").shift()
        )
        if not rows.select(again.any()).item():
            return rows
        present = [c for c in VALUES if c in rows.columns]
        before = rows.select(pl.col(present).count()).row(0)
        rows = rows.group_by(CODE, "time", maintain_order=True).agg(
            pl.col(present).max()
        )
        after = rows.select(pl.col(present).count()).row(0)
        # Rows that complete each other (cpu here, memory there) are not duplicates.
        self._cleaning.drop(
            "duplicate", max(b - a for b, a in zip(before, after, strict=True))
        )
        return rows

    def _spill(self) -> None:
        if not self._buffer:
            return
        if self._scratch is None:
            self._scratch = Scratch()
        rows = pl.concat(self._buffer, how="diagonal")
        self._buffer.clear()
        self._buffered = 0
        self._spills += 1
        pieces = rows.with_columns(part=pl.col(CODE) % PARTITIONS).partition_by(
            "part", as_dict=True, include_key=False
        )
        for (part,), piece in pieces.items():
            piece.write_ipc(self._scratch.path / f"{self._spills:06d}-{part}.arrow")

    def _merge(self, folder: Path, part: int) -> Path | None:
        fragments = sorted(folder.glob(f"[0-9]*-{part}.arrow"))
        if not fragments:
            return None
        rows = self._sort([pl.read_ipc(f) for f in fragments])
        merged = folder / f"part-{part}.arrow"
        rows.write_ipc(merged)
        for fragment in fragments:
            fragment.unlink()
        return merged


def _one_row_a_task(frames: list[pl.DataFrame]) -> pl.DataFrame:
    if not frames:
        return pl.DataFrame(schema={CODE: pl.UInt32})
    rows = pl.concat(frames, how="diagonal")
    labels = [c for c in rows.columns if c != CODE and c not in ATTRIBUTES]
    numbers = [c for c in rows.columns if c in ATTRIBUTES]
    first = [pl.col(c).drop_nulls().first() for c in labels]
    return rows.group_by(CODE, maintain_order=True).agg(
        *first, *(pl.col(c).max() for c in numbers)
    )
