"""Distributions that the usage of a synthetic task may follow.

Every shape draws `size` values for a task from its mean and its standard deviation
(both positive, in machine fractions) and keeps the mean, cut-offs apart.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from cotenant.arrays import FloatArray

Shape: TypeAlias = Callable[[np.random.Generator, float, float, int], FloatArray]


def gamma(
    rng: np.random.Generator, mean: float, deviation: float, size: int
) -> FloatArray:
    """Draw from a gamma distribution."""
    cv = deviation / mean
    return rng.gamma(1.0 / cv**2, mean * cv**2, size)


def lognormal(
    rng: np.random.Generator, mean: float, deviation: float, size: int
) -> FloatArray:
    """Draw from a lognormal distribution."""
    variance = math.log1p((deviation / mean) ** 2)
    return rng.lognormal(math.log(mean) - variance / 2, math.sqrt(variance), size)


def folded_normal(
    rng: np.random.Generator, mean: float, deviation: float, size: int
) -> FloatArray:
    """Draw absolute values of a normal distribution, whose mean is a little higher."""
    return np.abs(rng.normal(mean, deviation, size))


def bimodal(
    rng: np.random.Generator, mean: float, deviation: float, size: int
) -> FloatArray:
    """Draw from two narrow modes with a random share of the high one."""
    share = rng.uniform(0.2, 0.8)
    between = max(0.1 * deviation**2, deviation**2 - (0.25 * mean) ** 2)
    distance = math.sqrt(between / (share * (1 - share)))
    low = max(mean - share * distance, 0.02 * mean)
    high = (mean - (1 - share) * low) / share
    return _mixed(
        share,
        gamma(rng, high, 0.2 * high, size),
        gamma(rng, low, 0.25 * low, size),
        rng,
    )


def spikes(
    rng: np.random.Generator, mean: float, deviation: float, size: int
) -> FloatArray:
    """Draw from a body with rare high spikes, which carry most of the variance."""
    share = 0.03
    spike = mean + deviation * math.sqrt(0.6 / share)
    body = max((mean - share * spike) / (1 - share), 0.2 * mean)
    cv = max(math.sqrt(0.4) * deviation / mean, 0.05)
    return _mixed(
        share,
        gamma(rng, spike, 0.2 * spike, size),
        gamma(rng, body, cv * body, size),
        rng,
    )


def burst(spread: float) -> Shape:
    """Make the shape of a task that idles and bursts.

    Parameters
    ----------
    spread
        Coefficient of variation inside a burst, positive.
    """

    def draw(
        rng: np.random.Generator, mean: float, deviation: float, size: int
    ) -> FloatArray:
        share = min(1.0, (1 + spread**2) / (1 + (deviation / mean) ** 2))
        high = 0.9 * mean / share
        return _mixed(
            share,
            lognormal(rng, high, spread * high, size),
            rng.exponential(0.1 * mean, size),
            rng,
        )

    return draw


def _mixed(
    share: float, first: FloatArray, second: FloatArray, rng: np.random.Generator
) -> FloatArray:
    return np.where(rng.random(first.size) < share, first, second)
