"""Was an SLA kept? Judged from measurements of the time that was granted."""

from dataclasses import dataclass

import numpy as np

from cotenant.arrays import BoolArray, IntArray
from cotenant.demand.schedule import Window
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput


@dataclass(frozen=True, slots=True, eq=False)
class Grants:
    """Readings of a counter of granted time.

    Parameters
    ----------
    time
        Nanoseconds, ascending.
    total
        Granted so far, nanoseconds; never falls.
    """

    time: IntArray
    total: IntArray

    def bounds(self, at: IntArray) -> tuple[IntArray, IntArray]:
        """Return the least and the most that can have been granted by some moments.

        Between readings the counter may have run at any time, and no faster than the
        clock, unless two readings show that it did: then one core does not bound it.
        """
        after = np.searchsorted(self.time, at, side="left")
        before = np.searchsorted(self.time, at, side="right") - 1
        low, high = self.total[before], self.total[after]
        if (np.diff(self.total) > np.diff(self.time)).any():
            return low, high
        return (
            np.maximum(low, high - (self.time[after] - at)),
            np.minimum(high, low + (at - self.time[before])),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """What the periods of an SLA got, as far as the readings tell.

    Parameters
    ----------
    first
        Number of the first period judged, from the origin.
    missed
        For each period, whether it surely got less than the budget.
    unclear
        For each period, whether it may have got less or not.
    windows
        Number of the first period of each window.
    misses, doubts
        Missed and unclear periods of each window.
    kept
        Whether no window has more misses than allowed; None where that hangs on
        unclear periods.
    """

    first: int
    missed: BoolArray
    unclear: BoolArray
    windows: IntArray
    misses: IntArray
    doubts: IntArray
    kept: bool | None


def audit(
    grants: Grants,
    sla: Sla,
    *,
    tick: int,
    origin: int | None = None,
    window: Window = "aligned",
) -> Audit:
    """Judge the periods that the readings cover as a whole.

    Parameters
    ----------
    sla
        A rigid one.
    tick
        Nanoseconds.
    origin
        When period 0 starts, nanoseconds on the clock of the readings; None for the
        first reading. Periods before it are not judged.
    window
        Whether misses count in windows one after the other from the origin, or in every
        run of so many periods. A window that is covered in part counts what it has.

    Raises
    ------
    InvalidInput
        If the SLA is fluid.

    Examples
    --------
    >>> ms = 10**6
    >>> time, total = np.array([0, 2, 10, 12, 20]), np.array([0, 2, 2, 3, 3])
    >>> audit(Grants(time * ms, total * ms), Sla(2, 10), tick=ms).missed
    array([False,  True])
    """
    if sla.is_fluid:
        raise InvalidInput(
            f"{sla} leaves the period open; audit the one supplied, such as "
            f"{sla.at(sla.period)}"
        )
    start = int(grants.time[0]) if origin is None else origin
    length = sla.period * tick
    first = max(-((start - int(grants.time[0])) // length), 0)
    last = max((int(grants.time[-1]) - start) // length, first)
    edges = start + np.arange(first, last + 1, dtype=np.int64) * length
    low, high = grants.bounds(edges) if last > first else (edges, edges)
    missed = high[1:] - low[:-1] < sla.budget * tick
    met = low[1:] - high[:-1] >= sla.budget * tick
    unclear = ~(missed | met)
    starts = _windows(first, last, sla.window, window)
    misses = _counts(missed, starts - first, sla.window)
    doubts = _counts(unclear, starts - first, sla.window)
    return Audit(
        first,
        missed,
        unclear,
        starts,
        misses,
        doubts,
        _verdict(misses, doubts, sla.misses),
    )


def _windows(first: int, last: int, length: int, window: Window) -> IntArray:
    if window == "aligned":
        return np.arange(first - first % length, last, length, dtype=np.int64)
    return np.arange(first, max(last - length, first) + 1, dtype=np.int64)


def _counts(which: BoolArray, starts: IntArray, length: int) -> IntArray:
    total = np.concatenate(([0], np.cumsum(which, dtype=np.int64)))
    ends = np.minimum(starts + length, len(which))
    return np.asarray(total[ends] - total[np.maximum(starts, 0)], dtype=np.int64)


def _verdict(misses: IntArray, doubts: IntArray, allowed: int) -> bool | None:
    if (misses > allowed).any():
        return False
    return None if (misses + doubts > allowed).any() else True
