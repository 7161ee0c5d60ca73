"""Packs a whole list of tasks on equal machines by a test of sums, in one call.

A machine admits a task while size + z * sqrt(variance) of all its tasks stays within a
limit: GPA with means as sizes, or fixed sizes with no variances.
"""

import math

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit


@jit
def place(
    sizes: FloatArray,
    variances: FloatArray,
    means: FloatArray,
    z: float,
    limit: float,
    capacity: float,
    best_fit: bool,
) -> IntArray:
    # Machine of each task in order, -1 where it fits none alone. Best fit takes the
    # largest mean load over capacity, the lowest-numbered machine on a tie.
    tasks = len(sizes)
    size, variance, mean = np.zeros(tasks), np.zeros(tasks), np.zeros(tasks)
    machine = np.full(tasks, -1, np.int64)
    machines = 0
    for task in range(tasks):
        chosen, fullest = -1, -1.0
        for m in range(machines):
            spread = math.sqrt(variance[m] + variances[task])
            if size[m] + sizes[task] + z * spread > limit:
                continue
            fullness = mean[m] / capacity
            if fullness > fullest:
                chosen, fullest = m, fullness
                if not best_fit:
                    break
        if chosen < 0:
            if sizes[task] + z * math.sqrt(variances[task]) > limit:
                continue
            chosen = machines
            machines += 1
        size[chosen] += sizes[task]
        variance[chosen] += variances[task]
        mean[chosen] += means[task]
        machine[task] = chosen
    return machine


@jit
def rebalance(
    machine: IntArray, sizes: FloatArray, variances: FloatArray, z: float, limit: float
) -> None:
    # In rounds, each machine gives the last one the first of its tasks that fits there.
    # Tasks of a machine are in the order they joined, which is that of their numbers:
    # nothing joins a machine but the last, and that one gives nothing.
    last = -1
    for m in machine:
        last = max(last, m)
    size, variance = 0.0, 0.0
    for task in range(len(machine)):
        if machine[task] == last:
            size += sizes[task]
            variance += variances[task]
    moved = True
    while moved:
        moved = False
        for giver in range(last):
            for task in range(len(machine)):
                if machine[task] != giver:
                    continue
                spread = math.sqrt(variance + variances[task])
                if size + sizes[task] + z * spread <= limit:
                    machine[task] = last
                    size += sizes[task]
                    variance += variances[task]
                    moved = True
                    break
