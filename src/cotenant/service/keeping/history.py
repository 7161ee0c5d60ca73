"""What tasks used, day by day and moment by moment, as it was measured."""

import numpy as np

from cotenant.arrays import FloatArray, IntArray

MOMENTS = 288
WIDTH_S = 300.0
OLDEST = 15
"""Days back from the newest sample that samples are taken of."""

PRESENT = 0.5
"""Share of a day's moments from which a task was there that day."""


class History:
    """Usage by task and day, aligned in time.

    A moment is a number of whole five minutes since 1970, a day one of whole days, UTC.

    Parameters
    ----------
    usage
        By task and day, `(MOMENTS,)`; NaN where nothing was measured. An array is never
        changed in place.
    throttled
        By task and day: share of a moment in which the machine held the task back.
    latest
        The newest moment of which there is a sample; -1 before the first.
    days
        Days of which there are samples.
    """

    def __init__(self) -> None:
        self.usage: dict[str, dict[int, FloatArray]] = {}
        self.throttled: dict[str, dict[int, FloatArray]] = {}
        self.latest = -1
        self.days: set[int] = set()

    def copy(self) -> "History":
        """Return a copy that shares the samples."""
        other = History()
        other.usage = {task: dict(days) for task, days in self.usage.items()}
        other.throttled = {task: dict(days) for task, days in self.throttled.items()}
        other.latest, other.days = self.latest, set(self.days)
        return other

    def note(
        self,
        task: str,
        at: IntArray,
        values: FloatArray,
        throttled: FloatArray | None,
        after: int,
    ) -> None:
        """Take in samples; of several in one moment the last counts.

        Parameters
        ----------
        at
            Moment of each sample.
        after
            FloatArray of this day and of those before it are dropped.
        """
        self.latest = max(self.latest, int(at[-1]))
        after = max(after, self.latest // MOMENTS - OLDEST)
        fresh = at // MOMENTS > after
        self.days.update((at[fresh] // MOMENTS).tolist())
        _lay(self.usage.setdefault(task, {}), at[fresh], values[fresh])
        if throttled is not None:
            _lay(self.throttled.setdefault(task, {}), at[fresh], throttled[fresh])

    def there(self, task: str, day: int) -> bool:
        """Say whether at least half of a task's day was measured."""
        samples = self.usage.get(task, {}).get(day)
        return samples is not None and bool(np.isfinite(samples).mean() >= PRESENT)

    def close(self, day: int) -> None:
        """Fill the holes of a day that is over and counted."""
        for days in self.usage.values():
            if day in days:
                days[day] = filled(days[day])
        for days in self.throttled.values():
            days.pop(day, None)

    def forget(self, before: int) -> None:
        """Let go of days before one, and of tasks without any other."""
        self.days = {day for day in self.days if day >= before}
        for book in (self.usage, self.throttled):
            for task, days in list(book.items()):
                for day in [day for day in days if day < before]:
                    del days[day]
                if not days:
                    del book[task]


def moments(start: float, step: float, count: int) -> tuple[IntArray, IntArray]:
    """Return the moments that samples stand for, and which sample stands for each.

    A sample stands until the next one is due, for one moment at least.

    Parameters
    ----------
    start
        Seconds since 1970, of the first sample.
    step
        Seconds from one to the next.

    Examples
    --------
    >>> at, sample = moments(600.0, 600.0, 2)
    >>> at.tolist(), sample.tolist()
    ([2, 3, 4, 5], [0, 0, 1, 1])
    """
    first = np.floor((start + step * np.arange(count)) / WIDTH_S + 1e-9)
    each = max(1, round(step / WIDTH_S))
    at = (first.astype(np.int64)[:, None] + np.arange(each)).ravel()
    return at, np.repeat(np.arange(count), each)


def filled(samples: FloatArray) -> FloatArray:
    """Fill holes with the sample before, or after where there is none before."""
    known = np.isfinite(samples)
    if known.all() or not known.any():
        return samples
    at = np.maximum.accumulate(np.where(known, np.arange(len(samples)), -1))
    return samples[np.where(at >= 0, at, known.argmax())]


def _lay(days: dict[int, FloatArray], at: IntArray, values: FloatArray) -> None:
    for day in np.unique(at // MOMENTS).tolist():
        own = at // MOMENTS == day
        known = days.get(day)
        fresh = np.full(MOMENTS, np.nan) if known is None else known.copy()
        fresh[at[own] - day * MOMENTS] = values[own]
        days[day] = fresh
