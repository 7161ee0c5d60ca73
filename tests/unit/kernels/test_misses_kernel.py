"""The dynamic program judged by its plain twin, which leaves nothing out."""

import random

import numpy as np
import pytest

from cotenant.demand.sla import Sla
from cotenant.kernels import misses as kernel
from tests.sla_oracles import worst_by_tables


def found(offered: Sla, required: Sla, start: int, most: int) -> int:
    terms = (
        offered.budget,
        offered.period,
        offered.misses,
        offered.window,
        required.budget,
        required.period,
    )
    return kernel.worst(terms, required.window, most, (start, start + 1, 1))[0]


def drawn(source: random.Random, shape: int) -> tuple[Sla, Sla, int]:
    """Draw two SLAs; every third has an offered period of many required ones."""
    period, length = source.randint(1, 10), source.randint(1, 10)
    if shape % 3 == 0:
        period, length = source.randint(6, 24), source.randint(1, 4)
    window = source.randint(1, 6)
    offered = Sla(source.randint(0, period), period, source.randint(0, window), window)
    required = Sla(source.randint(1, length), length, 0, source.randint(1, 9))
    return offered, required, source.randrange(period * window)


@pytest.mark.parametrize("seed", range(4))
def test_misses_equal_the_plain_twin(seed: int) -> None:
    source = random.Random(seed)
    for shape in range(150):
        offered, required, start = drawn(source, shape)
        expected = worst_by_tables(offered, required, [start])
        assert found(offered, required, start, required.window) == expected, (
            offered,
            required,
            start,
        )


@pytest.mark.slow
def test_misses_equal_the_plain_twin_on_many_more() -> None:
    source = random.Random(99)
    for shape in range(6_000):
        offered, required, start = drawn(source, shape)
        expected = worst_by_tables(offered, required, [start])
        assert found(offered, required, start, required.window) == expected, (
            offered,
            required,
            start,
        )


def test_counting_stops_at_the_highest_of_interest() -> None:
    source = random.Random(7)
    for shape in range(200):
        offered, required, start = drawn(source, shape)
        all_of_them = found(offered, required, start, required.window)
        for most in range(required.window):
            assert found(offered, required, start, most) == min(all_of_them, most)


def test_a_sweep_in_pieces_ends_like_one_in_a_piece() -> None:
    terms, window = (3, 5, 1, 3, 2, 7), (4, 4 + 6 * 7, 6)
    whole = np.zeros((3, 2), np.int64), np.zeros((3, 2, 2), np.int64)
    pieces = whole[0].copy(), whole[1].copy()
    nothing, some = np.zeros((0, 3, 2, 2), np.int64), np.zeros((2, 3, 2, 2), np.int64)
    kernel.begin(3, 5, 4, *whole)
    kernel.begin(3, 5, 4, *pieces)
    assert kernel.sweep(terms, window, 4, *whole, nothing) == window[1]
    position = 4
    while position < window[1]:
        position = kernel.sweep(terms, window, position, *pieces, some)
    assert whole[0].max() == pieces[0].max()
