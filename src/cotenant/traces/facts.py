"""What is told of each task at a glance, and the usual time between samples."""

import numpy as np
import polars as pl

from cotenant.arrays import FloatArray
from cotenant.traces.intake import CODE
from cotenant.traces.store import Store
from cotenant.traces.trace import is_averaged, usage_column

STEPS = 1_000_000  # time steps looked at to tell the usual one


def describe(store: Store) -> tuple[pl.DataFrame, FloatArray]:
    """Return facts a task, and a sample of time steps."""
    facts: list[pl.DataFrame] = []
    steps: list[FloatArray] = []
    for rows in store.parts():
        if "cpu" not in rows.columns and "cpu_mean" not in rows.columns:
            continue
        time = pl.col("time") if "time" in rows.columns else pl.lit(None, pl.Float64)
        rows = rows.select(
            CODE,
            time.alias("time"),
            usage_column(rows).alias("use"),
            is_averaged(rows).alias("averaged"),
        )
        rows = rows.drop_nulls("use")
        facts.append(_facts(rows))
        if sum(len(s) for s in steps) < STEPS:
            within = pl.col(CODE) == pl.col(CODE).shift()
            gaps = rows.select(pl.col("time").diff().filter(within).drop_nulls())
            steps.append(gaps.to_series().to_numpy())
    table = pl.concat(facts) if facts else pl.DataFrame(schema={CODE: pl.UInt32})
    table = table.join(store.attributes, on=CODE, how="left").sort(CODE)
    return table, np.concatenate(steps) if steps else np.empty(0)


def _facts(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.group_by(CODE, maintain_order=True).agg(
        samples=pl.len(),
        mean=pl.col("use").mean(),
        zero=(pl.col("use") == 0).all(),
        averaged=pl.col("averaged").all(),
        start=pl.col("time").min(),
        end=pl.col("time").max(),
    )
