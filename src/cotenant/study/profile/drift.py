"""How far the usage of tasks drifts from one day to the next."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.study.profile.days import Day
from cotenant.study.profile.parts import Absent, Part

LEAST_FOR_HALVES = 4  # days


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
    if len(whole) >= LEAST_FOR_HALVES:
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
