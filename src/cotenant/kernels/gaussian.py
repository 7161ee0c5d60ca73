"""Normal sums by time of day and with one shared factor, for all machines at once."""

import math

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.kernels._jit import jit


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
