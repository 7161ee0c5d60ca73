"""Batches of one piece in, its rows cleaned and spread over partitions out."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from cotenant.traces.cleaning import Cleaning
from cotenant.traces.names import Names
from cotenant.traces.schema import ATTRIBUTES

ROWS_AT_ONCE = 200_000
ROWS_IN_MEMORY = 4_000_000
PARTITIONS = 64
CODE = "code"
VALUES = ("cpu", "cpu_mean", "memory")
BAD = ("nan", "infinite", "negative")


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one piece: `code`, `time` and values, not sorted.

    Parameters
    ----------
    names
        Task names; `code` is the place of a name here.
    attributes
        One row a task that has any: `code` and what describes the task.
    frames
        Rows that are in memory.
    files
        Rows on disk, by partition; a task lies in one partition as a whole.
    """

    names: pl.Series
    attributes: pl.DataFrame
    frames: list[pl.DataFrame]
    files: dict[int, list[Path]]


class Intake:
    """Takes the batches of a reader.

    Values that are NaN, infinite or negative become *not measured*; rows in which
    nothing was measured are dropped. All of it is counted in `cleaning`.

    Parameters
    ----------
    stem
        Files are named by this path and a number.
    eager
        Whether all rows go to files, also those that would fit in memory.
    """

    def __init__(self, cleaning: Cleaning, stem: Path, eager: bool) -> None:
        self._cleaning = cleaning
        self._stem, self._eager = stem, eager
        self._names = Names()
        self._attributes: list[pl.DataFrame] = []
        self._small: list[pl.DataFrame] = []
        self._buffer: list[pl.DataFrame] = []
        self._files: dict[int, list[Path]] = {}
        self._spills = 0

    def add(self, batch: pl.DataFrame) -> None:
        """Take one canonical batch; small ones are gathered first."""
        self._small.append(batch.with_columns(pl.col("task").cast(pl.Categorical)))
        if _height(self._small) >= ROWS_AT_ONCE or len(self._small) > 500:
            self._take()

    def finish(self) -> Rows:
        """Return everything that was added."""
        self._take()
        if self._eager or self._files:
            self._spill()
        attributes = one_row_a_task(self._attributes)
        return Rows(self._names.all(), attributes, self._buffer, self._files)

    def _take(self) -> None:
        if not self._small:
            return
        batch = pl.concat(self._small, how="diagonal")
        self._small.clear()
        codes = pl.Series(CODE, self._names.number(batch["task"]), dtype=pl.UInt32)
        coded = batch.drop("task").insert_column(0, codes)
        labels = [c for c in coded.columns if c not in (CODE, "time", *VALUES)]
        if labels:
            facts = coded.select(CODE, *labels)
            self._attributes.append(one_row_a_task([facts]))
        self._buffer.append(without_bad_values(coded.drop(labels), self._cleaning))
        if _height(self._buffer) >= ROWS_IN_MEMORY:
            self._spill()

    def _spill(self) -> None:
        if not _height(self._buffer):
            return
        rows = pl.concat(self._buffer, how="diagonal", rechunk=True)
        self._buffer.clear()
        for partition, share in self._partitions(rows):
            file = Path(f"{self._stem}-{self._spills:03d}-{partition:02d}.arrow")
            share.write_ipc_stream(file)
            self._files.setdefault(partition, []).append(file)
        self._spills += 1

    def _partitions(self, rows: pl.DataFrame) -> Iterator[tuple[int, pl.DataFrame]]:
        # By name, so that every piece puts a task into the same partition.
        of_name = (self._names.all().hash() % PARTITIONS).to_numpy().astype(np.uint8)
        partition = of_name[rows[CODE].to_numpy()]
        order = np.argsort(partition, kind="stable")
        rows = rows[order]
        ends = np.cumsum(np.bincount(partition, minlength=PARTITIONS))
        for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
            if end > start:
                yield number, rows.slice(start, end - start)


def without_bad_values(rows: pl.DataFrame, cleaning: Cleaning) -> pl.DataFrame:
    """Turn bad values into nulls, drop rows of nulls only, and count."""
    present = [c for c in VALUES if c in rows.columns]
    if _all_good(rows, present):
        return rows
    values = pl.col(present)
    marked = rows.with_columns(
        pl.when(values.is_finite() & (values >= 0)).then(values),
        nan=pl.any_horizontal(values.is_nan()),
        infinite=pl.any_horizontal(values.is_infinite()),
        negative=pl.any_horizontal(values < 0),
    )
    empty = pl.all_horizontal(pl.col(present).is_null())
    gone, kept = marked.filter(empty), marked.filter(~empty)
    for reason in BAD:
        cleaning.repair(f"{reason}_value_ignored", int(kept[reason].sum()))
        others = gone.filter(~pl.col(reason).fill_null(False))
        cleaning.drop(reason, gone.height - others.height)
        gone = others
    cleaning.drop("missing", gone.height)
    return kept.drop(BAD)


def _all_good(rows: pl.DataFrame, present: list[str]) -> bool:
    # A sum is finite only if all values are; no row is looked at twice.
    values = pl.col(present)
    good = values.sum().is_finite() & (values.min() >= 0) & (values.null_count() == 0)
    return bool(rows.select(pl.all_horizontal(good)).item())


def one_row_a_task(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """Merge what describes tasks: the first label of each, the largest number."""
    if not frames:
        return pl.DataFrame(schema={CODE: pl.UInt32})
    rows = pl.concat(frames, how="diagonal")
    labels = [c for c in rows.columns if c != CODE and c not in ATTRIBUTES]
    numbers = [c for c in rows.columns if c in ATTRIBUTES]
    first = [pl.col(c).drop_nulls().first() for c in labels]
    return rows.group_by(CODE, maintain_order=True).agg(
        *first, *(pl.col(c).max() for c in numbers)
    )


def _height(frames: list[pl.DataFrame]) -> int:
    return sum(frame.height for frame in frames)
