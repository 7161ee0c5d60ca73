"""Histories, stays, and what machines went through on a day."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotenant.service.keeping.history import MOMENTS, History, filled, moments
from cotenant.service.keeping.measured import measure
from cotenant.service.keeping.stays import Stays

NAN = float("nan")


def noted(history: History, task: str, first: int, *values: float) -> None:
    at = first + np.arange(len(values))
    history.note(task, at, np.array(values), None, -1)


def test_a_sample_stands_until_the_next_one_is_due() -> None:
    at, sample = moments(900.0, 900.0, 2)
    assert at.tolist() == [3, 4, 5, 6, 7, 8]
    assert sample.tolist() == [0, 0, 0, 1, 1, 1]


def test_of_several_samples_in_a_moment_the_last_counts() -> None:
    at, sample = moments(0.0, 100.0, 6)
    history = History()
    history.note("t", at, np.arange(6.0)[sample], None, -1)
    assert history.usage["t"][0][:3].tolist() == pytest.approx(
        [2.0, 5.0, NAN], nan_ok=True
    )


def test_samples_over_midnight_belong_to_both_days() -> None:
    history = History()
    noted(history, "t", MOMENTS - 1, 0.1, 0.2)
    assert history.days == {0, 1}
    assert history.usage["t"][0][-1] == pytest.approx(0.1)
    assert history.usage["t"][1][0] == pytest.approx(0.2)


def test_samples_of_closed_days_come_too_late() -> None:
    history = History()
    history.note("t", np.array([5]), np.array([0.1]), None, 0)
    assert history.usage["t"] == {}
    assert history.latest == 5


def test_what_is_noted_does_not_change_what_was_handed_out() -> None:
    history = History()
    noted(history, "t", 0, 0.1)
    before = history.copy()
    noted(history, "t", 1, 0.2)
    assert np.isnan(before.usage["t"][0][1])


def test_holes_are_filled_with_the_sample_before() -> None:
    samples = np.array([NAN, 1.0, NAN, 3.0, NAN])
    assert filled(samples).tolist() == [1.0, 1.0, 1.0, 3.0, 3.0]


def test_a_task_is_there_from_half_of_its_day_on() -> None:
    history = History()
    noted(history, "t", 0, *[0.1] * 143)
    assert not history.there("t", 0)
    noted(history, "t", 143, 0.1)
    assert history.there("t", 0)


def test_a_day_of_a_machine_is_that_of_the_tasks_that_were_there() -> None:
    history, stays = History(), Stays()
    noted(history, "a", 0, *[0.6] * MOMENTS)
    noted(history, "b", 0, *[0.6] * MOMENTS)
    stays.join("a", "m", 0)
    stays.join("b", "m", 0)
    stays.leave("b", 100)
    stays.join("b", "n", 100)
    found = measure(history, stays, {"m": 1.0, "n": 1.0, "idle": 1.0}, 0)
    assert found.over.tolist() == [100, 0, 0]
    assert found.occupied.tolist() == [MOMENTS, 188, 0]
    assert found.counted().machines == ["m", "n"]
    assert found.counted().overload == pytest.approx(100 / (MOMENTS + 188))


@pytest.mark.parametrize(("missing", "counts"), [(28, True), (29, False)])
def test_a_machine_day_counts_with_nine_tenths_of_its_samples(
    missing: int, counts: bool
) -> None:
    history, stays = History(), Stays()
    for task in "ab":
        stays.join(task, "m", 0)
    noted(history, "a", 0, *[0.6] * MOMENTS)
    noted(history, "b", missing, *[0.6] * (MOMENTS - missing))
    found = measure(history, stays, {"m": 1.0}, 0).counted()
    assert (found.machines == ["m"]) is counts
    assert found.overload == (1.0 if counts else None)


def test_throttled_time_counts_as_overload() -> None:
    history, stays = History(), Stays()
    stays.join("a", "m", 0)
    at, back = np.arange(MOMENTS), np.zeros(MOMENTS)
    back[:4] = 0.5
    history.note("a", at, np.full(MOMENTS, 0.9), back, -1)
    assert measure(history, stays, {"m": 1.0}, 0).over.tolist() == [2.0]


def test_use_equal_to_capacity_is_not_above_it() -> None:
    history, stays = History(), Stays()
    for number in range(10):
        stays.join(f"t{number}", "m", 0)
        noted(history, f"t{number}", 0, *[0.1] * MOMENTS)
    found = measure(history, stays, {"m": 1.0}, 0)
    assert found.over.tolist() == [0]


@given(data=st.data())
def test_a_measured_day_agrees_with_counting_moment_by_moment(
    data: st.DataObject,
) -> None:
    random = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    history, stays, where = History(), Stays(), {}
    for task in ("a", "b", "c"):
        moves = sorted({0, *random.integers(0, MOMENTS, 2).tolist()})
        for since, until in zip(moves, [*moves[1:], MOMENTS], strict=True):
            machine = ("m", "n", None)[random.integers(3)]
            if machine is not None:
                stays.join(task, machine, since)
                stays.leave(task, until)
            for moment in range(since, until):
                where[task, moment] = machine
        usage = random.random(MOMENTS)
        known = random.random(MOMENTS) < 0.95
        history.note(task, np.flatnonzero(known), usage[known], None, -1)
    found = measure(history, stays, {"m": 1.0, "n": 0.7}, 0)
    for row, (machine, capacity) in enumerate((("m", 1.0), ("n", 0.7))):
        over = observed = occupied = 0
        for moment in range(MOMENTS):
            there = [t for t in ("a", "b", "c") if where[t, moment] == machine]
            used = [float(history.usage[t][0][moment]) for t in there]
            occupied += bool(there)
            if there and not np.isnan(used).any():
                observed += 1
                over += sum(used) > capacity * (1 + 1e-9)
        assert (found.over[row], found.observed[row]) == (over, observed)
        assert found.occupied[row] == occupied
