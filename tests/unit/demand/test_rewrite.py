"""Safety judged by all schedules; every "no" with a schedule that is checked."""

import itertools
import random
from typing import get_args

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cotenant.demand.adversary import Phase
from cotenant.demand.counterexample import Counterexample
from cotenant.demand.rewrite import is_safe, max_misses, min_budget, min_supply
from cotenant.demand.schedule import Window
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput
from tests.sla_oracles import (
    horizon,
    kept,
    starts_of,
    worst_by_enumeration,
    worst_by_tables,
)

READINGS = list(itertools.product(get_args(Window), get_args(Phase)))


def slots_of(counterexample: Counterexample) -> list[bool]:
    slots = [False] * counterexample.schedule.length
    for start, length in counterexample.schedule.granted:
        slots[start : start + length] = [True] * length
    return slots


def proves(
    counterexample: Counterexample, offered: Sla, required: Sla, window: Window
) -> bool:
    """Check slot by slot, with code that the package does not share."""
    slots, span = slots_of(counterexample), required.period * required.window
    broken = not kept(slots + [True] * span, required, window, counterexample.origin)
    return broken and kept(slots, offered) and len(slots) % offered.period == 0


@st.composite
def pairs(draw: st.DrawFn, period: int = 5, window: int = 3) -> tuple[Sla, Sla]:
    def sla(least: int) -> Sla:
        p, w = draw(st.integers(1, period)), draw(st.integers(1, window))
        misses = draw(st.integers(0, w))
        return Sla(draw(st.integers(least, p)), p, misses, w)

    return sla(0), sla(0)


@pytest.mark.parametrize(("window", "phase"), READINGS)
@settings(deadline=None, max_examples=150)
@given(pair=pairs())
def test_safety_equals_the_verdict_of_all_schedules(
    pair: tuple[Sla, Sla], window: Window, phase: Phase
) -> None:
    offered, required = pair
    assume(horizon(offered, required, window, phase) <= 14)
    worst = worst_by_enumeration(offered, required, window, phase)
    safety = is_safe(offered, required, window=window, phase=phase)
    assert safety.safe == (worst <= required.misses)
    assert max_misses(offered, required, window=window, phase=phase) == worst
    assert (safety.counterexample is None) == safety.safe
    if safety.counterexample is not None:
        assert proves(safety.counterexample, offered, required, window)


@pytest.mark.slow
@pytest.mark.parametrize(("window", "phase"), READINGS)
def test_safety_equals_the_verdict_of_all_schedules_for_every_small_pair(
    window: Window, phase: Phase
) -> None:
    # D = 0 needs no longer window; a budget of 0 is never missed.
    grid = [
        (period, misses, length)
        for period in range(1, 7)
        for length in range(1, 6)
        for misses in range(length if length > 1 else 1)
        if misses or length == 1
    ]
    judged = 0
    for (p, d, w), (p2, w2) in itertools.product(
        grid, itertools.product(range(1, 7), range(1, 5))
    ):
        if horizon(Sla(p, p, d, w), Sla(p2, p2, 0, w2), window, phase) > 16:
            continue
        for c, c2 in itertools.product(range(1, p + 1), range(1, p2 + 1)):
            offered, required = Sla(c, p, d, w), Sla(c2, p2, 0, w2)
            worst = worst_by_enumeration(offered, required, window, phase)
            found = max_misses(offered, required, window=window, phase=phase)
            assert found == worst, (offered, required)
            judged += 1
    assert judged > 1_000


@settings(deadline=None, max_examples=150)
@given(pair=pairs(period=4, window=3), sliding=st.booleans())
def test_misses_that_slide_in_the_supply_equal_all_schedules(
    pair: tuple[Sla, Sla], sliding: bool
) -> None:
    offered, required = pair
    window: Window = "sliding" if sliding else "aligned"
    assume(horizon(offered, required, window, "aligned") <= 14)
    found = max_misses(offered, required, window=window, offered_window="sliding")
    expected = worst_by_enumeration(offered, required, window, offered_window="sliding")
    assert found == expected
    # Such a supply promises more, so the default reading is the careful one.
    assert found <= max_misses(offered, required, window=window)


@pytest.mark.parametrize(("window", "phase"), READINGS)
def test_larger_pairs_equal_the_plain_tables_and_carry_a_proof(
    window: Window, phase: Phase
) -> None:
    source = random.Random(f"{window} {phase}")
    unsafe = 0
    for case in range(60):
        period, length = source.randint(1, 12), source.randint(1, 12)
        if case % 3 == 0:
            period, length = source.randint(8, 20), source.randint(1, 4)
        many, w2 = source.randint(1, 6), source.randint(1, 12)
        misses = source.choice([0, source.randint(0, many)])
        offered = Sla(source.randint(0, period), period, misses, many)
        d2 = source.choice([0, source.randint(0, w2)])
        required = Sla(source.randint(1, length), length, d2, w2)
        starts = starts_of(offered, required, window, phase)
        worst = worst_by_tables(offered, required, starts)
        assert max_misses(offered, required, window=window, phase=phase) == worst
        safety = is_safe(offered, required, window=window, phase=phase)
        assert safety.safe == (worst <= d2)
        if safety.counterexample is not None:
            unsafe += 1
            assert proves(safety.counterexample, offered, required, window)
            assert safety.counterexample.refutes(offered, required, window=window)
    assert unsafe > 10


