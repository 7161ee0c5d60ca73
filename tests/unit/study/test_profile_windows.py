import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp

from cotenant.study.profile.parts import Absent
from cotenant.study.profile.windows import (
    Stationarity,
    critical_difference,
    stationarity,
)
from tests.unit.study.series import series_of


@pytest.mark.parametrize("window", [5, 12, 24, 36])
def test_the_critical_difference_is_the_exact_one(window):
    difference, chance = critical_difference(window, 0.05)
    # Two windows whose distributions are exactly that far apart.
    first, second = np.arange(window), np.arange(window) + difference - 0.5
    test = ks_2samp(first, second, method="exact")
    assert round(test.statistic * window) == difference
    assert chance == pytest.approx(test.pvalue)
    assert chance <= 0.05 < ks_2samp(first, second - 1, method="exact").pvalue


@given(st.lists(st.lists(st.integers(0, 4), max_size=40), min_size=1, max_size=4))
@settings(deadline=None, max_examples=60)
def test_rejections_are_those_of_the_library_ties_included(tasks):
    result = stationarity(series_of(tasks), windows=(4,), level=0.3)
    pairs = [
        (task[i : i + 4], task[i + 4 : i + 8])
        for task in tasks
        for i in range(0, len(task) - 7, 4)
    ]
    if not pairs:
        assert isinstance(result, Absent)
        return
    rejected = [ks_2samp(a, b, method="exact").pvalue <= 0.3 for a, b in pairs]
    assert isinstance(result, Stationarity)
    assert result.rows[0].pairs == len(pairs)
    assert result.rows[0].rejected == pytest.approx(np.mean(rejected))


def test_usage_that_never_changes_is_rejected_as_often_as_chance_says():
    rng = np.random.default_rng(3)
    result = stationarity(series_of([rng.random(24 * 500) for _ in range(4)]))
    assert isinstance(result, Stationarity)
    for row in result.rows:
        # Neighbouring pairs share a window: 5 standard errors of independent ones.
        error = np.sqrt(row.by_chance / row.pairs)
        assert row.rejected == pytest.approx(row.by_chance, abs=5 * error)


def test_a_step_is_seen_between_the_windows_where_it_happens():
    rng = np.random.default_rng(4)
    task = np.concatenate([rng.random(24), 2 + rng.random(24)])
    result = stationarity(series_of([task]), windows=(24,))
    assert isinstance(result, Stationarity)
    assert (result.rows[0].pairs, result.rows[0].rejected) == (1, 1.0)


def test_a_task_of_less_than_two_windows_is_too_short():
    result = stationarity(series_of([np.arange(23.0)]))
    assert isinstance(result, Absent)
    assert "24 samples" in result.reason
