"""Nights: what they find, what they move, and that they do it once."""

from dataclasses import replace

import numpy as np
import pytest

from cotenant.colocate.margin import MarginRule
from cotenant.errors import InvalidInput
from cotenant.service.asked import Settings
from cotenant.service.keeping.curve import backtest_curve
from cotenant.service.keeping.daybook import Day, Daybook, read_date
from cotenant.service.keeping.history import MOMENTS
from cotenant.service.keeping.night import plan_night, record_night
from cotenant.service.keeping.packed import facts_of
from cotenant.service.keeping.reading import exclude
from cotenant.service.picture import take_picture
from cotenant.service.snapshot import pack, unpack
from tests.service.asking import state_of
from tests.service.asking import task as asked
from tests.service.keeping.days import FIRST, TOMORROW, Fed, generated


def run(fed: Fed, usage: np.ndarray, hours: int = 4) -> None:
    """Feed days of tasks that are placed, a few hours at a time."""
    step = hours * MOMENTS // 24
    for at in range(0, usage.shape[1], step):
        fed.feed(at, {f"t{i}": row[at : at + step] for i, row in enumerate(usage)})
        fed.settle()


def over_at(moments: int, usual: float, over: float) -> np.ndarray:
    values = np.full(MOMENTS, usual)
    values[100 : 100 + moments] = over
    return values


def test_the_first_sample_of_a_new_day_ends_the_day_before(fed: Fed) -> None:
    fed.machines(2)
    fed.place("a")
    fed.day(0, {"a": 0.2})
    fed.settle()
    assert fed.told.daybook.days == ()
    fed.feed(MOMENTS, {"a": [0.2]})
    fed.settle()
    assert [one.day for one in fed.told.daybook.days] == [FIRST]
    assert fed.told.replayed == 1


def test_the_correction_follows_what_was_measured(fed: Fed) -> None:
    fed.machines(1)
    fed.place("a", 0.3)
    fed.place("b", 0.3)
    shares = (9, 0, 1, 144)
    for number, over in enumerate(shares):
        fed.day(number, {"a": over_at(over, 0.3, 0.9), "b": 0.3})
        fed.feed((number + 1) * MOMENTS, {"a": [0.3], "b": [0.3]})
        fed.settle()
    days = fed.told.daybook.days
    assert [one.overload for one in days] == [over / MOMENTS for over in shares]
    correction = 0.0
    for one in days:
        correction = MarginRule().correct(correction, one.overload or 0.0, 0.01)
        assert one.correction == correction
        assert one.margin == MarginRule().margin(one.fitted, correction)
    assert days[-1].correction > 0.2


def test_missing_measurements_leave_the_correction_as_it_was(fed: Fed) -> None:
    fed.machines(1)
    fed.place("a", 0.3)
    fed.day(0, {"a": over_at(20, 0.3, 1.5)})
    fed.feed(MOMENTS, {"a": [1.5] * 200})
    fed.feed(2 * MOMENTS, {"a": [0.3]})
    fed.settle()
    first, second = fed.told.daybook.days
    assert first.correction > 0
    assert (second.overload, second.machine_days) == (None, 0)
    assert second.correction == first.correction


def test_a_gap_in_the_feed_is_no_day(fed: Fed) -> None:
    fed.machines(1)
    fed.place("a", 0.3)
    fed.day(0, {"a": 0.3})
    fed.day(5, {"a": 0.3})
    fed.feed(6 * MOMENTS, {"a": [0.3]})
    fed.settle()
    assert [one.day - FIRST for one in fed.told.daybook.days] == [0, 5]
    assert fed.told.replayed == 2


def test_a_night_that_is_run_again_changes_nothing(fed: Fed) -> None:
    fed.machines(4)
    for i in range(12):
        fed.place(f"t{i}", 0.08)
    usage = generated(12, 3)
    run(fed, usage)
    fed.feed(3 * MOMENTS, {f"t{i}": [row[-1]] for i, row in enumerate(usage)})
    picture = fed.placement.decide(lambda desk: take_picture(desk.state)).result()
    night = plan_night(picture, fed.settings)
    assert night is not None
    fed.settle()
    before, events = fed.told, len(fed.events())
    again = fed.placement.decide(lambda desk: record_night(desk, night)).result()
    assert again is False
    fed.settle()
    assert (fed.told, len(fed.events())) == (before, events)


def test_a_machine_that_fails_gives_away_what_weighs_most_when_it_fails(
    fed: Fed,
) -> None:
    fed.machines(2)
    for name in ("steady", "peak", "small"):
        fed.place(name, 0.2)
    assert set(fed.where().values()) == {"m00"}
    fed.day(0, {"steady": 0.5, "peak": over_at(30, 0.1, 0.6), "small": 0.05})
    fed.feed(MOMENTS, {"steady": [0.5], "peak": [0.1], "small": [0.05]})
    fed.settle()
    assert fed.where() == {"steady": "m00", "peak": "m01", "small": "m00"}
    (move,) = fed.events("moved")
    assert move.data["reason"].startswith("m00 would have been over capacity 10.4 %")
    assert move.words.startswith("moved peak from m00 to m01: m00 would have")
    assert fed.told.daybook.days[-1].moves == 1


