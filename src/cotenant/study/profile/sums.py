"""Sums of tasks in drawn moments, and whether they are normal."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from cotenant.arrays import FloatArray, IntArray
from cotenant.study.profile.parts import Absent, Part
from cotenant.study.profile.tasks import task_moments
from cotenant.traces.trace import Series

SIZES = (10, 20, 30, 40, 50, 100, 200, 300, 400, 500)
REALISATIONS = 10_000
TESTED = 5_000  # realisations that a normality test sees
GROUPS = 100
MOST_TASKS = 2_000
# 5 % point of the corrected statistic when mean and variance are estimated: D'Agostino
# and Stephens, Goodness-of-Fit Techniques (1986), table 4.7.
CRITICAL = 0.752
LEVEL = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Realised:
    """Usage of tasks in drawn moments, tasks taken as independent.

    Parameters
    ----------
    usage
        `(tasks, realisations)` in single precision.
    mean, variance
        `(tasks,)` of the samples they were drawn from.
    """

    usage: NDArray[np.float32]
    mean: FloatArray
    variance: FloatArray


def realise(
    series: Series,
    realisations: int = REALISATIONS,
    most_tasks: int = MOST_TASKS,
    seed: int = 0,
) -> Realised:
    """Draw samples of each task with replacement.

    More than `most_tasks` tasks are represented by that many, drawn at random.
    """
    rng = np.random.default_rng([seed, 4])
    tasks = np.sort(rng.permutation(len(series.codes))[:most_tasks])
    mean, variance = task_moments(series)
    low, size = series.offsets[tasks], np.diff(series.offsets)[tasks]
    usage = np.empty((len(tasks), realisations), np.float32)
    for i in range(len(tasks)):
        drawn = rng.integers(size[i], size=realisations)
        usage[i] = series.values[low[i] + drawn]
    return Realised(usage, mean[tasks], variance[tasks])


def draw_groups(
    tasks: int, size: int, groups: int, rng: np.random.Generator
) -> list[IntArray]:
    """Draw groups of `size` different tasks, each from all of them."""
    return [rng.permutation(tasks)[:size] for _ in range(groups)]


def too_few(tasks: int, sizes: Sequence[int]) -> Absent:
    """Say that not even the smallest groups can be drawn."""
    # Half of all tasks: beyond that, groups are nearly one and the same.
    return Absent(
        f"groups of {min(sizes)} tasks need {2 * min(sizes)} tasks; {tasks} left"
    )


@dataclass(frozen=True, slots=True)
class NormalityRow:
    """Rejections of normality for sums of `tasks` tasks.

    Parameters
    ----------
    rejected
        Share of the groups whose sum is not normal at the level of the test.
    mean_load
        Average usage of a group.
    """

    tasks: int
    groups: int
    rejected: float
    mean_load: float


@dataclass(frozen=True, slots=True)
class Normality(Part[NormalityRow]):
    """Whether sums of tasks are normal.

    Parameters
    ----------
    realisations
        Number the test sees of each sum; more of them find smaller deviations.
    level
        Share of rejections to expect from sums that are normal.
    """

    realisations: int
    level: float


def normality(
    realised: Realised,
    sizes: Sequence[int] = SIZES,
    groups: int = GROUPS,
    tested: int = TESTED,
    seed: int = 0,
) -> Normality | Absent:
    """Test sums of random groups of tasks for normality.

    The Anderson-Darling test with mean and variance estimated, at the 5 % level, on the
    first `tested` realisations. Tasks of a group differ; sizes above half of all tasks
    are left out.
    """
    rng = np.random.default_rng([seed, 5])
    usage = realised.usage[:, :tested]
    rows = []
    for size in sizes:
        if 2 * size > len(usage):
            continue
        picked = draw_groups(len(usage), size, groups, rng)
        statistics = [
            anderson_darling(usage[tasks].sum(axis=0, dtype=np.float64))
            for tasks in picked
        ]
        rejected = float(np.mean(np.array(statistics) > CRITICAL))
        load = float(np.mean([realised.mean[tasks].sum() for tasks in picked]))
        rows.append(NormalityRow(size, groups, rejected, load))
    if not rows:
        return too_few(len(usage), sizes)
    return Normality(tuple(rows), usage.shape[1], LEVEL)


def anderson_darling(values: FloatArray) -> float:
    """Return the statistic for normality, corrected for the number of values.

    Mean and variance are estimated from the values; infinity where all are equal.
    """
    ordered, n = np.sort(values), len(values)
    deviation = ordered.std(ddof=1)
    if not deviation > 0:
        return np.inf
    z = (ordered - ordered.mean()) / deviation
    weights = 2.0 * np.arange(1, n + 1) - 1.0
    square = -n - float(weights @ (log_ndtr(z) + log_ndtr(-z[::-1]))) / n
    return square * (1.0 + 0.75 / n + 2.25 / n**2)
