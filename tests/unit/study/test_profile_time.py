import numpy as np
import pytest

from cotenant.study.profile.days import split_days
from cotenant.study.profile.drift import Drift, drift
from cotenant.study.profile.parts import Absent
from cotenant.study.profile.time import (
    Correlation,
    TimeOfDay,
    correlation,
    time_of_day,
)
from tests.unit.study.series import every, series_of

DAY = 288
MONDAY = 1_767_571_200.0


def test_days_start_with_the_first_sample_and_have_dates():
    series = every(300, [np.arange(2 * DAY)], start=MONDAY + 3_600)
    days = split_days(series, 300.0)
    assert [day.label for day in days] == ["2026-01-05", "2026-01-06"]
    assert days[1].usage.tolist() == [list(range(DAY, 2 * DAY))]
    assert days[1].start == MONDAY + 3_600 + 86_400


def test_a_task_with_gaps_is_held_over_them_and_a_torn_one_left_out():
    whole = np.arange(DAY)
    holes = np.delete(whole, [0, 5, 6])
    torn = whole[: DAY // 2]
    times = [300.0 * t for t in (whole, holes, torn)]
    days = split_days(series_of([whole, holes, torn], times), 300.0)
    assert len(days) == 1
    assert days[0].codes.tolist() == [0, 1]
    assert days[0].usage[1, :8].tolist() == [1, 1, 2, 3, 4, 4, 4, 7]


def test_fast_samples_are_averaged_over_five_minutes():
    values = np.tile([0.0, 2.0], DAY * 5)
    days = split_days(every(30, [values]), 30.0)
    assert days[0].usage.shape == (1, DAY)
    assert set(days[0].usage[0].tolist()) == {1.0}


def test_jitter_of_the_clock_loses_no_moment():
    rng = np.random.default_rng(1)
    times = 300.0 * np.arange(DAY) + rng.uniform(-100, 100, DAY)
    (day,) = split_days(series_of([np.arange(DAY)], [times - times[0]]), 300.0)
    # Both neighbours may fall on one moment only if each is off by a third of a step.
    assert np.abs(np.diff(day.usage[0])).max() <= 2


def test_a_trace_without_time_or_with_few_moments_has_no_days():
    assert split_days(series_of([np.arange(50)]), None) == ()
    assert split_days(every(300, [np.arange(23)]), 300.0) == ()
    assert split_days(series_of([]), 300.0) == ()


def test_independent_tasks_have_a_variance_ratio_near_one():
    rng = np.random.default_rng(2)
    days = split_days(every(300, rng.random((200, DAY))), 300.0)
    result = correlation(days)
    assert isinstance(result, Correlation)
    (row,) = result.rows
    # The variance of 288 normal values is off by 8 % (one standard error).
    assert row.variance_ratio == pytest.approx(1.0, abs=0.35)
    assert abs(row.mean_correlation) < 0.002


def test_tasks_in_step_have_as_large_a_ratio_as_there_are_tasks():
    rng = np.random.default_rng(3)
    days = split_days(every(300, [rng.random(DAY)] * 7), 300.0)
    result = correlation(days)
    assert isinstance(result, Correlation)
    (row,) = result.rows
    assert row.variance_ratio == pytest.approx(7.0)
    assert row.mean_correlation == pytest.approx(1.0)


def test_correlation_does_not_depend_on_the_size_of_tasks_in_step():
    moves = np.sin(np.arange(DAY))
    days = split_days(every(300, [2 + moves, 20 + 10 * moves]), 300.0)
    result = correlation(days)
    assert isinstance(result, Correlation)
    assert result.rows[0].mean_correlation == pytest.approx(1.0)
    assert result.rows[0].variance_ratio == pytest.approx(121 / 101)


def test_constant_tasks_have_no_correlation():
    days = split_days(every(300, np.ones((3, DAY))), 300.0)
    assert correlation(days) == Absent("the usage of every task is constant")


def test_a_rhythm_is_explained_by_other_days_and_noise_is_not():
    rng = np.random.default_rng(4)
    hours = np.arange(5 * DAY) / 12 % 24
    rhythm = 1 + 0.5 * np.cos((hours - 14) * np.pi / 12)
    start = MONDAY
    steady = time_of_day(split_days(every(300, [rhythm], start), 300.0))
    noise = time_of_day(split_days(every(300, rng.random((1, 5 * DAY)), start), 300.0))
    assert isinstance(steady, TimeOfDay)
    assert isinstance(noise, TimeOfDay)
    assert (steady.days, len(steady.rows)) == (5, 24)
    assert steady.explained is not None
    assert steady.explained > 0.95
    assert noise.explained is not None
    assert noise.explained < 0.05
    assert max(steady.rows, key=lambda row: row.load).hour in {13, 14}
    assert steady.rows[2].load == pytest.approx(0.5, abs=0.03)


def test_hours_are_those_of_the_clock_when_a_trace_starts_at_noon():
    usage = np.ones(DAY)
    usage[: 12 * 2] = 3.0
    result = time_of_day(split_days(every(300, [usage], MONDAY + 43_200), 300.0))
    assert isinstance(result, TimeOfDay)
    high = [row.hour for row in result.rows if row.load > 1]
    assert (high, result.explained) == ([12, 13], None)


def test_less_than_a_day_has_no_time_of_day_and_no_drift():
    days = split_days(every(300, [np.arange(100)]), 300.0)
    assert isinstance(time_of_day(days), Absent)
    assert isinstance(drift(days), Absent)


def test_drift_is_the_change_of_the_tasks_that_are_in_both_days():
    doubled = np.repeat([1.0, 2.0], DAY)
    halved = np.repeat([1.0, 0.5], DAY)
    idle = np.repeat([1.0, 0.0], DAY)
    gone = np.ones(DAY)
    result = drift(split_days(every(300, [doubled, halved, idle, gone]), 300.0))
    assert isinstance(result, Drift)
    (row,) = result.rows
    assert (row.day, row.next, row.tasks) == ("day 1", "day 2", 2)
    assert row.total == pytest.approx(0.25)
    assert row.spread == pytest.approx(np.log(2))
    assert row.median == pytest.approx(2.0)


def test_four_days_are_compared_by_halves_too():
    result = drift(split_days(every(300, [np.repeat([1.0, 1, 3, 3], DAY)]), 300.0))
    assert isinstance(result, Drift)
    last = result.rows[-1]
    assert (last.day, last.total) == ("first half", pytest.approx(2.0))
    assert len(result.rows) == 4
