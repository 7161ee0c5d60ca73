"""Notice raw counters (CPU seconds since the start) where usage is expected."""

import polars as pl

from cotenant.errors import TraceError

SAMPLES_NEEDED = 20
SHARE_NEEDED = 0.9
LOOK_AT = 2_000_000  # rows of a file


class CounterWatch:
    """Looks at the first rows of a file; `check` refuses it if it holds counters.

    A task counts as one if it has at least 20 samples, never falls, rises in more than
    half of its steps, and by more than 1 in all. Constant tasks do not vote.
    """

    def __init__(self) -> None:
        self._seen = 0
        self._parts: list[pl.DataFrame] = []

    def observe(self, batch: pl.DataFrame, column: str) -> None:
        """Take note of one batch with `task`, `time` and the usage in `column`."""
        if self._seen >= LOOK_AT:
            return
        self._seen += batch.height
        usage, time = pl.col(column), pl.col("time")
        rows = batch.lazy().filter(usage.is_finite() & (usage < 2.0**62))
        ordered = rows.sort("time", maintain_order=True, nulls_last=True)
        self._parts.append(
            ordered.group_by("task")
            .agg(
                at=time.first(),
                first=usage.first(),
                last=usage.last(),
                samples=pl.len(),
                falls=(usage.diff() < 0).sum(),
                rises=(usage.diff() > 0).sum(),
            )
            .collect()
        )

    def check(self, file: str) -> None:
        """Raise if nearly every task behaves like a counter.

        Raises
        ------
        TraceError
            With the advice to take a rate.
        """
        if not self._parts:
            return
        first, last = pl.col("first"), pl.col("last")
        tasks = (
            pl.concat(self._parts)
            .sort("at", maintain_order=True, nulls_last=True)
            .group_by("task")
            .agg(
                grown=last.last() - first.first(),
                samples=pl.col("samples").sum(),
                falls=pl.col("falls").sum() + (first.shift(-1) < last).sum(),
                rises=pl.col("rises").sum() + (first.shift(-1) > last).sum(),
            )
            .filter(pl.col("samples") >= SAMPLES_NEEDED)
            .filter((pl.col("rises") > 0) | (pl.col("falls") > 0))
        )
        steady = (pl.col("falls") == 0) & (pl.col("rises") > pl.col("samples") / 2)
        counters = tasks.filter(steady & (pl.col("grown") > 1)).height
        if counters and counters >= SHARE_NEEDED * tasks.height:
            problem = (
                f"looks like a raw counter: cpu only ever grows in {counters} of "
                f"{tasks.height} tasks; expected usage, so take a rate of it first"
            )
            raise TraceError(file, problem)
