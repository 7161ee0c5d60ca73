"""A trace cut into days: one row a task, one column a moment."""

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.traces.trace import Series

DAY_S = 86_400.0
CELL_S = 300.0
COVERED = 0.9  # share of the moments of a day at which a task must be measured
LEAST_MOMENTS = 24
_LATEST_RELATIVE = 1e8  # seconds; later times are counted from 1970


@dataclass(frozen=True, slots=True, eq=False)
class Day:
    """The tasks that were measured throughout a day, side by side.

    Parameters
    ----------
    label
        Its date, or its number from 1 where times are relative.
    start, cell
        Time of the first moment, and from one to the next, seconds.
    codes
        `(tasks,)`.
    usage
        `(tasks, moments)`, gaps filled with the value before.
    whole
        False where the trace is shorter than a day, and this is all of it.
    """

    label: str
    start: float
    cell: float
    codes: IntArray
    usage: FloatArray
    whole: bool


def split_days(series: Series, step_s: float | None) -> tuple[Day, ...]:
    """Cut a trace into days from its first sample on; a day without tasks is left out.

    Moments lie one step apart, or 5 minutes where samples come faster and the trace
    lasts two hours: usage is then averaged over 5 minutes. A task is part of a day if
    it was measured at 9 of 10 moments of it. No day comes of a trace without time, or
    of one with fewer than 24 moments.
    """
    if step_s is None or not len(series.values) or np.isnan(series.time).any():
        return ()
    first, last = float(series.time.min()), float(series.time.max())
    # A step is rounded to, since clocks jitter; an interval is averaged over.
    cell, early = step_s, 0.5
    if step_s < CELL_S and last - first + step_s >= LEAST_MOMENTS * CELL_S:
        cell, early = CELL_S, 1e-6
    moment = np.floor((series.time - first) / cell + early).astype(np.int64)
    if moment.max() + 1 < LEAST_MOMENTS:
        return ()
    whole = last - first + cell >= DAY_S * COVERED
    width = round(DAY_S / cell) if whole else int(moment.max()) + 1
    owner = np.repeat(np.arange(len(series.codes)), np.diff(series.offsets))
    number = moment // width
    days = []
    for day in np.unique(number):
        here = number == day
        rows, columns = owner[here], moment[here] - day * width
        tasks, usage = _side_by_side(rows, columns, series.values[here], width)
        if len(tasks):
            start = first + float(day) * width * cell
            label = _label(start, int(day))
            days.append(Day(label, start, cell, series.codes[tasks], usage, whole))
    return tuple(days)


def is_dated(time: float) -> bool:
    """Say whether a time counts from 1970 rather than from the start of a trace."""
    return time > _LATEST_RELATIVE


def _label(start: float, number: int) -> str:
    if not is_dated(start):
        return f"day {number + 1}"
    return datetime.fromtimestamp(start, UTC).date().isoformat()


def _side_by_side(
    rows: IntArray, columns: IntArray, values: FloatArray, width: int
) -> tuple[IntArray, FloatArray]:
    """Return the tasks that are covered and their usage, `(tasks, width)`."""
    tasks, row = np.unique(rows, return_inverse=True)
    # Samples of one task and moment lie side by side: the time of a task ascends.
    new = np.append(True, (np.diff(row) != 0) | (np.diff(columns) != 0))
    begin = np.flatnonzero(new)
    mean = np.add.reduceat(values, begin) / np.diff(np.append(begin, len(values)))
    cells = np.bincount(row[begin], minlength=len(tasks))
    covered = cells >= COVERED * width
    place = np.cumsum(covered) - 1
    kept = covered[row[begin]]
    usage = np.full((int(covered.sum()), width), np.nan)
    usage[place[row[begin][kept]], columns[begin][kept]] = mean[kept]
    return tasks[covered], _filled(usage)


def _filled(usage: FloatArray) -> FloatArray:
    known = ~np.isnan(usage)
    at = np.arange(usage.shape[1])
    before = np.maximum.accumulate(np.where(known, at, -1), axis=1)
    # Before the first sample of a row, that first one stands.
    first = known.argmax(axis=1)[:, None] if usage.size else 0
    return np.take_along_axis(usage, np.where(before < 0, first, before), axis=1)
