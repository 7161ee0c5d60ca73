"""Closed forms judged by scanning every offset."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.arrays import IntArray
from cotenant.kernels import sla as kernel
from tests.sla_oracles import least_by_offsets

ticks = st.integers(1, 40)


@settings(deadline=None)
@given(data=st.data(), period=ticks, length=ticks, any_phase=st.booleans())
def test_the_least_supply_equals_a_scan_of_offsets(
    data: st.DataObject, period: int, length: int, any_phase: bool
) -> None:
    step = 1 if any_phase else math.gcd(period, length)
    budget = data.draw(st.integers(0, period))
    expected = least_by_offsets(budget, period, length, step)
    assert kernel.min_supply(budget, period, length, step) == expected


@settings(deadline=None)
@given(data=st.data(), period=ticks, length=ticks, any_phase=st.booleans())
def test_the_least_budget_is_enough_and_one_less_is_not(
    data: st.DataObject, period: int, length: int, any_phase: bool
) -> None:
    step = 1 if any_phase else math.gcd(period, length)
    asked = data.draw(st.integers(0, length))
    budget = kernel.min_budget(period, asked, length, step)
    assert 0 <= budget <= period
    assert least_by_offsets(budget, period, length, step) >= asked
    assert budget == 0 or least_by_offsets(budget - 1, period, length, step) < asked


def scanned(period: int, length: int, step: int) -> IntArray:
    """Return the least supply for every budget from 0 to the period."""
    budgets = np.arange(period + 1)[:, None, None]
    starts = np.arange(0, period, step)[None, :, None]
    firsts = np.arange(0, period + length, period)[None, None, :]
    inside = np.minimum(firsts + period, starts + length) - np.maximum(firsts, starts)
    given = np.maximum(0, budgets - (period - np.maximum(inside, 0)))
    return np.asarray(given.sum(axis=2).min(axis=1))


@pytest.mark.slow
def test_closed_forms_equal_the_scan_for_all_periods_up_to_40() -> None:
    for period in range(1, 41):
        for length in range(1, 41):
            for step in {1, math.gcd(period, length)}:
                least = scanned(period, length, step)
                found = [
                    kernel.min_supply(budget, period, length, step)
                    for budget in range(period + 1)
                ]
                assert found == least.tolist(), (period, length, step)
                budgets = np.searchsorted(least, np.arange(length + 1)).tolist()
                found = [
                    kernel.min_budget(period, asked, length, step)
                    for asked in range(length + 1)
                ]
                assert found == budgets, (period, length, step)


def test_periods_of_a_billion_ticks_do_not_overflow() -> None:
    big = 10**9
    assert kernel.min_supply(big - 1, big, big, 1) == big - 2
    assert kernel.min_budget(big - 1, big, big, 1) == big - 1
    assert kernel.min_supply(1, 1, big, 1) == big


def test_a_fluid_sla_takes_the_period_that_costs_least() -> None:
    # 2/4 over 3 to 8: at 6 it asks 3, which 1/2 gives exactly.
    assert kernel.min_budget_over(2, (2, 4), (3, 8), False) == 1
    # Alone at 5 it asks 3, and 1/2 gives only 2 of some 5.
    assert kernel.min_budget_over(2, (2, 4), (5, 5), False) == 2
