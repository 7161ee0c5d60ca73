"""What only time shows: tasks that move together, times of day, drift between days."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.study.profile_days import DAY_S, Day
from cotenant.study.profile_parts import Absent, Part

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


@dataclass(frozen=True, slots=True)
class DriftRow:
    """How the mean usage of tasks changed from one day to the next.

    Parameters
    ----------
    tasks
        Tasks measured throughout both, with usage in both.
    total
        Relative change of their summed mean.
    spread
        Standard deviation of the logarithm of a task's change.
    median
        Median size of a task's change, up or down, as a factor of at least 1.
    """

    day: str
    next: str
    tasks: int
    total: float
    spread: float
    median: float


@dataclass(frozen=True, slots=True)
class Drift(Part[DriftRow]):
    """How far a day is from the one before; the last row compares halves."""


def drift(days: Sequence[Day]) -> Drift | Absent:
    """Compare the mean usage of tasks on neighbouring days.

    From four days on, a last row compares the first half of the days with the second.
    """
    whole = [day for day in days if day.whole]
    if len(whole) < 2:
        return Absent("it takes two days, and the trace has fewer")
    means = [
        dict(zip(d.codes.tolist(), d.usage.mean(axis=1), strict=True)) for d in whole
    ]
    rows = [
        _drift_row(whole[i].label, whole[i + 1].label, means[i], means[i + 1])
        for i in range(len(whole) - 1)
    ]
    if len(whole) >= 4:
        half = len(whole) // 2
        first, second = _merged(means[:half]), _merged(means[half:])
        rows.append(_drift_row("first half", "second half", first, second))
    known = tuple(row for row in rows if row)
    return Drift(known) if known else Absent("no task is there on two days in a row")


def _merged(means: Sequence[dict[int, float]]) -> dict[int, float]:
    codes = set().union(*means)
    return {
        code: float(np.mean([m[code] for m in means if code in m])) for code in codes
    }


def _drift_row(
    day: str, following: str, before: dict[int, float], after: dict[int, float]
) -> DriftRow | None:
    both = sorted(c for c in before.keys() & after.keys() if before[c] * after[c] > 0)
    if not both:
        return None
    old = np.array([before[c] for c in both])
    new = np.array([after[c] for c in both])
    change = np.log(new / old)
    return DriftRow(
        day,
        following,
        len(both),
        float(new.sum() / old.sum() - 1.0),
        float(change.std()),
        float(np.exp(np.median(np.abs(change)))),
    )
