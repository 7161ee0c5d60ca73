"""Schedules, and by definition whether one keeps an SLA."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from cotenant.arrays import IntArray
from cotenant.demand.sla import Sla

Window: TypeAlias = Literal["aligned", "sliding"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """Which slots a task was granted, from slot 0 on.

    Parameters
    ----------
    length
        Slots.
    granted
        Runs of granted slots as `(start, length)`, ascending, apart from each other.
        All other slots are idle.

    Examples
    --------
    >>> schedule = Schedule.of_slots([1, 1, 0, 0, 1, 0])
    >>> schedule.granted
    ((0, 2), (4, 1))
    >>> keeps(schedule, Sla(1, 2)), keeps(schedule, Sla(1, 2, misses=1, window=3))
    (False, True)
    """

    length: int
    granted: tuple[tuple[int, int], ...]

    @classmethod
    def of_slots(cls, slots: ArrayLike) -> "Schedule":
        """Make a schedule from one truth value a slot."""
        edges = np.diff(np.asarray(slots, dtype=np.int8), prepend=0, append=0)
        starts, ends = np.flatnonzero(edges > 0), np.flatnonzero(edges < 0)
        runs = zip(starts.tolist(), (ends - starts).tolist(), strict=True)
        return cls(len(edges) - 1, tuple(runs))

    def idle(self) -> tuple[IntArray, IntArray]:
        """Return starts and ends of the runs of idle slots."""
        runs = np.array(self.granted, dtype=np.int64).reshape(-1, 2)
        starts = np.concatenate(([0], runs.sum(axis=1)))
        ends = np.concatenate((runs[:, 0], [self.length]))
        some = starts < ends
        return starts[some], ends[some]


def missed_periods(schedule: Schedule, sla: Sla, origin: int = 0) -> IntArray:
    """Return which periods got less than the budget, ascending, counted from 0.

    Parameters
    ----------
    origin
        Slot at which period 0 starts. Periods that the schedule does not cover as a
        whole are not judged.
    """
    if sla.budget == 0:
        return np.zeros(0, dtype=np.int64)
    starts, ends = schedule.idle()
    first = np.maximum((starts - origin) // sla.period, 0)
    many = np.maximum((ends - 1 - origin) // sla.period + 1 - first, 0)
    before = np.cumsum(many) - many
    touched = np.repeat(first - before, many) + np.arange(many.sum())
    touched = np.unique(touched)
    begin = origin + touched * sla.period
    whole = begin + sla.period <= schedule.length
    touched, begin = touched[whole], begin[whole]
    idle = _idle_before(begin + sla.period, starts, ends)
    idle -= _idle_before(begin, starts, ends)
    return touched[sla.period - idle < sla.budget]


def keeps(
    schedule: Schedule, sla: Sla, *, window: Window = "aligned", origin: int = 0
) -> bool:
    """Say whether a schedule keeps a rigid SLA (Definitions 3 and 7 of the paper).

    Parameters
    ----------
    window
        Whether misses count in windows one after the other (the definition), or in
        every run of so many periods (the words around it). A window that the schedule
        covers in part has the misses seen so far.
    origin
        Slot at which the first period starts.
    """
    missed = missed_periods(schedule, sla, origin)
    if window == "aligned":
        _, misses = np.unique(missed // sla.window, return_counts=True)
        return bool((misses <= sla.misses).all())
    spread = missed[sla.misses :] - missed[: len(missed) - sla.misses]
    return bool((spread >= sla.window).all())


def _idle_before(slots: IntArray, starts: IntArray, ends: IntArray) -> IntArray:
    at = np.searchsorted(starts, slots)
    total = np.concatenate(([0], np.cumsum(ends - starts)))
    last = np.maximum(at - 1, 0)
    beyond = np.where(at > 0, np.maximum(ends[last] - slots, 0), 0) if len(ends) else 0
    return np.asarray(total[at] - beyond, dtype=np.int64)
