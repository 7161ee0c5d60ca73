"""Realisations of many tasks: drawn by number, so that no matrix has to be kept.

Realisation r of a task is one of its samples, picked by a hash of the task's seed and
of r: any part of a stream can be drawn again, in any order, with the same values.
"""

import numpy as np
from numpy.typing import NDArray

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit

Seeds = NDArray[np.uint64]
# Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_SLACK = 5e-6  # rounding of sums of single-precision numbers


@jit
def _pick(seed: np.uint64, realisation: int, size: int) -> np.int64:
    x = seed + np.uint64(realisation + 1) * _STEP
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    x = x ^ (x >> np.uint64(31))
    return np.int64(((x >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32))


@jit
def tally(offsets: IntArray, seeds: Seeds, realisations: int) -> IntArray:
    # How often each sample is among the first realisations of its task.
    counts = np.zeros(offsets[-1], np.int64)
    for task in range(len(seeds)):
        low = offsets[task]
        size = offsets[task + 1] - low
        for r in range(realisations):
            counts[low + _pick(seeds[task], r, size)] += 1
    return counts


@jit
def draw(
    offsets: IntArray, samples: FloatArray, seeds: Seeds, first: int, last: int
) -> NDArray[np.float32]:
    # Realisations first..last-1 of every task, a row each.
    values = np.empty((len(seeds), last - first), np.float32)
    for task in range(len(seeds)):
        low = offsets[task]
        size = offsets[task + 1] - low
        for r in range(first, last):
            values[task, r - first] = samples[low + _pick(seeds[task], r, size)]
    return values


@jit
def count_overloads(
    values: NDArray[np.float32],
    tasks: IntArray,
    ends: IntArray,
    capacity: float,
    start: int,
) -> int:
    # Machine-realisations strictly above capacity, from column `start`. Machine m has
    # tasks[ends[m] : ends[m + 1]].
    limit = np.float32(capacity * (1.0 + _SLACK))
    load = np.empty(values.shape[1] - start, np.float32)
    count = 0
    for machine in range(len(ends) - 1):
        load[:] = 0.0
        at, end = ends[machine], ends[machine + 1]
        # Four tasks at a time, so that loads are passed a quarter as often.
        while at + 4 <= end:
            a, b = values[tasks[at], start:], values[tasks[at + 1], start:]
            c, d = values[tasks[at + 2], start:], values[tasks[at + 3], start:]
            for r in range(len(load)):
                load[r] = (((load[r] + a[r]) + b[r]) + c[r]) + d[r]
            at += 4
        while at < end:
            a = values[tasks[at], start:]
            for r in range(len(load)):
                load[r] += a[r]
            at += 1
        for r in range(len(load)):
            if load[r] > limit:
                count += 1
    return count
