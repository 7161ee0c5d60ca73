"""Samples of many tasks to moments and weighted atoms."""

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit


@jit
def moments(
    offsets: IntArray, samples: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    # Mean, variance, third and fourth cumulant of each task.
    tasks = len(offsets) - 1
    mean, variance = np.zeros(tasks), np.zeros(tasks)
    third, fourth = np.zeros(tasks), np.zeros(tasks)
    for task in range(tasks):
        low, high = offsets[task], offsets[task + 1]
        if low == high:
            continue
        # Measured from the first sample, so that a steady task has no rounding at all.
        total, weight, origin = 0.0, 0.0, samples[low]
        for i in range(low, high):
            total += weights[i] * (samples[i] - origin)
            weight += weights[i]
        centre = origin + total / weight
        square, cube, tesseract = 0.0, 0.0, 0.0
        # Two passes: one pass over squares would cancel for steady tasks.
        for i in range(low, high):
            away = samples[i] - centre
            square += weights[i] * away**2
            cube += weights[i] * away**3
            tesseract += weights[i] * away**4
        mean[task], variance[task] = centre, square / weight
        third[task] = cube / weight
        fourth[task] = tesseract / weight - 3.0 * (square / weight) ** 2
    return mean, variance, third, fourth


@jit
def atoms(
    offsets: IntArray, samples: FloatArray, weights: FloatArray, limit: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    # The distribution of each task as at most `limit` weighted values: its distinct
    # samples, or the mean of each of limit - 2 equal bins between its smallest and its
    # largest sample, which both stay values of their own.
    tasks = len(offsets) - 1
    starts = np.zeros(tasks + 1, np.int64)
    values, masses = np.empty(len(samples)), np.empty(len(samples))
    count = 0
    for task in range(tasks):
        low, high = offsets[task], offsets[task + 1]
        order = low + np.argsort(samples[low:high], kind="mergesort")
        first = count
        for i in order:
            if count > first and values[count - 1] == samples[i]:
                masses[count - 1] += weights[i]
            else:
                values[count], masses[count] = samples[i], weights[i]
                count += 1
        if count - first > limit:
            count = _merge_bins(values, masses, first, count, limit)
        total = masses[first:count].sum()
        masses[first:count] /= total
        starts[task + 1] = count
    return starts, values[:count].copy(), masses[:count].copy()


@jit
def _merge_bins(
    values: FloatArray, masses: FloatArray, first: int, count: int, limit: int
) -> int:
    low, high = values[first], values[count - 1]
    scale = (limit - 2) / (high - low)
    write, last_bin = first + 1, -1
    for i in range(first + 1, count - 1):
        bin_of = min(int((values[i] - low) * scale), limit - 3)
        if bin_of == last_bin:
            mass = masses[write - 1] + masses[i]
            values[write - 1] += (values[i] - values[write - 1]) * masses[i] / mass
            masses[write - 1] = mass
        else:
            values[write], masses[write] = values[i], masses[i]
            write, last_bin = write + 1, bin_of
    values[write], masses[write] = values[count - 1], masses[count - 1]
    return write + 1
