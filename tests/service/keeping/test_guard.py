"""The guard of the day: when it sheds, what, where to, and how often."""

import pytest

from cotenant.service.keeping.guard import plan_watch, record_watch
from cotenant.service.keeping.history import MOMENTS
from cotenant.service.picture import take_picture
from tests.service.keeping.days import Fed


@pytest.fixture
def busy(fed: Fed) -> Fed:
    """Two tasks on a machine for a day; the margin is 1.2."""
    fed.machines(2)
    fed.place("large", 0.2)
    fed.place("small", 0.2)
    fed.day(0, {"large": 0.3, "small": 0.2})
    fed.feed(MOMENTS, {"large": [0.3] * 12, "small": [0.2] * 12})
    fed.settle()
    assert set(fed.where().values()) == {"m00"}
    return fed


def hours(fed: Fed, first: int, count: int, large: float) -> None:
    at = MOMENTS + 12 * first
    fed.feed(at, {"large": [large] * 12 * count, "small": [0.2] * 12 * count})
    fed.settle()


def test_a_machine_sheds_after_four_times_its_daily_allowance(busy: Fed) -> None:
    at = MOMENTS + 12
    busy.feed(at, {"large": [0.9] * 11 + [0.3], "small": [0.2] * 12})
    busy.settle()
    assert busy.events("shed") == []
    hours(busy, 2, 1, 0.9)
    (shed,) = busy.events("shed")
    assert shed.words == "m00 was over capacity for 115 minutes today: 1 task moves"
    (move,) = busy.events("moved")
    assert busy.where() == {"large": "m01", "small": "m00"}
    assert move.data["reason"] == "m00 was over capacity for 115 minutes today"
    assert busy.told.moved == 1


def test_it_sheds_again_only_after_as_much_again(busy: Fed) -> None:
    busy.placement.drain("m01").result()  # so that nobody can go anywhere
    hours(busy, 1, 1, 0.9)
    assert len(busy.events("shed")) == 1
    busy.feed(MOMENTS + 24, {"large": [0.9] * 11 + [0.3], "small": [0.2] * 12})
    busy.settle()
    assert len(busy.events("shed")) == 1
    busy.feed(MOMENTS + 36, {"large": [0.9] * 2 + [0.3] * 10, "small": [0.2] * 12})
    busy.settle()
    assert [event.data["times"] for event in busy.events("shed")] == [1, 2]
    assert busy.events("moved") == []


def test_an_hour_that_is_over_moves_nothing(busy: Fed) -> None:
    hours(busy, 1, 2, 0.9)
    first = len(busy.events("moved"))
    assert first == 1
    hours(busy, 3, 1, 0.3)
    assert len(busy.events("moved")) == first


def test_the_guard_counts_anew_every_day(busy: Fed) -> None:
    busy.placement.drain("m01").result()
    hours(busy, 1, 1, 0.9)
    busy.feed(2 * MOMENTS, {"large": [0.3], "small": [0.2]})
    busy.settle()
    at = 2 * MOMENTS
    busy.feed(at, {"large": [0.9] * 12, "small": [0.2] * 12})
    busy.settle()
    assert [event.data["times"] for event in busy.events("shed")] == [1, 1]


def test_a_watch_that_is_recorded_again_changes_nothing(busy: Fed) -> None:
    at = MOMENTS + 12
    busy.feed(at, {"large": [0.9] * 12, "small": [0.2] * 12})
    picture = busy.placement.decide(lambda desk: take_picture(desk.state)).result()
    watch = plan_watch(picture, busy.settings)
    assert watch is not None
    assert busy.placement.decide(lambda desk: record_watch(desk, watch)).result()
    events = len(busy.events())
    assert not busy.placement.decide(lambda desk: record_watch(desk, watch)).result()
    assert len(busy.events()) == events


def test_moves_of_the_guard_count_for_the_day_they_are_made_on(busy: Fed) -> None:
    hours(busy, 1, 1, 0.9)
    busy.feed(2 * MOMENTS, {"large": [0.3], "small": [0.2]})
    busy.settle()
    assert busy.told.daybook.days[-1].moves >= 1
    assert busy.told.moved == 0
