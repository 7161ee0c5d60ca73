"""Usage by task, day and time of day: the aligned history that drift is judged on."""

from dataclasses import dataclass

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.errors import InvalidInput
from cotenant.traces.trace import Trace

DAY_S = 86_400.0
FINEST_S = 300.0  # moments are at least this far apart
PRESENT = 0.5  # share of a day's moments from which a task was there that day


@dataclass(frozen=True, slots=True)
class History:
    """What tasks used, day by day.

    Parameters
    ----------
    names
        Task names.
    usage
        `(tasks, days, moments)`; holes of a present day are filled with the sample
        before, or after at its start. NaN on days without the task.
    present
        `(tasks, days)`: whether at least half of the day's moments were measured.
    """

    names: list[str]
    usage: FloatArray
    present: BoolArray

    @property
    def days(self) -> int:
        """Number of days, those without any task included."""
        return int(self.usage.shape[1])

    @property
    def moments(self) -> int:
        """Moments a day."""
        return int(self.usage.shape[2])

    def there(self, day: int) -> IntArray:
        """Return the tasks that are there on a day and on the day before."""
        return np.flatnonzero(self.present[:, day] & self.present[:, day - 1])

    def before(self, tasks: IntArray, day: int, window: int) -> FloatArray:
        """Return what tasks used in the days before one, day after day.

        A day without the task is stood in for by its nearest day in the window.

        Parameters
        ----------
        tasks
            Each there on the day before.
        window
            At most this many days.

        Returns
        -------
        `(tasks, days * moments)`
        """
        days = np.arange(max(0, day - window), day)
        rows = np.empty((len(tasks), len(days), self.moments))
        for row, task in enumerate(tasks):
            known = days[self.present[task, days]]
            nearest = np.abs(days[:, None] - known[None, :]).argmin(axis=1)
            rows[row] = self.usage[task, known[nearest]]
        return rows.reshape(len(tasks), len(days) * self.moments)


def read_history(trace: Trace) -> History:
    """Lay a trace out by task, day (UTC) and moment.

    Of several samples in one moment the last counts.

    Raises
    ------
    InvalidInput
        If the trace carries no time, or less than one sample a day.
    """
    if trace.step_s is None:
        raise InvalidInput("the trace carries no time, so it has no days to compare")
    step = max(trace.step_s, FINEST_S)
    moments = round(DAY_S / step)
    first = np.floor(float(trace.facts["start"].to_numpy().min()) / DAY_S)
    last = np.floor(float(trace.facts["end"].to_numpy().max()) / DAY_S)
    days = int(last - first) + 1
    if moments < 1:
        raise InvalidInput("the trace has less than one sample a day")
    names = trace.names
    rows = {name: row for row, name in enumerate(names)}
    usage = np.full((len(names), days * moments), np.nan)
    for series in trace.series("cpu"):
        place = np.floor((series.time - first * DAY_S) / DAY_S * moments)
        place = np.clip(place.astype(np.int64), 0, days * moments - 1)
        for number, code in enumerate(series.codes):
            part = slice(series.offsets[number], series.offsets[number + 1])
            row = rows[trace.store.names[code]]
            usage[row, place[part]] = series.values[part]
    cube = usage.reshape(len(names), days, moments)
    present = np.isfinite(cube).mean(axis=2) >= PRESENT
    return History(names, _filled(cube, present), present)


def _filled(cube: FloatArray, present: BoolArray) -> FloatArray:
    known = np.isfinite(cube)
    at = np.where(known, np.arange(cube.shape[2]), -1)
    before = np.maximum.accumulate(at, axis=2)
    first = np.where(known.any(axis=2), known.argmax(axis=2), 0)
    source = np.where(before >= 0, before, first[:, :, None])
    filled = np.take_along_axis(cube, source, axis=2)
    return np.where(present[:, :, None], filled, np.nan)
