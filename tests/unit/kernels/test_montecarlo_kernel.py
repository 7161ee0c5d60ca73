"""Realisations drawn by number: the same whichever way they are asked for."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.kernels import montecarlo as kernel

OFFSETS = np.array([0, 3, 4, 9], dtype=np.int64)
SAMPLES = np.array([0.1, 0.2, 0.3, 0.5, 0.0, 0.1, 0.2, 0.4, 0.8])
SEEDS = np.array([1, 2**63 + 7, 3], dtype=np.uint64)


def drawn(first: int, last: int) -> np.ndarray:
    return kernel.draw(OFFSETS, SAMPLES, SEEDS, first, last)


@settings(deadline=None)
@given(st.integers(0, 300), st.integers(1, 300))
def test_a_part_of_a_stream_is_that_part_of_the_whole(first: int, size: int) -> None:
    whole = drawn(0, 600)
    assert (drawn(first, first + size) == whole[:, first : first + size]).all()


def test_tallies_count_what_is_drawn() -> None:
    values = drawn(0, 500)
    counts = kernel.tally(OFFSETS, SEEDS, 500)
    for task in range(3):
        own = SAMPLES[OFFSETS[task] : OFFSETS[task + 1]]
        for sample, count in zip(own, counts[OFFSETS[task] :], strict=False):
            assert (values[task] == np.float32(sample)).sum() == count


def test_every_sample_is_drawn_alike_and_tasks_are_independent() -> None:
    # 5 cells of 20,000 each: chi squared with 4 degrees of freedom, 18.5 at 0.1 %.
    counts = kernel.tally(OFFSETS, SEEDS, 100_000)[4:]
    assert ((counts - 20_000) ** 2 / 20_000).sum() < 18.5
    pair = drawn(0, 100_000)[[0, 2]].astype(np.float64)
    assert abs(np.corrcoef(pair)[0, 1]) < 0.01
    # Nor is a realisation tied to the next of its task.
    assert abs(np.corrcoef(pair[1][1:], pair[1][:-1])[0, 1]) < 0.01


def test_overloads_are_counted_strictly_above_capacity_from_a_column() -> None:
    values = drawn(0, 400)
    tasks = np.array([2, 0, 1], dtype=np.int64)
    ends = np.array([0, 2, 3], dtype=np.int64)
    for capacity in (0.5, 0.7, 0.9):
        for start in (0, 100):
            exact = [
                round(float(a), 4) + round(float(b), 4) > capacity + 1e-9
                for a, b in zip(values[2, start:], values[0, start:], strict=True)
            ]
            alone = (np.round(values[1, start:], 4) > capacity).sum()
            counted = kernel.count_overloads(values, tasks, ends, capacity, start)
            assert counted == sum(exact) + alone
