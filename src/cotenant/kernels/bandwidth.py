"""Log moment generating functions of many tasks at one tilt."""

import math

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit


@jit
def log_mgf(
    starts: IntArray, values: FloatArray, weights: FloatArray, theta: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    # K(theta) = log E exp(theta X) of each task, with its first two derivatives.
    tasks = len(starts) - 1
    result, first, second = np.empty(tasks), np.empty(tasks), np.empty(tasks)
    for task in range(tasks):
        low, high = starts[task], starts[task + 1]
        # Tilted from the largest value, so that exp never overflows.
        top = values[high - 1]
        total, tilted, squared = 0.0, 0.0, 0.0
        for i in range(low, high):
            mass = weights[i] * math.exp(theta * (values[i] - top))
            total += mass
            tilted += mass * values[i]
            squared += mass * values[i] * values[i]
        mean = tilted / total
        result[task] = theta * top + math.log(total)
        first[task] = mean
        second[task] = max(squared / total - mean * mean, 0.0)
    return result, first, second