@pytest.mark.slow
@pytest.mark.parametrize(("window", "phase"), READINGS)
def test_every_no_of_many_random_pairs_carries_a_proof(
    window: Window, phase: Phase
) -> None:
    source = random.Random(11)
    unsafe = 0
    while unsafe < 2_000:
        period, length = source.randint(1, 15), source.randint(1, 15)
        many, w2 = source.randint(1, 6), source.randint(1, 9)
        offered = Sla(source.randint(0, period), period, source.randint(0, many), many)
        required = Sla(source.randint(1, length), length, source.randint(0, w2), w2)
        safety = is_safe(offered, required, window=window, phase=phase)
        if safety.counterexample is not None:
            unsafe += 1
            assert safety.counterexample.refutes(offered, required, window=window), (
                offered,
                required,
            )


def test_a_proof_spans_many_pieces_of_the_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offered, required = Sla.parse("3/5:1/9"), Sla.parse("4/7:5/40")
    whole = is_safe(offered, required)
    monkeypatch.setattr("cotenant.demand.retrace._RECORDED", 1)
    pieces = is_safe(offered, required)
    assert whole.counterexample == pieces.counterexample
    assert whole.counterexample is not None
    assert proves(whole.counterexample, offered, required, "aligned")


def test_a_verdict_is_true_or_false_as_a_value() -> None:
    assert is_safe(Sla(1, 10), Sla(1, 30))
    assert not is_safe(Sla(1, 31), Sla(1, 30))


def test_windows_that_differ_only_have_a_closed_form() -> None:
    # Same budget and period: each block of the supply that the window touches can
    # spend its misses, at its near end where the window covers it in part.
    source = random.Random(4)
    for _ in range(150):
        many, w2 = source.randint(1, 9), source.randint(1, 20)
        misses = source.randint(0, many)
        offered, required = Sla(1, 3, misses, many), Sla(1, 3, 0, w2)
        worst = 0
        for lead in starts_of(
            Sla(1, 1, misses, many), Sla(1, 1, 0, w2), "aligned", "aligned"
        ):
            first = min(w2, many - lead)
            blocks, rest = divmod(w2 - first, many)
            spent = min(misses, first) + blocks * misses + min(misses, rest)
            worst = max(worst, spent)
        assert max_misses(offered, required) == worst, (offered, required)


@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_the_handy_budget_of_one_line_is_never_too_low(
    period: int, length: int, data: st.DataObject
) -> None:
    asked = data.draw(st.integers(1, length))
    handy = period - (length - asked) // (length // period + 2)
    assert min_budget(Sla(asked, length), period, phase="any") <= max(handy, 0)


def test_any_phase_is_what_the_worst_offset_of_aligned_grids_needs() -> None:
    # 1/2 gives 3 of every 6 from an even slot, and 2 from an odd one.
    assert min_supply(Sla(1, 2), 6) == 3
    assert min_supply(Sla(1, 2), 6, phase="any") == 2
    assert is_safe(Sla(1, 2), Sla(3, 6))
    assert not is_safe(Sla(1, 2), Sla(3, 6), phase="any")


def test_a_fluid_promise_may_be_kept_at_any_one_of_its_periods() -> None:
    required = Sla.parse("2/4~2-8")
    assert not is_safe(Sla(3, 6), required.at(4))
    assert is_safe(Sla(3, 6), required)
    assert is_safe(Sla(1, 2), required)
    assert min_budget(required, 3) == 2  # 3 of 6 are two times 2 of 3, rounded up


def test_a_fluid_supply_must_be_safe_at_all_its_periods() -> None:
    required, offered = Sla(2, 8), Sla.parse("2/8~4-8")
    safe = {p: is_safe(offered.at(p), required).safe for p in offered.periods}
    assert safe[4]
    assert safe[8]
    first = next(period for period in offered.periods if not safe[period])
    refused = is_safe(offered, required)
    assert refused.supplied == offered.at(first)
    assert refused.counterexample is not None
    assert proves(refused.counterexample, refused.supplied, required, "aligned")
    assert is_safe(Sla.parse("2/4~2-8"), Sla.parse("2/4~2-8"))


def test_promises_of_nothing_are_always_kept_and_never_keep_anything() -> None:
    assert is_safe(Sla(0, 7), Sla(0, 3))
    assert is_safe(Sla(0, 7), Sla(3, 3, 4, 4))
    assert not is_safe(Sla(7, 7, 2, 2), Sla(1, 30))
    assert not is_safe(Sla(0, 7), Sla(1, 1000, 3, 5))


def test_too_many_periods_are_refused_in_a_sentence() -> None:
    huge = Sla(500_000, 1_000_001, 5, 100_001)
    with pytest.raises(InvalidInput, match="too many periods to decide exactly"):
        is_safe(huge, Sla(700_000, 1_000_003, 7, 100_003))
    with pytest.raises(InvalidInput, match="more than a million pairs of periods"):
        is_safe(Sla(1, 2, 0, 1, 1, 10**6), Sla(1, 3, 0, 1, 1, 10**6))
    with pytest.raises(InvalidInput, match="too many periods"):
        is_safe(Sla(1, 2), Sla(10**9, 10**9))


def test_the_closed_form_answers_whatever_the_size() -> None:
    assert is_safe(Sla(1, 2), Sla(10**8, 10**9))
    assert is_safe(Sla(10**8, 10**9), Sla(10**8, 10**9, 1, 10**9))
