"""Level of a normal sum: mean plus z standard deviations."""

import math

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.kernels._jit import jit


@jit
def levels(
    mean: FloatArray,
    variance: FloatArray,
    add_mean: float,
    add_variance: float,
    z: float,
) -> FloatArray:
    result = np.empty(len(mean))
    for machine in range(len(mean)):
        spread = math.sqrt(variance[machine] + add_variance)
        result[machine] = mean[machine] + add_mean + z * spread
    return result
