"""Replay of aligned histories with headroom: who takes a task, and packing."""

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.kernels._jit import jit

# Sums of decimals that equal the limit are not above it.
_SLACK = 1e-9
_BLOCK = 256


@jit
def _fits(
    load: FloatArray,
    mean: float,
    series: FloatArray,
    usage_mean: float,
    capacity: float,
    margin: float,
    allowed: int,
) -> bool:
    limit = capacity * (1.0 + _SLACK) - (margin - 1.0) * (mean + usage_mean)
    above, end = 0, len(series)
    # In blocks: a count without a way out of it is done several moments at a time.
    for start in range(0, end, _BLOCK):
        for moment in range(start, min(start + _BLOCK, end)):
            above += load[moment] + series[moment] > limit
        if above > allowed:
            return False
    return True


@jit
def admits(
    loads: FloatArray,
    means: FloatArray,
    capacity: FloatArray,
    series: FloatArray,
    usage_mean: float,
    margin: float,
    allowed: int,
) -> BoolArray:
    # Rows of `loads` are machines, columns moments of the history.
    result = np.zeros(len(means), np.bool_)
    for machine in range(len(means)):
        result[machine] = _fits(
            loads[machine],
            means[machine],
            series,
            usage_mean,
            capacity[machine],
            margin,
            allowed,
        )
    return result


@jit
def count_over(
    load: FloatArray,
    mean: float,
    series: FloatArray,
    usage_mean: float,
    capacity: float,
    margin: float,
) -> int:
    limit = capacity * (1.0 + _SLACK) - (margin - 1.0) * (mean + usage_mean)
    above = 0
    for moment in range(len(series)):
        if load[moment] + series[moment] > limit:
            above += 1
    return above


@jit
def first_fit(
    history: FloatArray,
    order: IntArray,
    capacity: float,
    margin: float,
    allowed: int,
) -> IntArray:
    # The machine of each task, tasks taken in `order`; rows of `history` are tasks. A
    # task that fails alone gets a machine of its own that takes no other.
    tasks, moments = history.shape
    placed = np.full(tasks, -1, np.int64)
    loads = np.zeros((16, moments))
    means = np.zeros(16)
    closed = np.zeros(16, np.bool_)
    machines = 0
    empty = np.zeros(moments)
    for task in order:
        series = history[task]
        usage_mean = series.mean()
        chosen = -1
        alone = _fits(empty, 0.0, series, usage_mean, capacity, margin, allowed)
        if alone:
            for machine in range(machines):
                if not closed[machine] and _fits(
                    loads[machine],
                    means[machine],
                    series,
                    usage_mean,
                    capacity,
                    margin,
                    allowed,
                ):
                    chosen = machine
                    break
        if chosen < 0:
            if machines == len(means):
                loads = np.concatenate((loads, np.zeros_like(loads)))
                means = np.concatenate((means, np.zeros_like(means)))
                closed = np.concatenate((closed, np.zeros_like(closed)))
            chosen = machines
            closed[chosen] = not alone
            machines += 1
        for moment in range(moments):
            loads[chosen, moment] += series[moment]
        means[chosen] += usage_mean
        placed[task] = chosen
    return placed


@jit
def overloads(
    usage: FloatArray, placed: IntArray, machines: int, capacity: float
) -> IntArray:
    # Moments above capacity of each machine; rows of `usage` are tasks.
    tasks, moments = usage.shape
    loads = np.zeros((machines, moments))
    for task in range(tasks):
        if placed[task] >= 0:
            for moment in range(moments):
                loads[placed[task], moment] += usage[task, moment]
    result = np.zeros(machines, np.int64)
    for machine in range(machines):
        for moment in range(moments):
            if loads[machine, moment] > capacity * (1.0 + _SLACK):
                result[machine] += 1
    return result
