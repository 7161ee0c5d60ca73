"""Normal sums and their corrections, for all machines at once."""

import math

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.kernels._jit import jit


@jit
def levels(sums: FloatArray, add: FloatArray, z: float) -> FloatArray:
    # Mean plus z standard deviations. Rows of `sums` are machines, columns the mean
    # and the variance.
    result = np.empty(len(sums))
    for machine in range(len(sums)):
        spread = math.sqrt(sums[machine, 1] + add[1])
        result[machine] = sums[machine, 0] + add[0] + z * spread
    return result


@jit
def overloads(sums: FloatArray, capacity: FloatArray, add: FloatArray) -> FloatArray:
    # Normal tail beyond capacity, mean over slots. erfc keeps the digits of far tails.
    # Columns of `sums` are the means of all slots, then their variances.
    machines, slots = sums.shape[0], sums.shape[1] // 2
    result = np.empty(machines)
    for machine in range(machines):
        total = 0.0
        for slot in range(slots):
            room = capacity[machine] - sums[machine, slot] - add[slot]
            spread = sums[machine, slots + slot] + add[slots + slot]
            if spread <= 0.0:
                total += 0.0 if room >= 0.0 else 1.0
            else:
                total += 0.5 * math.erfc(room / math.sqrt(2.0 * spread))
        result[machine] = total / slots
    return result


@jit
def one_factor_levels(sums: FloatArray, add: FloatArray, z: float) -> FloatArray:
    # What tasks share adds up as deviations, what is their own as variances. Columns
    # of `sums` are the mean, the own variance and the shared deviation.
    result = np.empty(len(sums))
    for machine in range(len(sums)):
        together = sums[machine, 2] + add[2]
        spread = math.sqrt(sums[machine, 1] + add[1] + together * together)
        result[machine] = sums[machine, 0] + add[0] + z * spread
    return result


@jit
def cumulant_levels(sums: FloatArray, add: FloatArray, z: float) -> FloatArray:
    # Mean plus w standard deviations, w the larger of two corrections of z for skew
    # and kurtosis. Rows of `sums` are machines, columns the first four cumulants.
    result = np.empty(len(sums))
    for machine in range(len(sums)):
        mean = sums[machine, 0] + add[0]
        variance = sums[machine, 1] + add[1]
        if variance <= 0.0:
            result[machine] = mean
            continue
        spread = math.sqrt(variance)
        skew = (sums[machine, 2] + add[2]) / spread**3
        excess = (sums[machine, 3] + add[3]) / variance**2
        w = max(_cornish_fisher(z, skew, excess), _shifted_gamma(z, skew))
        result[machine] = mean + spread * w
    return result


@jit
def _cornish_fisher(z: float, skew: float, excess: float) -> float:
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
def _shifted_gamma(z: float, skew: float) -> float:
    # Wilson and Hilferty's cube root, for a gamma law of the same skew.
    if abs(skew) < 1e-6:
        return z
    root = max(1.0 + skew * z / 6.0 - skew * skew / 36.0, 0.0)
    return (2.0 / skew) * (root**3 - 1.0)
