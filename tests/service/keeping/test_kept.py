"""What is replayed of tasks: their own days, or what stands in for them."""

import numpy as np
import pytest

from cotenant.colocate.margin import MarginRule
from cotenant.demand.task import Task
from cotenant.demand.usage import Usage
from cotenant.service.keeping.history import MOMENTS
from cotenant.service.keeping.kept import Kept
from cotenant.service.keeping.packed import facts_of


def task(name: str, mean: float, label: str | None = None) -> Task:
    usage = Usage(mean, 0.0, np.array([mean]), np.ones(1), 1)
    return Task(name, {"cpu": usage}, label)


def used(kept: Kept, name: str, day: int, level: float) -> None:
    at = day * MOMENTS + np.arange(MOMENTS)
    kept.history.note(name, at, np.full(MOMENTS, level), None, kept.closed_for(name))


def levels(kept: Kept, of: Task) -> list[float]:
    series = kept.series(of).reshape(-1, MOMENTS)
    assert (series == series[:, :1]).all()
    return [float(round(level, 6)) for level in series[:, 0]]


@pytest.fixture
def kept() -> Kept:
    """Two tasks with two days: a from the first on, b on the second only."""
    made = Kept(MarginRule())
    for one in (task("a", 0.2, "web"), task("b", 0.4)):
        made.joined(one, f"asked {one.name}", "m")
    used(made, "a", 0, 0.1)
    made.close(0)
    used(made, "a", 1, 0.3)
    used(made, "b", 1, 0.2)
    made.close(1)
    return made


def test_before_the_first_night_what_was_stated_is_replayed() -> None:
    kept = Kept(MarginRule())
    assert levels(kept, task("a", 0.2)) == [0.2]
    usage = Usage(0.2, 0.01, np.array([0.2]), np.ones(1), 1)
    series = kept.series(Task("a", {"cpu": usage}))
    assert series.mean() == pytest.approx(0.2, rel=0.2)
    assert series.var() == pytest.approx(0.01, rel=0.5)
    assert (series == kept.series(Task("a", {"cpu": usage}))).all()


def test_a_day_without_a_task_is_stood_in_for_by_its_nearest(kept: Kept) -> None:
    assert levels(kept, task("a", 0.2)) == [0.1, 0.3]
    assert levels(kept, task("b", 0.4)) == [0.2, 0.2]


def test_a_newcomer_has_the_history_of_its_label_else_of_the_nearest_request(
    kept: Kept,
) -> None:
    assert levels(kept, task("new", 0.2, "web")) == [0.1, 0.3]
    assert levels(kept, task("new", 0.39)) == [0.195, 0.195]
    assert levels(kept, task("new", 0.22)) == [0.11, 0.33]


def test_a_newcomer_uses_as_much_of_what_it_stated_as_its_donor(kept: Kept) -> None:
    assert levels(kept, task("new", 0.6, "web")) == [0.3, 0.9]
    assert levels(kept, task("new", 0.0, "web")) == [0.1, 0.3]


def test_a_donor_stays_the_same_until_the_next_night(kept: Kept) -> None:
    kept.joined(task("new", 0.39), "asked", "m")
    before = levels(kept, task("new", 0.39))
    kept.joined(task("a", 0.39, "web"), "asked again", "m")
    assert levels(kept, task("new", 0.39)) == before
    used(kept, "new", 2, 0.7)
    kept.close(2)
    assert levels(kept, task("new", 0.39)) == [0.7, 0.7, 0.7]


def test_a_changed_task_stands_in_for_itself_until_a_day_was_measured_since(
    kept: Kept,
) -> None:
    used(kept, "a", 2, 0.1)
    larger = task("a", 0.4, "web")
    with kept.supposing(larger, "asked for more"):
        assert levels(kept, larger) == [0.2, 0.6]
    assert levels(kept, larger) == [0.1, 0.3]
    kept.joined(larger, "asked for more", "m")
    assert levels(kept, larger) == [0.2, 0.6]
    kept.close(2)
    assert levels(kept, larger) == [0.2, 0.6, 0.2]
    used(kept, "a", 3, 0.5)
    kept.close(3)
    assert levels(kept, larger) == [0.5, 0.5, 0.5, 0.5]


def test_the_window_holds_fourteen_days(kept: Kept) -> None:
    for day in range(2, 20):
        used(kept, "a", day, day / 100)
        kept.close(day)
    assert kept.window == tuple(range(6, 20))
    assert levels(kept, task("a", 0.2)) == [day / 100 for day in range(6, 20)]
    assert "b" not in kept.history.usage


def test_closed_days_take_no_more_samples_but_of_newcomers(kept: Kept) -> None:
    kept.daybook = kept.daybook.with_excluded(0, "x")
    kept.joined(task("new", 0.39), "asked", "m")
    assert kept.closed_for("new") == -1
    assert kept.closed_for("a") == kept.daybook.closed


def test_what_was_noted_of_tasks_can_be_put_back(kept: Kept) -> None:
    before = facts_of(kept)
    noted = kept.remember(["a", "new"])
    kept.joined(task("a", 0.9, "web"), "other", "n")
    kept.joined(task("new", 0.1), "asked", "n")
    assert facts_of(kept) != before
    kept.restore(noted)
    assert facts_of(kept) == before


def test_the_guard_replays_the_part_of_today_that_is_over(kept: Kept) -> None:
    at = 2 * MOMENTS + np.arange(24)
    kept.history.note("a", at, np.full(24, 0.9), None, 1)
    series = kept.with_today().series(task("a", 0.2))
    assert len(series) == 2 * MOMENTS + 24
    assert series[-24:] == pytest.approx(np.full(24, 0.9))
    assert len(kept.series(task("a", 0.2))) == 2 * MOMENTS
