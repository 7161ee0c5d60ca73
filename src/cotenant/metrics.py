"""The numbers results are told in: overload frequency and normalised machines."""

import math
from collections.abc import Sequence

from scipy.special import chdtri

from cotenant.arrays import FloatArray


def normalized_machines(machines: int, load_machines: float) -> float | None:
    """Return machines over the least number that could carry the mean load.

    The paper's m_norm: machines / ceil(mean load / capacity), where `load_machines` is
    mean load / capacity. None where nothing runs.
    """
    least = math.ceil(load_machines - 1e-9)
    return machines / least if least > 0 else None


def machines_above(overload: FloatArray, rho: float) -> int:
    """Count machines above rho; a billionth of rho is rounding.

    >>> import numpy as np
    >>> machines_above(np.array([0.01 + 1e-17, 0.011]), 0.01)
    1
    """
    return int((overload > rho * (1.0 + 1e-9)).sum())


def poisson_interval(count: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a frequency when `count` of `trials` were seen.

    The exact interval of Garwood (1936) for a Poisson count: it never covers less, also
    for a count of 0.

    >>> low, high = poisson_interval(0, 1000)
    >>> low, round(high, 5)
    (0.0, 0.00369)
    """
    low = chdtri(2 * count, 0.975) / 2 if count else 0.0
    high = chdtri(2 * (count + 1), 0.025) / 2
    return float(low) / trials, min(float(high) / trials, 1.0)


def mean(values: Sequence[float]) -> float:
    """Return the average, 0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0
