"""Response times judged by schedules run slot by slot."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.demand.sla import Sla
from cotenant.kernels import response_time as kernel
from tests.schedules import rate_monotonic, worst_responses

NEVER = np.iinfo(np.int64).max


@st.composite
def hosts(draw: st.DrawFn, most: int = 5) -> list[Sla]:
    periods = draw(
        st.lists(st.sampled_from([2, 3, 4, 5, 6, 8, 10, 12]), min_size=1, max_size=most)
    )
    return [Sla(draw(st.integers(0, period)), period) for period in sorted(periods)]


def times(slas: Sequence[Sla]) -> list[int]:
    budget = np.array([s.budget for s in slas], dtype=np.int64)
    period = np.array([s.period for s in slas], dtype=np.int64)
    return kernel.response_times(budget, period).tolist()


@settings(max_examples=300, deadline=None)
@given(slas=hosts())
def test_response_times_equal_a_simulated_schedule(slas: list[Sla]) -> None:
    expected = worst_responses(slas)
    assert times(slas) == [kernel.MISSED if t is None else t for t in expected]


@settings(max_examples=200, deadline=None)
@given(slas=hosts())
def test_accepted_hosts_keep_every_aligned_period(slas: list[Sla]) -> None:
    if kernel.MISSED in times(slas):
        return
    horizon = math.lcm(*(s.period for s in slas))
    granted = rate_monotonic(slas, horizon)
    for task, sla in enumerate(slas):
        for start in range(0, horizon, sla.period):
            got = granted[start : start + sla.period].count(task)
            assert got >= sla.budget


@settings(max_examples=300, deadline=None)
@given(slas=hosts(6))
def test_tasks_that_join_one_by_one_get_the_response_times_of_all(
    slas: list[Sla],
) -> None:
    # Joined in an order of their own; equal periods keep the order they join in.
    order = sorted(slas, key=lambda s: (s.period % 5, s.period))
    row = np.zeros((3, len(slas)), dtype=np.int64)
    for count, sla in enumerate(order):
        kernel.join(*row, count, sla.budget, sla.period)
    arranged = sorted(order, key=lambda s: s.period)
    assert row[0].tolist() == [s.budget for s in arranged]
    assert row[2].tolist() == times(arranged)


@settings(max_examples=300, deadline=None)
@given(slas=hosts(), data=st.data())
def test_admission_of_one_more_equals_the_test_of_all(
    slas: list[Sla], data: st.DataObject
) -> None:
    period = data.draw(st.integers(1, 14))
    more = Sla(data.draw(st.integers(0, period)), period)
    row = np.zeros((3, 1, len(slas)), dtype=np.int64)
    for count, sla in enumerate(slas):
        kernel.join(*row[:, 0], count, sla.budget, sla.period)
    filled = np.array([sum(s.utilization for s in slas)])
    product = np.array([math.prod(1 + s.utilization for s in slas)])
    broken = np.array([kernel.MISSED in row[2, 0]])
    refused = np.array([NEVER])
    count = np.array([len(slas)])
    fits = kernel.admits(
        *row, count, filled, product, broken, refused, more.budget, more.period
    )
    together = sorted([*slas, more], key=lambda s: s.period)
    assert fits[0] == (kernel.MISSED not in times(together))
    if refused[0] != NEVER:
        assert refused[0] == more.budget
        assert not fits[0]


def test_a_full_host_of_huge_periods_is_judged_without_overflow() -> None:
    slas = [Sla(333_333_333, 999_999_999), Sla(666_666_666, 10**9)]
    assert times(slas) == [333_333_333, 999_999_999]
    # One tick more spills into the second period of the first task.
    assert times([slas[0], Sla(666_666_668, 10**9)]) == [333_333_333, kernel.MISSED]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["3/9", "2/6", "6/18"], True),  # periodic.md, section 6: finer periods can
        (["3/9", "2/6", "2/6"], False),  # make a set fail at equal utilization
    ],
)
def test_finer_periods_of_equal_utilization_can_fail(
    texts: list[str], expected: bool
) -> None:
    slas = sorted(map(Sla.parse, texts), key=lambda s: s.period)
    assert (kernel.MISSED not in times(slas)) is expected
