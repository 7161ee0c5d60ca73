"""Usage by task, day and time of day: the aligned history that drift is judged on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.errors import InvalidInput
from cotenant.sim.donor import donor
from cotenant.traces.intake import CODE
from cotenant.traces.rows import RowFile
from cotenant.traces.trace import Trace

DAY_S = 86_400.0
FINEST_S = 300.0  # moments are at least this far apart
CELLS_AT_ONCE = 2_000_000  # task-moments laid out at a time
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
    labels
        Class, owner or service of each task, None where unknown; empty where no task
        has one.
    requests
        `(tasks,)` what was asked for, NaN where unknown; empty likewise.
    """

    names: list[str]
    usage: FloatArray
    present: BoolArray
    labels: Sequence[str | None] = ()
    requests: FloatArray | Sequence[float] = ()

    @property
    def days(self) -> int:
        """Number of days, those without any task included."""
        return int(self.usage.shape[1])

    @property
    def moments(self) -> int:
        """Moments a day."""
        return int(self.usage.shape[2])

    def there(self, day: int) -> IntArray:
        """Return the tasks that are there on a day."""
        return np.flatnonzero(self.present[:, day])

    def known(self, day: int) -> BoolArray:
        """Say which tasks were there on some day before a day."""
        return np.asarray(self.present[:, :day].any(axis=1))

    def before(
        self, tasks: IntArray, day: int, window: int, seed: int = 0
    ) -> FloatArray:
        """Return what tasks used in the days before one, day after day.

        A day without the task is stood in for by the nearest day on which it was there;
        a task that never was there has the usage of a donor.

        Parameters
        ----------
        window
            At most this many days.
        seed
            For the choice among donors.

        Returns
        -------
        `(tasks, days * moments)`

        Raises
        ------
        InvalidInput
            If no task was ever there.
        """
        days, known = np.arange(max(0, day - window), day), self.known(day)
        if not known.any():
            raise InvalidInput(f"no task was there before day {day}")
        rows = np.empty((len(tasks), len(days), self.moments))
        for row, task in enumerate(tasks):
            source = task
            if not known[task]:
                random = np.random.default_rng([seed, day, int(task)])
                source = donor(int(task), known, self.labels, self.requests, random)
            there = np.flatnonzero(self.present[source, :day])
            nearest = np.abs(days[:, None] - there[None, :]).argmin(axis=1)
            rows[row] = self.usage[source, there[nearest]]
        return rows.reshape(len(tasks), len(days) * self.moments)

    def some(self, tasks: IntArray) -> "History":
        """Return the history of these tasks alone."""
        return History(
            [self.names[i] for i in tasks],
            self.usage[tasks],
            self.present[tasks],
            [self.labels[i] for i in tasks] if len(self.labels) else (),
            np.asarray(self.requests)[tasks] if len(self.requests) else (),
        )


def read_history(trace: Trace, label: str | None = None) -> History:
    """Lay a trace out by task, day and moment; the last day ends with the trace.

    Of several samples in one moment the last counts.

    Parameters
    ----------
    label
        Column of the facts with a class, owner or service.

    Raises
    ------
    InvalidInput
        If the trace carries no time, or less than one sample a day.
    """
    if trace.step_s is None:
        raise InvalidInput("the trace carries no time, so it has no days to compare")
    moments = round(DAY_S / max(trace.step_s, FINEST_S))
    if moments < 1:
        raise InvalidInput("the trace has less than one sample a day")
    first, days = _days(trace, moments)
    names, facts = trace.names, trace.facts
    codes = facts[CODE].to_numpy()
    usage = RowFile((len(names), days, moments))
    present = np.zeros((len(names), days), np.bool_)
    for some, cube in _cubes(trace, first, days, moments):
        there = np.isfinite(cube).mean(axis=2) >= PRESENT
        at = np.searchsorted(codes, some)
        present[at] = there
        usage.put(at, _filled(cube, there))
    labels = facts[label].to_list() if label in facts.columns else ()
    requests: FloatArray | tuple[float, ...] = ()
    if "cpu_request" in facts.columns:
        requests = facts["cpu_request"].cast(float).fill_null(np.nan).to_numpy()
    return History(names, usage.finish(), present, labels, requests)


def _cubes(
    trace: Trace, first: float, days: int, moments: int
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield codes of some tasks and their `(tasks, days, moments)` as measured."""
    group = max(1, CELLS_AT_ONCE // (days * moments))
    for series in trace.series("cpu"):
        place = np.floor((series.time - first) / DAY_S * moments + 1e-6)
        place = np.clip(place.astype(np.int64), 0, days * moments - 1)
        for low in range(0, len(series.codes), group):
            codes = series.codes[low : low + group]
            bounds = series.offsets[low : low + group + 1]
            part = slice(bounds[0], bounds[-1])
            cube = np.full((len(codes), days * moments), np.nan)
            task = np.repeat(np.arange(len(codes)), np.diff(bounds))
            cube[task, place[part]] = series.values[part]
            yield codes, cube.reshape(len(codes), days, moments)


def _days(trace: Trace, moments: int) -> tuple[float, int]:
    """Return when the first day begins, and the number of days.

    A last day cut short at midnight would be a day on which hardly a task is there.
    """
    begin = float(trace.facts["start"].to_numpy().min())
    end = float(trace.facts["end"].to_numpy().max()) + DAY_S / moments
    days = max(1, int(np.ceil((end - begin) / DAY_S - 1e-6)))
    return end - days * DAY_S, days


def _filled(cube: FloatArray, present: BoolArray) -> FloatArray:
    known = np.isfinite(cube)
    at = np.where(known, np.arange(cube.shape[2]), -1)
    before = np.maximum.accumulate(at, axis=2)
    first = np.where(known.any(axis=2), known.argmax(axis=2), 0)
    source = np.where(before >= 0, before, first[:, :, None])
    filled = np.take_along_axis(cube, source, axis=2)
    return np.where(present[:, :, None], filled, np.nan)
