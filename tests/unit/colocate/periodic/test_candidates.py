"""Stand-ins for SLAs: all safe by the oracle, none missing that the modes promise."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.colocate.periodic.candidates import (
    Rewriting,
    asked,
    divisors,
    kept,
    offer,
    offers,
)
from cotenant.demand.rewrite import is_safe, min_budget
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput


@st.composite
def slas(draw: st.DrawFn, longest: int = 30) -> Sla:
    period = draw(st.integers(1, longest))
    low = high = None
    if draw(st.booleans()):
        low, high = draw(st.integers(1, period)), draw(st.integers(period, 2 * period))
    return Sla(draw(st.integers(0, period)), period, 0, 1, low, high)


modes = st.sampled_from(["none", "fluid", "paper", "exact"])
phases = st.sampled_from(["aligned", "any"])


@settings(max_examples=150, deadline=None)
@given(
    sla=slas(),
    in_use=st.lists(st.integers(1, 30), max_size=4),
    mode=modes,
    phase=phases,
)
def test_every_stand_in_keeps_some_form_the_customer_allows(
    sla: Sla, in_use: list[int], mode: str, phase: str
) -> None:
    how = Rewriting(mode, phase=phase)
    for offered in offers(sla, in_use, how):
        rigid = kept(offered, sla, how)
        assert rigid is not None
        assert rigid.period in sla.periods
        same = offered == asked(rigid)  # on its own clock it is what was promised
        assert same or is_safe(offered, rigid, phase=phase)


@settings(max_examples=150, deadline=None)
@given(sla=slas(), in_use=st.lists(st.integers(1, 30), max_size=4))
def test_the_asked_one_is_first_and_the_others_come_by_utilization(
    sla: Sla, in_use: list[int]
) -> None:
    found = offers(sla, in_use, Rewriting("exact", most=10))
    assert found[0] == asked(sla)
    shares = [offered.utilization for offered in found[1:]]
    assert shares == sorted(shares)
    assert len(found) == len(set(found)) <= 10


def test_each_mode_allows_what_the_one_before_allows() -> None:
    sla = Sla.parse("20/100~90-110")
    found = {
        mode: set(offers(sla, [50, 30], Rewriting(mode, most=1000)))
        for mode in ("none", "fluid", "paper", "exact")
    }
    assert found["none"] < found["fluid"] < found["paper"]
    # Exact rewriting may ask for less than the paper at the same period, never more.
    least = {offered.period: offered.budget for offered in found["exact"]}
    assert all(least[o.period] <= o.budget for o in found["paper"])
    assert found["paper"] - found["exact"]


def test_a_period_with_a_multiple_in_the_fluid_range_costs_no_overhead() -> None:
    # 100 at 1,066 to 1,599 ticks is 50 at 533 to 799.5: 94 at 1,000 is 47 at 500.
    how = Rewriting("exact")
    assert offer(Sla.parse("100/1066~900-1599"), 500, how) == Sla(47, 500)
    assert offer(Sla.parse("100/1066~1010-1090"), 500, how) != Sla(47, 500)


def test_tolerated_misses_lower_a_budget_where_the_oracle_agrees() -> None:
    # All ten periods may be missed: nothing is owed. One of ten: nothing is saved.
    how = Rewriting("exact")
    assert offer(Sla.parse("4/10:10/10"), 5, how) == Sla(0, 5)
    assert offer(Sla.parse("4/10:1/10"), 5, how) == Sla(2, 5)


@settings(max_examples=40, deadline=None)
@given(budget=st.integers(1, 8), period=st.integers(1, 12), misses=st.integers(0, 3))
def test_budgets_with_misses_are_the_least_safe_ones(
    budget: int, period: int, misses: int
) -> None:
    sla, how = Sla(budget, 8, misses, 3), Rewriting("exact")
    found = offer(sla, period, how)
    if period == 8 or found is None:
        return
    safe = [b for b in range(period + 1) if is_safe(Sla(b, period), sla)]
    assert found.budget == min(safe)


def test_short_periods_are_left_out_where_dispatches_cost() -> None:
    periods = {o.period for o in offers(Sla(10, 100), [7], Rewriting("exact", 20))}
    assert min(periods) >= 20
    assert 25 in periods


@given(st.integers(1, 3000))
def test_divisors_are_all_that_divide(number: int) -> None:
    expected = [d for d in range(1, number + 1) if number % d == 0]
    assert list(divisors(number)) == expected


def test_budgets_of_rigid_slas_are_those_of_the_calculus() -> None:
    how = Rewriting("exact", phase="any")
    for period in range(1, 60):
        found = offer(Sla(7, 60), period, how)
        least = min_budget(Sla(7, 60), period, phase="any")
        assert (found.budget if found else None) == least


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"mode": "all"}, "rewrite"),
        ({"least_period": 0}, "least period"),
        ({"phase": "shifted"}, "phase"),
        ({"window": "both"}, "window"),
        ({"most": 0}, "most"),
    ],
)
def test_settings_outside_their_range_are_named(
    values: dict[str, object], word: str
) -> None:
    with pytest.raises(InvalidInput, match=word):
        Rewriting(**values)
