"""A cleaned trace: per-task facts, what is set aside, samples part by part."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from cotenant.arrays import FloatArray, IntArray
from cotenant.errors import InvalidInput
from cotenant.traces.cleaning import Cleaning
from cotenant.traces.intake import CODE
from cotenant.traces.store import Store

Observe: TypeAlias = int | float
REGULAR = 0.9  # share of steps within 5 % of the median from which a trace is regular


@dataclass(frozen=True, slots=True)
class Series:
    """Samples of one resource of many tasks, back to back.

    Parameters
    ----------
    codes
        `(tasks,)` codes, ascending.
    offsets
        `(tasks + 1,)`: task i owns `values[offsets[i]:offsets[i + 1]]`, at least one.
    time
        Seconds, ascending within a task; NaN where the trace has no time.
    values
        Usage.
    """

    codes: IntArray
    offsets: IntArray
    time: FloatArray
    values: FloatArray


@dataclass(frozen=True, slots=True)
class Trace:
    """A usage trace after reading; iterate its parts, no part is larger than memory.

    Parameters
    ----------
    source
        The source as the user named it, for errors.
    store
        The samples.
    unit
        Unit of CPU: `cores` or machine `fraction`.
    cleaning
        What happened on the way.
    facts
        One row a task that is in, by code: `samples`, `mean`, `zero` (all of its usage
        is 0), `averaged` (known by interval averages only), `start`, `end` in seconds,
        and its attributes.
    step_s
        Median time between samples of a task, None without time.
    regular
        Whether nearly all steps equal the median; if not, samples are weighted by how
        long they stand.
    stretch
        Factor on the deviations from the mean of tasks known by averages only.
    window
        Which samples of each task count: all, the first or the rest.
    """

    source: str
    store: Store
    unit: Literal["cores", "fraction"]
    cleaning: Cleaning
    facts: pl.DataFrame
    step_s: float | None
    regular: bool
    stretch: float = 1.0
    window: tuple[Literal["all", "first", "rest"], Observe] = ("all", 0)

    @property
    def names(self) -> list[str]:
        """Names of the tasks that are in, in the order of `facts`."""
        return [self.store.names[code] for code in self.facts[CODE]]

    def first(self, observe: Observe) -> "Trace":
        """Return the trace with the first samples of each task only.

        `observe` is a number of samples from 1, or a fraction in (0, 1).

        Raises
        ------
        InvalidInput
            If `observe` is neither.
        """
        if not (0 < observe < 1 or (observe >= 1 and float(observe).is_integer())):
            raise InvalidInput(
                f"observe is {observe}; expected a whole number of samples from 1, "
                "or a fraction between 0 and 1"
            )
        return replace(self, window=("first", observe))

    def rest(self, observe: Observe) -> "Trace":
        """Return the trace without the samples that `first(observe)` has."""
        return replace(self.first(observe), window=("rest", observe))

    def series(self, resource: Literal["cpu", "memory"]) -> Iterator[Series]:
        """Yield the samples of a resource, part by part, for the tasks that are in.

        The CPU usage of a task is its instantaneous usage, or its interval averages
        where the task has nothing else.
        """
        there = np.zeros(len(self.store.names), np.bool_)
        there[self.facts[CODE].to_numpy()] = True
        for rows in self.store.parts():
            in_it = there[rows[CODE].to_numpy()]
            rows = rows if in_it.all() else rows.filter(pl.Series(in_it))
            values = self._cpu(rows) if resource == "cpu" else pl.col(resource)
            if resource == "memory" and resource not in rows.columns:
                continue
            time = pl.col("time") if "time" in rows.columns else pl.lit(np.nan)
            rows = rows.select(
                CODE, time.fill_null(np.nan).alias("time"), values.alias("value")
            ).drop_nulls("value")
            rows = self._in_window(rows)
            if rows.height:
                yield _series(rows)

    def _cpu(self, rows: pl.DataFrame) -> pl.Expr:
        usage = usage_column(rows)
        if self.stretch == 1.0:
            return usage
        mean = usage.mean().over(CODE)
        wider = (mean + self.stretch * (usage - mean)).clip(lower_bound=0.0)
        return pl.when(is_averaged(rows)).then(wider).otherwise(usage)

    def _in_window(self, rows: pl.DataFrame) -> pl.DataFrame:
        which, observe = self.window
        if which == "all":
            return rows
        rank = pl.int_range(pl.len()).over(CODE)
        count: pl.Expr = pl.lit(observe)
        if observe < 1:
            count = (pl.len() * observe).ceil().over(CODE)
        return rows.filter(rank < count if which == "first" else rank >= count)

    def weights(self, series: Series) -> FloatArray:
        """Return how long each sample stands, in steps: 1 where the trace is regular.

        In an irregular trace a sample stands until the next one of its task, three
        median steps at most.
        """
        if self.regular or self.step_s is None:
            return np.ones(len(series.values))
        gaps = np.append(np.diff(series.time), self.step_s)
        gaps[series.offsets[1:] - 1] = self.step_s
        return np.clip(gaps / self.step_s, 1e-3, 3.0)

    def without(self, tasks: pl.Series, reason: str) -> "Trace":
        """Return the trace with tasks set aside, and counted with their load.

        `tasks` is a mask over `facts`.
        """
        gone = self.facts.filter(tasks)
        total = float(self.facts["mean"].sum()) or 1.0
        kept_before = 1.0 - self.cleaning.lost_share
        share = float(gone["mean"].sum()) / total * kept_before
        cleaning = self.cleaning.with_set_aside(reason, gone.height, share)
        return replace(self, facts=self.facts.filter(~tasks), cleaning=cleaning)


def usage_column(rows: pl.DataFrame) -> pl.Expr:
    """Return CPU usage as an expression: samples, or averages where a task has none."""
    if "cpu_mean" not in rows.columns:
        return pl.col("cpu")
    if "cpu" not in rows.columns:
        return pl.col("cpu_mean")
    return pl.when(is_averaged(rows)).then("cpu_mean").otherwise("cpu")


def is_averaged(rows: pl.DataFrame) -> pl.Expr:
    """Say for each row whether its task is known by interval averages only.

    Samples that are 0 throughout while the averages are not were never taken.
    """
    if "cpu_mean" not in rows.columns:
        return pl.lit(False)
    if "cpu" not in rows.columns:
        return pl.lit(True)
    never_sampled = ~(pl.col("cpu") > 0).any().over(CODE)
    missing = pl.col("cpu").is_null().all().over(CODE)
    return missing | (never_sampled & (pl.col("cpu_mean") > 0).any().over(CODE))


def _series(rows: pl.DataFrame) -> Series:
    codes = rows[CODE].to_numpy().astype(np.int64)
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    return Series(
        codes=codes[starts],
        offsets=np.append(starts, len(codes)).astype(np.int64),
        time=rows["time"].to_numpy(),
        values=rows["value"].to_numpy(),
    )
