"""Checks and rewrites as people ask for them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.demand.rewrite import is_safe
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput
from cotenant.planning.sla.check import check, rewrite


def test_a_check_has_the_keys_of_the_contract() -> None:
    answer = check(Sla.parse("1/2"), Sla.parse("2/2")).to_dict()
    assert answer == {
        "apiVersion": "cotenant/v1",
        "kind": "SlaCheck",
        "offered": "1/2",
        "required": "2/2",
        "window": "aligned",
        "phase": "aligned",
        "safe": False,
        "exact": True,
        "paper": None,
        "counterexample": {"length": 2, "granted": [[0, 1]], "origin": 0},
        "notes": [],
    }


def test_the_papers_verdict_stands_beside_the_exact_one() -> None:
    wrong = check(Sla.parse("1/3:1/11"), Sla.parse("1/7:2/7"))
    assert (wrong.safe, wrong.paper) == (False, "theorem 2 condition 1")
    late = check(Sla.parse("3/4"), Sla.parse("1/2"))
    assert (late.safe, late.paper) == (True, None)
    assert check(Sla.parse("7/8"), Sla.parse("2/10")).paper == "condition 3"


def test_stretched_windows_of_fluid_promises_are_pointed_out() -> None:
    required = Sla.parse("2/4~2-8:1/5")
    (note,) = check(Sla.parse("4/8"), required).notes
    assert "window of 5 periods lasts longer or shorter" in note
    assert check(Sla.parse("4/8"), Sla.parse("2/4~2-8")).notes == ()


def test_the_form_of_a_fluid_supply_that_fails_is_named() -> None:
    (note,) = check(Sla.parse("2/8~4-8"), Sla.parse("2/8")).notes
    # At 4 it is 1/4, at 5 it is 2/5: both give 2 in every 8. Two of six may leave 1.
    assert note == "2/8~4-8 may be supplied as 2/6, which the schedule keeps"


def test_a_rewrite_has_the_keys_of_the_contract() -> None:
    answer = rewrite(Sla.parse("10/50"), 20).to_dict()
    assert {key: answer[key] for key in ("kind", "required", "period", "budget")} == {
        "kind": "SlaRewrite",
        "required": "10/50",
        "period": 20,
        "budget": 5,
    }
    assert (answer["utilization"], answer["paper_budget"]) == (0.25, 10)
    assert answer["overhead"] == pytest.approx(0.25)
    assert rewrite(Sla.parse("10/50"), 20).to_frame().height == 1


@settings(deadline=None, max_examples=80)
@given(data=st.data(), sliding=st.booleans(), any_phase=st.booleans())
def test_a_rewrite_is_safe_and_one_tick_less_is_not(
    data: st.DataObject, sliding: bool, any_phase: bool
) -> None:
    length, w2 = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 6))
    budget, d2 = data.draw(st.integers(1, length)), data.draw(st.integers(0, w2))
    required = Sla(budget, length, d2, w2)
    if data.draw(st.booleans()):
        low, high = (
            data.draw(st.integers(1, length)),
            data.draw(st.integers(length, 14)),
        )
        required = Sla(budget, length, d2, w2, low, high)
    period, many = data.draw(st.integers(1, 14)), data.draw(st.integers(1, 5))
    misses = data.draw(st.integers(0, many))
    window = "sliding" if sliding else "aligned"
    phase = "any" if any_phase else "aligned"
    new = rewrite(
        required, period, tolerance=(misses, many), window=window, phase=phase
    ).rewritten
    if new is None:
        whole = Sla(period, period, misses, many)
        assert not is_safe(whole, required, window=window, phase=phase)
        return
    assert (new.period, new.misses, new.window) == (period, misses, many)
    assert is_safe(new, required, window=window, phase=phase)
    if new.budget:
        less = Sla(new.budget - 1, period, misses, many)
        assert not is_safe(less, required, window=window, phase=phase)


def test_a_supply_with_misses_may_not_do_whatever_its_budget() -> None:
    answer = rewrite(Sla(1, 10), 10, tolerance=(1, 5))
    assert answer.rewritten is None
    assert answer.to_dict()["budget"] is None
    assert (answer.overhead, answer.paper_budget) == (None, None)


def test_unknown_readings_are_refused() -> None:
    with pytest.raises(InvalidInput, match='window is "tumbling"; expected aligned or'):
        check(Sla(1, 2), Sla(1, 2), window="tumbling")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match='phase is "odd"; expected aligned or any'):
        rewrite(Sla(1, 2), 2, phase="odd")  # type: ignore[arg-type]
