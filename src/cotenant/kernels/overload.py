"""Counts overloads of machines over realisations or moments."""

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit


@jit
def add_realisations(
    values: FloatArray, weights: FloatArray, uniforms: FloatArray, load: FloatArray
) -> None:
    # Inverse transform through an alias-free table: bucket b of the table holds the
    # first atom whose cumulated weight may reach (b + u) / buckets.
    atoms = len(values)
    cumulated = np.cumsum(weights)
    cumulated[atoms - 1] = 1.0
    first = np.empty(atoms, np.int64)
    at = 0
    for bucket in range(atoms):
        while cumulated[at] < bucket / atoms:
            at += 1
        first[bucket] = at
    for i in range(len(uniforms)):
        at = first[int(uniforms[i] * atoms)]
        while cumulated[at] <= uniforms[i]:
            at += 1
        load[i] += values[at]


@jit
def count_above(load: FloatArray, capacity: float) -> int:
    # Strictly above; the slack is rounding of a sum that equals capacity.
    limit = capacity * (1.0 + 1e-9)
    count = 0
    for value in load:
        if value > limit:
            count += 1
    return count


@jit
def add_aligned(
    load: FloatArray,
    alive: IntArray,
    covered: IntArray,
    machine: IntArray,
    offsets: IntArray,
    moments: IntArray,
    samples: FloatArray,
    hold: int,
) -> None:
    # Adds each task's samples to its machine, moment by moment. A sample holds until
    # the next one of its task, `hold` moments at most; the last one in a moment counts.
    # `alive` counts the tasks between their first and last sample, `covered` those of
    # them that have a value.
    for task in range(len(offsets) - 1):
        row = machine[task]
        low, high = offsets[task], offsets[task + 1]
        if row < 0:
            continue
        for moment in range(moments[low], moments[high - 1] + 1):
            alive[row, moment] += 1
        for i in range(low, high):
            until = moments[i + 1] if i + 1 < high else moments[i] + 1
            for moment in range(moments[i], min(until, moments[i] + hold)):
                load[row, moment] += samples[i]
                covered[row, moment] += 1
