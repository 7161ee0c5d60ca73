import io

import polars as pl

from tests.contracts.readers.case import Files, ReaderCase

FRAME = pl.DataFrame(
    {
        "task": ["a", "b", "a"],
        "time": [0.0, 0.0, 300.0],
        "cpu": [0.25, None, float("nan")],
        "cpu_mean": [0.2, 0.1, 0.3],
    }
)


def parquet(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.write_parquet(out, metadata={"cotenant.unit": "fraction"})
    return out.getvalue()


def large(rows: int) -> Files:
    numbers = pl.int_range(rows, eager=True)
    frame = pl.DataFrame(
        {
            "task": "t" + (numbers % 50).cast(pl.String),
            "time": (numbers // 50 * 60).cast(pl.Float64),
            "cpu": (numbers % 7) / 7,
        }
    )
    return {"usage.parquet": parquet(frame)}


CASE = ReaderCase(
    files={"usage.parquet": parquet(FRAME)},
    rows=3,
    first={"task": "a", "time": 0.0, "cpu": 0.25, "cpu_mean": 0.2},
    unit="fraction",
    damaged={"usage.parquet": parquet(FRAME)[:-20]},
    damaged_line=None,
    damaged_words=("usage.parquet", "damaged Parquet", "complete"),
    large=large,
)
