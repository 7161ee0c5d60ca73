"""Usage that was declared by its moments: a gamma distribution, cut into 60 values."""

import math
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.demand.usage import Usage

PRIOR = 24
"""Samples that a declaration by moments weighs as much as: two hours of 5 minutes."""

NORMAL = 1e-3
"""Coefficient of variation below which gamma is taken as the normal law."""

MOST = 8192
"""Shapes remembered."""

Shape: TypeAlias = tuple[FloatArray, FloatArray]
"""Values of the law of mean 1, and their weights."""

_BULK = np.arange(1, 32) / 32
_TAIL = 2.0 ** -np.arange(6.0, 34.0)
_WEIGHTS = -np.diff(np.concatenate([[1.0], 1.0 - _BULK, _TAIL, [0.0]]))

_shapes: dict[float, Shape] = {}


def from_moments(mean: float, variance: float) -> Usage:
    """Return the gamma distribution with a mean and a variance, cut into 60 values.

    Gamma is never negative and has a heavier upper tail than the normal law. The cuts
    are finest in the upper tail, down to 1e-10; each piece is taken at its mean. The
    mean is kept exactly, the variance of the values to about 2 %.
    """
    if mean == 0.0 or variance == 0.0:
        return Usage(mean, 0.0, np.array([mean]), np.ones(1), PRIOR)
    return shaped(mean, variance, spread(mean, variance))


def shaped(mean: float, variance: float, relative: float) -> Usage:
    """Return the same for a variance above 0 whose `spread` is known."""
    values, weights = shape_of(relative)
    third, fourth = 2.0 * variance**2 / mean, 6.0 * variance**3 / mean**2
    return Usage(mean, variance, mean * values, weights, PRIOR, None, third, fourth)


def is_declared(usage: Usage) -> bool:
    """Say whether a usage is, bit for bit, what `from_moments` makes of its moments."""
    if usage.observations != PRIOR:
        return False
    if usage.mean and usage.variance:
        _, weights = shape_of(spread(usage.mean, usage.variance))
        if usage.weights is weights:
            return True  # nobody else makes a usage of these
    made = from_moments(usage.mean, usage.variance)
    return (
        np.array_equal(made.values, usage.values)
        and np.array_equal(made.weights, usage.weights)
        and (made.third, made.fourth) == (usage.third, usage.fourth)
        and (usage.request, usage.shared) == (None, 0.0)
    )


def spread(mean: float, variance: float) -> float:
    """Return the coefficient of variation to three digits: what the shape follows."""
    return float(f"{math.sqrt(variance) / mean:.2e}")


def shape_of(relative: float) -> Shape:
    """Return the law of mean 1 with a coefficient of variation."""
    found = _shapes.get(relative)
    if found is None:
        found = _cut(relative)
        remember({relative: found})
    return found


def remember(shapes: Mapping[float, Shape]) -> None:
    """Take shapes as they were cut once: by spread.

    So a start need not cut them anew, and answers are the same to the bit even where
    another version of the library would cut them a hair differently.
    """
    if len(_shapes) + len(shapes) > MOST:
        _shapes.clear()
    _shapes.update(shapes)


def _cut(relative: float) -> Shape:
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
