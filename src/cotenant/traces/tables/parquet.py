"""Parquet members: schema, own metadata, and rows in bounded batches."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from cotenant.errors import TraceError
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

BATCH = 1 << 20  # cells
MAGIC = b"PAR1"


def is_parquet(member: Member) -> bool:
    """Tell by the first bytes."""
    return member.head(4) == MAGIC


def read_schema(member: Member) -> dict[str, pl.DataType]:
    """Return column names and types.

    Raises
    ------
    TraceError
        If the file is damaged.
    """
    with _local(member) as path:
        return dict(pl.read_parquet_schema(path))


def read_metadata(member: Member) -> dict[str, str]:
    """Return the key-value metadata of the file."""
    with _local(member) as path:
        return pl.read_parquet_metadata(path)


def read_batches(
    reading: Reading, member: Member, columns: Sequence[str]
) -> Iterator[pl.DataFrame]:
    """Yield the asked columns; rows are counted, progress is reported."""
    with _local(member) as path:
        frame = pl.scan_parquet(path)
        total = frame.select(pl.len()).collect().item()
        done, rows = 0, max(1, BATCH // max(4, len(columns)))
        for batch in frame.select(columns).collect_batches(chunk_size=rows):
            before, done = done, done + batch.height
            reading.advance(member.size * done // total - member.size * before // total)
            reading.cleaning.rows += batch.height
            yield batch


def read_whole(member: Member, columns: Sequence[str]) -> pl.DataFrame:
    """Return the asked columns of a small table beside the rows."""
    with _local(member) as path:
        return pl.read_parquet(path, columns=list(columns))


@contextmanager
def _local(member: Member) -> Iterator[Path]:
    """Give the member as a file on disk: Parquet is read from its end."""
    try:
        if member.on_disk is not None:
            yield member.on_disk
            return
        with tempfile.NamedTemporaryFile(suffix=".parquet") as copy:
            with member.open() as stream:
                shutil.copyfileobj(stream, copy)
            copy.flush()
            yield Path(copy.name)
    except (pl.exceptions.PolarsError, OSError) as error:
        problem = f"is a damaged Parquet file ({error}); is it complete?"
        raise TraceError(member.name, problem) from error
