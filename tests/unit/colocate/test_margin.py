"""The margin against the checks of its specification and its guarantee."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotenant.colocate.margin import GRID, MarginRule

SHORT = (1.0, 1.1, 1.2)


def test_feedback_grows_with_overload_and_is_capped() -> None:
    rule, correction = MarginRule(), 0.0
    seen = []
    for overload in (0.03, 0.0, 0.005, 0.5):
        correction = rule.correct(correction, overload, 0.01)
        seen.append(correction)
    assert seen == pytest.approx([0.06, 0.03, 0.015, 0.225])


def test_the_fit_interpolates_the_average_of_past_days() -> None:
    curves = [np.array([0.03, 0.01, 0.0]), np.array([0.01, 0.004, 0.0])]
    fitted = MarginRule(grid=SHORT).fit(curves, 0.01)
    assert fitted == pytest.approx(math.exp(0.76923 * math.log(1.1)), abs=1e-5)
    cautious = replace(MarginRule.cautious(), grid=SHORT)
    assert cautious.fit(curves, 0.01) == 1.1


def test_an_inverted_curve_is_read_from_the_safe_side() -> None:
    fitted = MarginRule(grid=SHORT).fit([np.array([0.004, 0.02, 0.0])], 0.01)
    low, high = math.log(1.1), math.log(1.2)
    assert fitted == pytest.approx(math.exp(low + 0.5 * (high - low)))


def test_no_overload_ever_means_no_margin() -> None:
    rule = MarginRule()
    assert rule.fit([np.zeros(len(GRID))], 0.01) == 1.0
    assert rule.correct(0.0, 0.0, 0.01) == 0.0
    assert rule.margin(1.0, 0.0) == 1.0


def test_without_a_curve_the_first_margin_holds_and_hopeless_days_take_the_last() -> (
    None
):
    assert MarginRule().fit([], 0.01) == 1.2
    assert MarginRule().fit([np.ones(len(GRID))], 0.01) == GRID[-1]


def test_only_the_last_days_are_remembered() -> None:
    bad, good = np.ones(len(GRID)), np.zeros(len(GRID))
    assert MarginRule().fit([bad, *[good] * 28], 0.01) == 1.0
    assert MarginRule.cautious().fit([bad, *[good] * 6], 0.01) == GRID[-1]
    assert MarginRule.cautious().fit([bad, *[good] * 7], 0.01) == 1.0


@given(days=st.lists(st.floats(0, 1), min_size=1, max_size=200))
def test_capped_overload_stays_within_the_guarantee_for_any_sequence(
    days: list[float],
) -> None:
    rule, rho, correction, seen = MarginRule(highest=1e9), 0.01, 0.0, 0.0
    for overload in days:
        correction = rule.correct(correction, overload, rho)
        seen += min(overload / rho, rule.cap)
    assert seen <= len(days) + correction / rule.step + 1e-6
