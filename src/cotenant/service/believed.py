"""What the service believes a task uses: declared at first, measured by and by."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.demand.task import Task
from cotenant.demand.usage import Usage, usages
from cotenant.service.asked import Measured, Moments, TaskSpec

PRIOR = 24
"""Samples that a declaration by moments weighs as much as: two hours of 5 minutes."""

NORMAL = 1e-3
"""Coefficient of variation below which gamma is taken as the normal law."""

_BULK = np.arange(1, 32) / 32
_TAIL = 2.0 ** -np.arange(6.0, 34.0)
_WEIGHTS = -np.diff(np.concatenate([[1.0], 1.0 - _BULK, _TAIL, [0.0]]))


def believe(spec: TaskSpec) -> Task:
    """Return what a task is believed to use before it is measured.

    Samples are taken as they are; moments as a gamma distribution, see `from_moments`.
    """
    usage = {resource: _usage(m) for resource, m in spec.usage.items()}
    return Task(spec.name, usage, spec.label)


def sharpen(task: Task, samples: Mapping[str, Sequence[float]]) -> Task:
    """Return what a task is believed to use after more samples.

    The distributions are mixed by the number of samples each rests on, so that the
    order in which samples arrive matters for rounding only and a declaration fades as
    measurements accumulate. Resources without samples stay as they are.
    """
    usage = dict(task.usage)
    for resource, values in samples.items():
        fresh = Usage.from_samples(values)
        known = usage.get(resource)
        usage[resource] = fresh if known is None else merge(known, fresh)
    return replace(task, usage=usage)


def merge(one: Usage, other: Usage) -> Usage:
    """Return the usage of all samples of both, each side by its number of samples."""
    count = one.observations + other.observations
    share = one.observations / count
    values = np.concatenate([one.values, other.values])
    weights = np.concatenate([one.weights * share, other.weights * (1.0 - share)])
    order = np.argsort(values, kind="stable")
    offsets = np.array([0, len(values)], dtype=np.int64)
    merged = usages(offsets, values[order], weights[order])[0]
    # Moments are merged exactly; those of the values lose a little where they merge.
    mean = share * one.mean + (1.0 - share) * other.mean
    between = share * (1.0 - share) * (one.mean - other.mean) ** 2
    variance = share * one.variance + (1.0 - share) * other.variance + between
    return replace(merged, mean=mean, variance=variance, observations=count)


def from_moments(mean: float, variance: float) -> Usage:
    """Return the gamma distribution with a mean and a variance, cut into 60 values.

    Gamma is never negative and has a heavier upper tail than the normal law. The cuts
    are finest in the upper tail, down to 1e-10; each piece is taken at its mean. The
    mean is kept exactly, the variance of the values to about 2 %.
    """
    if mean == 0.0 or variance == 0.0:
        return Usage(mean, 0.0, np.array([mean]), np.ones(1), PRIOR)
    third, fourth = 2.0 * variance**2 / mean, 6.0 * variance**3 / mean**2
    relative = math.sqrt(variance) / mean
    values, weights = _standard(float(f"{relative:.2e}"))
    return Usage(mean, variance, mean * values, weights, PRIOR, None, third, fourth)


def is_declared(usage: Usage) -> bool:
    """Say whether a usage is, bit for bit, what `from_moments` makes of its moments."""
    if usage.observations != PRIOR:
        return False
    made = from_moments(usage.mean, usage.variance)
    if usage.weights is made.weights:
        return True  # nobody else makes a usage of these
    return (
        np.array_equal(made.values, usage.values)
        and np.array_equal(made.weights, usage.weights)
        and (made.third, made.fourth) == (usage.third, usage.fourth)
        and (usage.request, usage.shared) == (None, 0.0)
    )


@lru_cache(maxsize=8192)
def _standard(relative: float) -> tuple[FloatArray, FloatArray]:
    """Cut the gamma distribution of mean 1 and a coefficient of variation."""
    # Imported here: it takes a quarter of a second, for which no start has to wait.
    from scipy.special import gammainc, gammaincc, gammainccinv, gammaincinv

    if relative < NORMAL:
        values = 1.0 + relative * _normal_means()
    else:
        shape = relative**-2
        cuts = np.concatenate([gammaincinv(shape, _BULK), gammainccinv(shape, _TAIL)])
        # The mean of a piece is a difference of the same law with a shape one larger;
        # differences of small numbers keep their digits.
        low = np.diff(gammainc(shape + 1.0, cuts), prepend=0.0)
        high = -np.diff(gammaincc(shape + 1.0, cuts), append=0.0)
        half = len(_BULK)
        values = np.concatenate([low[:half], high[half - 1 :]]) / _WEIGHTS
    values = np.maximum.accumulate(values)
    distinct = np.flatnonzero(np.diff(values, prepend=-1.0) > 0.0)
    return values[distinct], np.add.reduceat(_WEIGHTS, distinct)


def _normal_means() -> FloatArray:
    from scipy.special import ndtri

    cuts = np.concatenate([ndtri(_BULK), -ndtri(_TAIL)])
    heights = np.exp(-0.5 * cuts * cuts) / math.sqrt(2.0 * math.pi)
    edges = np.concatenate([[0.0], heights, [0.0]])
    return np.asarray(-np.diff(edges) / _WEIGHTS, dtype=np.float64)


def _usage(measured: Measured) -> Usage:
    if isinstance(measured, Moments):
        return from_moments(measured.mean, measured.variance)
    return Usage.from_samples(measured)
