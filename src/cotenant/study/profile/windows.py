"""Does the usage of a task keep its distribution? Neighbouring windows compared."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.study.profile.parts import Absent, Part
from cotenant.study.profile.readings import counts
from cotenant.traces.trace import Series

WINDOWS = (12, 24, 36)
LEVEL = 0.05
_AT_ONCE = 100_000  # pairs of windows held in memory


@dataclass(frozen=True, slots=True)
class StationarityRow:
    """Rejections for one length of windows.

    Parameters
    ----------
    window
        Samples a window.
    pairs
        Pairs of neighbouring windows tested.
    rejected
        Share of the pairs that differ at the level of the test.
    by_chance
        The share to expect from usage that never changes; less where values repeat.
    """

    window: int
    tasks: int
    pairs: int
    rejected: float
    by_chance: float


@dataclass(frozen=True, slots=True)
class Stationarity(Part[StationarityRow]):
    """Whether neighbouring windows of a task have one distribution.

    Parameters
    ----------
    level
        Largest accepted probability of a false rejection.
    """

    level: float


def stationarity(
    series: Series, windows: Sequence[int] = WINDOWS, level: float = LEVEL
) -> Stationarity | Absent:
    """Test each window of a task against the next one.

    The two-sample Kolmogorov-Smirnov test with exact critical values: samples of a
    window are taken as independent, so correlation within a window raises rejections.
    Windows do not overlap; what is left at the end of a task is not used.
    """
    rows = []
    for window in windows:
        tasks = np.flatnonzero(counts(series) >= 2 * window)
        starts = _starts(series.offsets, tasks, window)
        if not len(starts):
            continue
        critical, chance = critical_difference(window, level)
        far = sum(
            int((_differences(series.values, part, window) >= critical).sum())
            for part in np.array_split(starts, -(-len(starts) // _AT_ONCE))
        )
        rows.append(
            StationarityRow(window, len(tasks), len(starts), far / len(starts), chance)
        )
    if not rows:
        return Absent(f"no task has {2 * min(windows)} samples, two windows' worth")
    return Stationarity(tuple(rows), level)


def critical_difference(window: int, level: float) -> tuple[int, float]:
    """Return the least difference that is significant, and its exact probability.

    Differences are between two empirical distributions of `window` samples each,
    in steps of 1 / window (Gnedenko and Korolyuk, 1951).
    """
    for difference in range(1, window + 1):
        chance = _tail(window, difference)
        if chance <= level:
            return difference, chance
    return window + 1, 0.0


def _tail(window: int, difference: int) -> float:
    paths = math.comb(2 * window, window)
    terms = (
        (-1 if j % 2 == 0 else 1) * math.comb(2 * window, window - j * difference)
        for j in range(1, window // difference + 1)
    )
    return 2 * sum(terms) / paths


def _starts(offsets: IntArray, tasks: IntArray, window: int) -> IntArray:
    pairs = (offsets[tasks + 1] - offsets[tasks]) // window - 1
    number = np.arange(pairs.sum()) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    return np.asarray(np.repeat(offsets[tasks], pairs) + number * window, np.int64)


def _differences(values: FloatArray, starts: IntArray, window: int) -> IntArray:
    """Return the largest difference of each pair, in steps of 1 / window."""
    both = values[starts[:, None] + np.arange(2 * window)]
    order = both.argsort(axis=1)
    walk = np.where(order < window, 1, -1).cumsum(axis=1)
    ordered = np.take_along_axis(both, order, axis=1)
    # Among equal values the walk has not arrived anywhere yet.
    walk[:, :-1][ordered[:, 1:] == ordered[:, :-1]] = 0
    return np.asarray(np.abs(walk).max(axis=1), np.int64)
