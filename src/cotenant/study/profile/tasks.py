"""Each task by itself: how far its usage spreads, and what averages hide of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.kernels.atoms import moments
from cotenant.study.profile.parts import Absent, Part, Quantiles
from cotenant.traces.trace import Series

POINTS = 400  # of a scatter plot
LEAST_TASKS = 3  # for a line through them


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """Standard deviations of the tasks for one kind of data.

    Parameters
    ----------
    mean, variance
        Averages over tasks.
    slope, offset, r_squared
        Least squares line: standard deviation = slope * mean + offset, every task of
        equal weight; r_squared is the share of the variance it explains.
    deviation
        Percentiles of the standard deviation.
    points
        Mean and standard deviation of some tasks, drawn at random.
    """

    data: str
    tasks: int
    mean: float
    variance: float
    slope: float
    offset: float
    r_squared: float
    deviation: Quantiles
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Spread(Part[SpreadRow]):
    """How far usage spreads around its mean, one row a kind of data."""


def spread(
    kinds: Sequence[tuple[str, Series, FloatArray]], seed: int = 0
) -> Spread | Absent:
    """Describe the standard deviations of tasks and their regression on the mean.

    Parameters
    ----------
    kinds
        Name, samples and how long each sample stands, for instance for instantaneous
        samples and for averages; a kind with fewer than 3 tasks is left out.
    """
    rows = []
    for name, series, weights in kinds:
        if len(series.codes) < LEAST_TASKS:
            continue
        mean, variance = task_moments(series, weights)
        rows.append(_spread_row(name, mean, variance, seed))
    if not rows:
        return Absent("fewer than 3 tasks are left to draw a line through")
    return Spread(tuple(rows))


def task_moments(
    series: Series, weights: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of each task; every sample of weight 1 by default."""
    if weights is None:
        weights = np.ones(len(series.values))
    mean, variance = moments(series.offsets, series.values, weights)[:2]
    return mean, variance


def _spread_row(
    name: str, mean: FloatArray, variance: FloatArray, seed: int
) -> SpreadRow:
    deviation = np.sqrt(variance)
    away = mean - mean.mean()
    square = float(away @ away)
    slope = float(away @ deviation) / square if square > 0 else 0.0
    offset = float(deviation.mean()) - slope * float(mean.mean())
    rest = deviation - slope * mean - offset
    total = float(deviation.var())
    shown = np.random.default_rng([seed, 2]).permutation(len(mean))[:POINTS]
    return SpreadRow(
        name,
        len(mean),
        float(mean.mean()),
        float(variance.mean()),
        slope,
        offset,
        1.0 - float(rest.var()) / total if total > 0 else 0.0,
        Quantiles.of(deviation),
        tuple(zip(mean[shown].tolist(), deviation[shown].tolist(), strict=True)),
    )


@dataclass(frozen=True, slots=True)
class VarianceFactorRow:
    """How much larger the variance of samples is than that of averages.

    Parameters
    ----------
    factor
        Sum of the variances of the samples over the sum of those of the averages: what
        the variance of averages has to be multiplied by.
    of_tasks
        Percentiles of the same ratio of single tasks, where it exists.
    """

    tasks: int
    factor: float
    of_tasks: Quantiles


@dataclass(frozen=True, slots=True)
class VarianceFactor(Part[VarianceFactorRow]):
    """What averaging hides, in one row."""


def variance_factor(samples: Series, averages: Series) -> VarianceFactor | Absent:
    """Compare the variance of samples and averages of the same intervals.

    Parameters
    ----------
    samples, averages
        Of the same shape.
    """
    if not len(samples.codes):
        return Absent("no task has both instantaneous samples and interval averages")
    instantaneous = task_moments(samples)[1]
    averaged = task_moments(averages)[1]
    known = averaged > 0
    if not known.any():
        return Absent("the interval averages of every task are constant")
    ratio = instantaneous[known] / averaged[known]
    factor = float(instantaneous.sum() / averaged.sum())
    row = VarianceFactorRow(len(samples.codes), factor, Quantiles.of(ratio))
    return VarianceFactor((row,))