def test_a_machine_that_keeps_half_the_margin_is_left_alone(fed: Fed) -> None:
    # With margin 1.2 a machine of mean load 0.85 has to stay below 0.83, with half of
    # it below 0.915.
    fed.machines(2)
    for name in ("a", "b"):
        fed.place(name, 0.2)
    fed.day(0, {"a": 0.45, "b": 0.4})
    fed.feed(MOMENTS, {"a": [0.45], "b": [0.4]})
    fed.settle()
    assert fed.told.daybook.margin == 1.2
    assert fed.events("moved") == []


def test_the_emptiest_machine_is_emptied_where_all_it_holds_fits_elsewhere(
    fed: Fed,
) -> None:
    fed.machines(3)
    for name in ("a", "b", "c"):
        fed.place(name, 0.6)
    assert sorted(fed.where().values()) == ["m00", "m01", "m02"]
    fed.day(0, {"a": 0.4, "b": 0.4, "c": 0.1})
    fed.feed(MOMENTS, {"a": [0.4], "b": [0.4], "c": [0.1]})
    fed.settle()
    assert fed.where()["c"] in {"m00", "m01"}
    (move,) = fed.events("moved")
    assert move.data["reason"] == "empties m02: at 10 % load its task fits elsewhere"


def test_a_task_for_which_there_is_no_room_stays(fed: Fed) -> None:
    fed.machines(1)
    fed.place("a", 0.2)
    fed.place("b", 0.2)
    fed.day(0, {"a": 0.8, "b": 0.7})
    fed.feed(MOMENTS, {"a": [0.8], "b": [0.7]})
    fed.settle()
    assert fed.where() == {"a": "m00", "b": "m00"}
    assert fed.events("moved") == []


def test_moves_are_made_only_where_they_still_make_sense(fed: Fed) -> None:
    fed.machines(2)
    for name in ("steady", "peak", "small"):
        fed.place(name, 0.2)
    fed.day(0, {"steady": 0.5, "peak": over_at(30, 0.1, 0.6), "small": 0.05})
    fed.feed(MOMENTS, {"steady": [0.5], "peak": [0.1], "small": [0.05]})
    picture = fed.placement.decide(lambda desk: take_picture(desk.state)).result()
    night = plan_night(picture, fed.settings)
    assert night is not None
    assert [(s.task, s.target) for s in night.shifts] == [("peak", "m01")]
    fed.place("newcomer", 0.8)  # takes the room on m01
    assert fed.placement.decide(lambda desk: record_night(desk, night)).result()
    assert fed.where()["peak"] == "m00"
    assert fed.events("moved") == []
    assert fed.told.daybook.closed == FIRST


def test_a_task_that_breaks_the_promise_alone_does_not_drive_the_correction(
    fed: Fed,
) -> None:
    fed.machines(1)
    fed.place("greedy", 0.5)
    for number in range(3):
        fed.day(number, {"greedy": over_at(60, 0.5, 1.5)})
    fed.feed(3 * MOMENTS, {"greedy": [0.5]})
    fed.settle()
    first, *others = fed.told.daybook.days
    assert first.overload is not None
    assert [one.overload for one in others] == [None, None]


def test_an_excluded_day_neither_counts_nor_teaches(fed: Fed) -> None:
    fed.machines(2)
    fed.place("a", 0.3)
    fed.placement.decide(lambda desk: exclude(desk, FIRST + 1, "outage")).result()
    fed.day(0, {"a": 0.3})
    fed.day(1, {"a": over_at(60, 0.3, 1.5)})
    fed.feed(2 * MOMENTS, {"a": [0.3]})
    fed.settle()
    book = fed.told.daybook
    assert book.days[-1].overload == 60 / MOMENTS
    assert book.days[-1].curve is None
    assert (book.correction, book.curves()) == (0.0, [])
    assert book.delivered() == 0.0
    assert "excluded (outage)" in fed.events("night")[-1].words


def test_a_day_that_is_excluded_later_takes_its_curve_with_it(fed: Fed) -> None:
    fed.machines(2)
    fed.place("a", 0.3)
    for number in range(3):
        fed.day(number, {"a": 0.3})
    fed.feed(3 * MOMENTS, {"a": [0.3]})
    fed.settle()
    assert len(fed.told.daybook.curves()) == 2
    day = FIRST + 1
    assert fed.placement.decide(lambda desk: exclude(desk, day, "test")).result()
    assert not fed.placement.decide(lambda desk: exclude(desk, day, "test")).result()
    assert len(fed.told.daybook.curves()) == 1
    assert fed.placement.decide(lambda desk: exclude(desk, day, None)).result()
    assert len(fed.told.daybook.curves()) == 2


def test_days_are_excluded_only_where_days_are_kept() -> None:
    fed = Fed(Settings())
    with pytest.raises(InvalidInput, match="--promise tomorrow"):
        fed.placement.decide(lambda desk: exclude(desk, 1, "x")).result()
    fed.close()


