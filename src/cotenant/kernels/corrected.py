"""Quantiles of a sum in standard deviations, corrected for skew and kurtosis.

z is the normal quantile, skew and excess the standardised third and fourth cumulants.
"""

import math

from cotenant.kernels._jit import jit


@jit
def cornish_fisher(z: float, skew: float, excess: float) -> float:
    # The cubic is no quantile where it falls; the largest value up to z is taken, so
    # that a stricter promise never needs less.
    best = _cubic(z, skew, excess)
    # Its derivative is a z^2 + b z + c.
    a = excess / 8.0 - skew * skew / 6.0
    b = skew / 3.0
    c = 1.0 - excess / 8.0 + 5.0 * skew * skew / 36.0
    inside = b * b - 4.0 * a * c
    if inside >= 0.0 and a != 0.0:
        for sign in (-1.0, 1.0):
            root = (-b + sign * math.sqrt(inside)) / (2.0 * a)
            if 0.0 < root < z:
                best = max(best, _cubic(root, skew, excess))
    return best


@jit
def _cubic(z: float, skew: float, excess: float) -> float:
    return (
        z
        + (z * z - 1.0) * skew / 6.0
        + (z**3 - 3.0 * z) * excess / 24.0
        - (2.0 * z**3 - 5.0 * z) * skew * skew / 36.0
    )


@jit
def shifted_gamma(z: float, skew: float) -> float:
    # Wilson and Hilferty's cube root, for a gamma law of the same skew.
    if abs(skew) < 1e-6:
        return z
    root = max(1.0 + skew * z / 6.0 - skew * skew / 36.0, 0.0)
    return (2.0 / skew) * (root**3 - 1.0)


def steady_skew(z: float) -> float:
    # The skew up to which the deviation of the gamma law, skew included, only grows: as
    # a variance is added that leaves the third cumulant, and the other way round.
    skew, step = 0.0, 0.01
    while skew < 3.0:
        g = skew + step
        root = 1.0 + g * z / 6.0 - g * g / 36.0
        w = (root**3 - 1.0) * 2.0 / g
        slope = root**2 * (z - g / 3.0) / g - w / g
        if slope < 0.0 or w < 3.0 * g * slope:
            break
        skew = g
    return max(skew - step, 0.0)
