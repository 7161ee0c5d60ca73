"""What only time shows: whether tasks move together, and what time of day does."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.study.profile.days import DAY_S, Day
from cotenant.study.profile.parts import Absent, Part

HOUR_S = 3_600.0
NO_DAYS = (
    "the trace has no time, or no stretch of 24 moments over which tasks were "
    "measured side by side"
)


@dataclass(frozen=True, slots=True)
class CorrelationRow:
    """How much the tasks of a day move together.

    Parameters
    ----------
    variance_ratio
        Variance of the total over the sum of the variances: 1 where tasks are
        independent, the number of tasks where equal ones are in step. Grows with the
        number of tasks.
    mean_correlation
        Correlation of two tasks, averaged with the product of their deviations as
        weight; does not depend on the number of tasks.
    """

    day: str
    tasks: int
    moments: int
    variance_ratio: float
    mean_correlation: float


@dataclass(frozen=True, slots=True)
class Correlation(Part[CorrelationRow]):
    """Whether tasks move together, day by day."""


def correlation(days: Sequence[Day]) -> Correlation | Absent:
    """Compare the variance of the total with the sum of the variances, each day."""
    rows = [_correlation_row(day) for day in days if len(day.codes) > 1]
    known = tuple(row for row in rows if row)
    if known:
        return Correlation(known)
    return Absent(NO_DAYS if not rows else "the usage of every task is constant")


def _correlation_row(day: Day) -> CorrelationRow | None:
    variances = day.usage.var(axis=1)
    alone, total = float(variances.sum()), float(day.usage.sum(axis=0).var())
    if alone == 0:
        return None
    products = float(np.sqrt(variances).sum()) ** 2 - alone
    together = (total - alone) / products if products > 0 else 0.0
    tasks, moments = day.usage.shape
    return CorrelationRow(day.label, tasks, moments, total / alone, together)


@dataclass(frozen=True, slots=True)
class HourRow:
    """Total usage in an hour of the day, over the average of its day.

    Parameters
    ----------
    hour
        0 to 23: UTC where times have a date, else from the start of the trace.
    load
        Average over days.
    low, high
        The least and the most of any day.
    """

    hour: int
    load: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class TimeOfDay(Part[HourRow]):
    """Total usage by the hour.

    Parameters
    ----------
    explained
        Share of the variance of the total within days that the hours of the other days
        explain; None for a single day, which cannot tell a rhythm from an accident.
    """

    days: int
    explained: float | None


def time_of_day(days: Sequence[Day]) -> TimeOfDay | Absent:
    """Describe total usage by hour of the day, over whole days."""
    whole = [d for d in days if d.whole and d.cell <= HOUR_S]
    if not whole:
        return Absent(
            "no stretch of 24 h is measured at least every hour" if days else NO_DAYS
        )
    loads, hours = zip(*(_by_hour(day) for day in whole), strict=True)
    table = np.array(
        [
            [load[h == k].mean() for k in range(24)]
            for load, h in zip(loads, hours, strict=True)
        ]
    )
    rows = tuple(
        HourRow(k, float(c.mean()), float(c.min()), float(c.max()))
        for k, c in enumerate(table.T)
    )
    explained = None
    if len(whole) > 1:
        explained = _explained(table, loads, hours)
    return TimeOfDay(rows, len(whole), explained)


def _explained(
    table: FloatArray, loads: Sequence[FloatArray], hours: Sequence[IntArray]
) -> float:
    # A day is told by the others: its own hours would explain some of any noise.
    within, left = 0.0, 0.0
    for day, (load, hour) in enumerate(zip(loads, hours, strict=True)):
        others = np.delete(table, day, axis=0).mean(axis=0)
        within += float(np.square(load - 1.0).sum())
        left += float(np.square(load - others[hour]).sum())
    return max(0.0, 1.0 - left / within) if within > 0 else 0.0


def _by_hour(day: Day) -> tuple[FloatArray, IntArray]:
    total = day.usage.sum(axis=0)
    time = day.start + day.cell * np.arange(len(total))
    hour = ((time % DAY_S) // HOUR_S).astype(np.int64)
    mean = total.mean()
    return (total / mean if mean > 0 else np.ones(len(total))), hour