def test_a_cautious_service_takes_the_largest_margin_of_seven_days() -> None:
    fed = Fed(replace(TOMORROW, conservative=True))
    fed.machines(6)
    for i in range(12):
        fed.place(f"t{i}", 0.08)
    run(fed, generated(12, 4), hours=12)
    book = fed.told.daybook
    assert book.days[-1].fitted == MarginRule.cautious().fit(book.curves(), 0.01)
    fed.close()


def test_a_curve_falls_to_nothing_where_drift_is_covered() -> None:
    random = np.random.default_rng(0)
    before = random.gamma(4.0, 0.03, (30, 2 * MOMENTS))
    curve = backtest_curve(
        before, 1.15 * before[:, :MOMENTS], 1.0, 0.01, MarginRule(), 1
    )
    assert curve is not None
    assert curve[0] > 0.01
    assert curve[-1] == 0.0
    assert backtest_curve(before + 1, before, 1.0, 0.01, MarginRule(), 1) is None


def _day(day: int, **facts: float) -> Day:
    plain = {"fitted": 1.1, "correction": 0.0, "margin": 1.1}
    return Day(day, 1.1, 0.0, 3, 0, 0.0, None, **(plain | facts))


@pytest.mark.parametrize(
    ("corrections", "fitted", "words"),
    [
        ((0.2, 0.2, 0.1), 1.1, []),
        ((0.16, 0.2, 0.3), 1.1, ["for 3 nights, now 0.3"]),
        ((0.2, 0.2), 1.1, []),
        ((1.0,), 1.1, ["at its highest, 1"]),
        ((0.0,), 3.0, ["largest that is tried, 3"]),
    ],
)
def test_alarms_say_that_the_history_no_longer_describes_the_fleet(
    corrections: tuple[float, ...], fitted: float, words: list[str]
) -> None:
    book = Daybook(1.2)
    for day, correction in enumerate(corrections):
        book = book.with_day(_day(day, correction=correction, fitted=fitted))
    found = book.alarms(MarginRule())
    assert len(found) == len(words)
    assert all(part in alarm for part, alarm in zip(words, found, strict=True))


def test_alarms_are_in_the_log(fed: Fed, caplog: pytest.LogCaptureFixture) -> None:
    fed.machines(1)
    fed.place("a", 0.3)
    fed.place("b", 0.3)
    for number in range(3):
        fed.day(number, {"a": over_at(144, 0.3, 0.9), "b": 0.3})
        fed.feed((number + 1) * MOMENTS, {"a": [0.3], "b": [0.3]})
        fed.settle()
    warned = [
        line.getMessage() for line in caplog.records if line.levelname == "WARNING"
    ]
    assert "after 2019-04-16: the correction has been above 0.15" in warned[0]


def test_a_date_is_read_or_refused() -> None:
    assert read_date("1970-01-03") == 2
    with pytest.raises(InvalidInput, match="such as 2026-11-30"):
        read_date("yesterday")


def test_a_ledger_read_back_is_what_was_lived_bit_for_bit(database: str) -> None:
    fed = Fed(database=database)
    fed.machines(5)
    for i in range(14):
        fed.place(f"t{i}", 0.06 + i / 400, "web" if i < 2 else None)
    usage = generated(14, 3, seed=5)
    run(fed, usage[:12], hours=6)
    fed.placement.release("t3").result()
    run(fed, usage[:3, : MOMENTS // 2], hours=6)
    picture = fed.placement.decide(lambda desk: take_picture(desk.state)).result()
    live = fed.placement.machines()
    fed.close()
    fresh = state_of(database, TOMORROW)
    loaded = unpack(TOMORROW, pack(picture))
    assert loaded is not None
    for state in (fresh, loaded.start()):
        assert state.kept is not None
        assert picture.kept is not None
        assert facts_of(state.kept) == facts_of(picture.kept)
        for task, days in picture.kept.history.usage.items():
            known = state.kept.history.usage[task]
            assert known.keys() == days.keys()
            for day, samples in days.items():
                np.testing.assert_array_equal(known[day], samples)
        assert [m.name for m in live] == list(state.machines)
        for view in live:
            host = state.machines[view.name].hosts[0]
            assert state.side("usage").overload(host) == view.overload
            assert state.side("usage").load(range(host, host + 1)) == view.load


def test_a_snapshot_of_the_other_promise_is_not_used() -> None:
    fed = Fed(Settings())
    picture = fed.placement.decide(lambda desk: take_picture(desk.state)).result()
    fed.close()
    assert unpack(TOMORROW, pack(picture)) is None
    assert unpack(Settings(), pack(picture)) is not None


def test_a_refused_list_of_tasks_leaves_nothing_behind(fed: Fed) -> None:
    fed.machines(1)
    fed.place("a", 0.3)
    kept = fed.placement.decide(lambda desk: desk.state.kept).result()
    assert kept is not None
    before = facts_of(kept)
    specs = [("b", 0.2), ("huge", 5.0)]
    with pytest.raises(Exception, match="huge"):
        fed.placement.place([asked(name, mean, 0.0) for name, mean in specs]).result()
    assert facts_of(kept) == before
