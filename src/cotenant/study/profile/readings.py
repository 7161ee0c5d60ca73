"""From a trace to the arrays that a profile is made of."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from cotenant.arrays import FloatArray
from cotenant.traces.cleaning import Cleaning
from cotenant.traces.intake import CODE
from cotenant.traces.trace import Series, Trace, is_averaged, usage_column

MOST_SAMPLES = 16_000_000
MIN_SAMPLES = 24


@dataclass(frozen=True, slots=True)
class Readings:
    """The samples of a trace by kind; a kind that the trace lacks has no task.

    Parameters
    ----------
    usage
        What a plan would use: instantaneous samples, or interval averages of the tasks
        that have nothing else.
    instantaneous, averages
        Each kind alone.
    paired
        Instantaneous samples and averages of the same intervals: two series of the
        same shape.
    cleaning
        What happened on the way, the tasks set aside here included.
    zero, short
        Tasks left out: without any usage, or with fewer samples than asked for.
    left_out
        Further tasks left out by sampling.
    """

    usage: Series
    instantaneous: Series
    averages: Series
    paired: tuple[Series, Series]
    cleaning: Cleaning
    zero: int
    short: int
    left_out: int


def read_readings(
    trace: Trace,
    min_samples: int = MIN_SAMPLES,
    seed: int = 0,
    most_samples: int = MOST_SAMPLES,
) -> Readings:
    """Gather the samples of a trace, part by part.

    Parameters
    ----------
    min_samples
        Tasks with fewer samples are left out and counted, idle ones too.
    most_samples
        A trace with more is represented by random whole tasks, at least one.
    """
    busy = trace.without(trace.facts["zero"], "all_zero")
    long = busy.without(busy.facts["samples"] < min_samples, "short")
    kept = _drawn(long.facts, seed, most_samples)
    columns = ("usage", "instantaneous", "averages")
    parts = [
        _columns(rows.join(kept.select(CODE), on=CODE, how="semi"))
        for rows in trace.store.parts()
    ]
    schema = {CODE: pl.UInt32, "time": pl.Float64, **dict.fromkeys(columns, pl.Float64)}
    # The parts of a trace on disk come in the order of a hash, not of the codes.
    rows = pl.concat([pl.DataFrame(schema=schema), *parts]).sort(
        CODE, maintain_order=True
    )
    both = rows.drop_nulls(["instantaneous", "averages"])
    usage, instantaneous, averages = (
        _series(rows.drop_nulls(column), column) for column in columns
    )
    return Readings(
        usage,
        instantaneous,
        averages,
        (_series(both, "instantaneous"), _series(both, "averages")),
        long.cleaning,
        zero=trace.facts.height - busy.facts.height,
        short=busy.facts.height - long.facts.height,
        left_out=long.facts.height - kept.height,
    )


def _drawn(tasks: pl.DataFrame, seed: int, most_samples: int) -> pl.DataFrame:
    if tasks["samples"].sum() <= most_samples:
        return tasks
    order = np.random.default_rng([seed, 0]).permutation(tasks.height)
    shuffled = tasks[order]
    fits = shuffled["samples"].cum_sum() <= most_samples
    return shuffled.head(max(1, int(fits.sum())))


def _columns(rows: pl.DataFrame) -> pl.DataFrame:
    nothing = pl.lit(None, pl.Float64)
    cpu = pl.col("cpu") if "cpu" in rows.columns else nothing
    mean = pl.col("cpu_mean") if "cpu_mean" in rows.columns else nothing
    time = pl.col("time") if "time" in rows.columns else nothing
    use = usage_column(rows) if {"cpu", "cpu_mean"} & {*rows.columns} else nothing
    return rows.select(
        CODE,
        time.fill_null(np.nan).alias("time"),
        use.alias("usage"),
        # Samples that were never taken are written as 0 in some traces.
        pl.when(~is_averaged(rows)).then(cpu).alias("instantaneous"),
        mean.alias("averages"),
    ).with_columns(pl.exclude(CODE).cast(pl.Float64))


def _series(rows: pl.DataFrame, column: str) -> Series:
    codes = rows[CODE].to_numpy().astype(np.int64)
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    return Series(
        codes=codes[starts],
        offsets=np.append(starts, len(codes)).astype(np.int64),
        time=rows["time"].to_numpy(),
        values=rows[column].to_numpy(),
    )


def counts(series: Series) -> FloatArray:
    """Return how many samples each task has, `(tasks,)`."""
    return np.diff(series.offsets).astype(np.float64)
