"""How soon the mean of a task is known: means of k samples against a better one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.study.profile.parts import Absent, Part, Quantiles
from cotenant.study.profile.readings import counts
from cotenant.traces.trace import Series

RECORDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, slots=True)
class BiasRow:
    """Relative difference of two means after so many records, over tasks."""

    records: int
    tasks: int
    mean: float
    difference: Quantiles


@dataclass(frozen=True, slots=True)
class Bias(Part[BiasRow]):
    """How far the mean of k instantaneous samples is from a better one.

    Parameters
    ----------
    against
        `averages`: the mean of the averages of the same k intervals. `all samples`:
        the mean of all samples of the task.
    """

    against: str


def bias(
    samples: Series,
    averages: Series | None = None,
    records: Sequence[int] = RECORDS,
    seed: int = 0,
) -> Bias | Absent:
    """Compare the mean of k samples with a mean that is known better.

    With averages of the same intervals, the first k of both are compared for tasks with
    at least k records. Without, k samples drawn at random without replacement are
    compared with all samples of the task, for tasks with at least 2 k, so that a task
    is not compared with itself. Differences are relative to the better mean; tasks
    where that is 0 are left out.

    Parameters
    ----------
    samples, averages
        Of the same shape where both are given.
    """
    if averages is None:
        samples = _shuffled(samples, np.random.default_rng([seed, 1]))
    sizes = counts(samples)
    rows = []
    for k in records:
        tasks = np.flatnonzero(sizes >= (k if averages is not None else 2 * k))
        low = samples.offsets[tasks]
        mean = _means(samples.values, low, low + k)
        if averages is not None:
            better = _means(averages.values, low, low + k)
        else:
            better = _means(samples.values, low, samples.offsets[tasks + 1])
        known = better > 0
        if not known.any():
            continue
        off = mean[known] / better[known] - 1.0
        rows.append(BiasRow(k, len(off), float(off.mean()), Quantiles.of(off)))
    if not rows:
        return Absent("no task has two samples")
    return Bias(tuple(rows), "all samples" if averages is None else "averages")


def _shuffled(series: Series, rng: np.random.Generator) -> Series:
    owner = np.repeat(np.arange(len(series.codes)), np.diff(series.offsets))
    order = np.lexsort((rng.random(len(owner)), owner))
    return Series(series.codes, series.offsets, series.time, series.values[order])


def _means(values: FloatArray, low: IntArray, high: IntArray) -> FloatArray:
    # Sums up to 16 million positive numbers: 9 digits are left at worst.
    sums = np.concatenate([[0.0], np.cumsum(values)])
    means: FloatArray = (sums[high] - sums[low]) / np.maximum(high - low, 1)
    return means
