"""SLAs as values: text form, ranges, fixed periods."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotenant.demand.sla import LARGEST, Sla
from cotenant.errors import InvalidInput


@st.composite
def any_sla(draw: st.DrawFn) -> Sla:
    period, window = draw(st.integers(1, 60)), draw(st.integers(1, 20))
    budget, misses = draw(st.integers(0, period)), draw(st.integers(0, window))
    if draw(st.booleans()):
        return Sla(budget, period, misses, window)
    low, high = draw(st.integers(1, period)), draw(st.integers(period, 90))
    return Sla(budget, period, misses, window, low, high)


@given(sla=any_sla())
def test_the_text_form_reads_back_as_the_same_sla(sla: Sla) -> None:
    assert Sla.parse(str(sla)) == sla


@pytest.mark.parametrize(
    ("text", "sla"),
    [
        ("1/30", Sla(1, 30)),
        ("1/30:2/5", Sla(1, 30, 2, 5)),
        ("2/4~2-8:1/5", Sla(2, 4, 1, 5, 2, 8)),
        (" 0/1 ", Sla(0, 1)),
    ],
)
def test_texts_of_the_contract_are_read(text: str, sla: Sla) -> None:
    assert Sla.parse(text) == sla


@pytest.mark.parametrize(
    "text",
    ["", "1", "1/", "/3", "1/30:2", "1/30:2/5:1", "1.5/30", "-1/3", "1/30~2", "1 / 3"]
    + ["1/30~2-", "1/30 :2/5", "１/3", "1/30:2/5~2-8", "1/" + "9" * 5_000],
)
def test_other_texts_are_refused_with_the_form_that_would_be_right(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"is no SLA; expected BUDGET/PERIOD"):
        Sla.parse(text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("5/4", r"SLA 5/4 has budget 5; expected 0 to 4 \(its period\)"),
        ("0/0", "has period 0; expected 1 to"),
        ("1/2:3/2", r"has misses 3; expected 0 to 2 \(its window\)"),
        ("1/2:0/0", "has window 0; expected 1"),
        ("2/4~5-8", r"has period_low 5; expected 1 to 4 \(its period\)"),
        ("2/4~2-3", "has period_high 3; expected 4"),
        (f"1/{LARGEST + 1}", "expected 1 to 1000000000"),
    ],
)
def test_values_outside_their_range_are_named(text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        Sla.parse(text)


def test_half_a_range_of_periods_and_fractions_of_ticks_are_refused() -> None:
    with pytest.raises(InvalidInput, match="on one side"):
        Sla(1, 4, period_low=2)
    with pytest.raises(InvalidInput, match=r"budget 1\.5"):
        Sla(1.5, 4)  # type: ignore[arg-type]


@given(sla=any_sla())
def test_fixing_the_period_gives_the_least_budget_of_the_same_share(sla: Sla) -> None:
    for period in sla.periods:
        fixed = sla.at(period)
        assert fixed.budget * sla.period >= sla.budget * period
        assert (fixed.budget - 1) * sla.period < sla.budget * period
        assert (fixed.misses, fixed.window) == (sla.misses, sla.window)
        assert not fixed.is_fluid


def test_a_period_outside_the_range_cannot_be_fixed() -> None:
    with pytest.raises(InvalidInput, match="cannot have period 9; expected 2 to 8"):
        Sla.parse("2/4~2-8").at(9)
    with pytest.raises(InvalidInput, match="expected 4 to 4"):
        Sla.parse("2/4").at(8)
