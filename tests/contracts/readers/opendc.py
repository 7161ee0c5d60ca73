import io
from datetime import UTC, datetime

import polars as pl

from tests.contracts.readers.case import Files, ReaderCase

DAY = datetime(2013, 8, 12, tzinfo=UTC)


def parquet(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()


def pair(trace: pl.DataFrame) -> Files:
    meta = pl.DataFrame(
        {
            "id": ["7", "8"],
            "cpu_count": pl.Series([4, 1], dtype=pl.Int32),
            "cpu_capacity": [10_000.0, 2_000.0],
            "mem_capacity": [1024, 1024],
        }
    )
    return {"meta.parquet": parquet(meta), "trace.parquet": parquet(trace)}


def trace(ids: list[str], counts: list[int]) -> pl.DataFrame:
    start = pl.lit(DAY).cast(pl.Datetime("ms", "UTC"))
    minutes = pl.int_range(5, 5 * len(ids) + 5, 5, dtype=pl.Int64)
    return pl.select(
        id=pl.Series(ids),
        timestamp=start + pl.duration(minutes=minutes),
        duration=pl.lit(300_000, pl.Int64),
        cpu_count=pl.Series(counts, dtype=pl.Int32),
        cpu_usage=pl.lit(5_000.0),
    )


def large(rows: int) -> Files:
    return pair(trace(["7", "8"] * (rows // 2), [4, 1] * (rows // 2)))


GOOD = pair(trace(["7", "8", "7", "8"], [4, 1, 4, 0]))

CASE = ReaderCase(
    files=GOOD,
    rows=4,
    first={
        "task": "7",
        "time": DAY.timestamp(),
        "cpu_mean": 2.0,
        "cpu_request": 4.0,
    },
    unit="cores",
    damaged={**GOOD, "trace.parquet": GOOD["trace.parquet"][:-20]},
    damaged_line=None,
    damaged_words=("trace.parquet", "damaged Parquet", "complete"),
    large=large,
)
