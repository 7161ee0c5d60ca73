"""What is said of tasks, and what stands for them while nothing else is known."""

import zlib
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Stated:
    """What was said of a task when it was placed, or last changed.

    Parameters
    ----------
    digest
        Of what was asked.
    since
        Day on which it was; what was measured until then tells of another demand, if
        there was one.
    """

    digest: str
    label: str | None
    mean: float
    variance: float
    since: int = -1


def invented(name: str, stated: Stated, count: int) -> FloatArray:
    """Return so many moments of random usage as it was stated, never negative."""
    if stated.mean == 0.0 or stated.variance == 0.0:
        return np.full(count, stated.mean)
    scale = stated.variance / stated.mean
    return random_of(name).gamma(stated.mean / scale, scale, count)


def ratio(stated: float, before: float) -> float:
    """Return how many times as much was stated; 1 where either is nothing."""
    return stated / before if stated > 0.0 and before > 0.0 else 1.0


def random_of(name: str) -> np.random.Generator:
    """Return random numbers that are the same whenever a task asks for them."""
    return np.random.default_rng(zlib.crc32(name.encode()))
