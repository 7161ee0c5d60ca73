"""Plans for tomorrow: who is planned, and on whose history."""

import polars as pl

from cotenant.colocate.pack import Policy
from cotenant.fleet import Fleet
from cotenant.planning.plan import plan
from cotenant.planning.results import Plan
from cotenant.planning.settings import Settings
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import daily

DAY = 86_400


def planned(rows: pl.DataFrame, spread: str | None = None) -> Plan:
    settings = Settings(Policy(rho=0.01), promise="tomorrow", spread=spread)
    return plan(from_frame(rows), Fleet.of_equal({"cpu": 4.0}), settings, beside=())


def only(rows: pl.DataFrame, since: float, until: float) -> pl.DataFrame:
    """Leave the last task of a trace its samples between two days from the start."""
    name, start = rows["task"][-1], rows["time"].min()
    day = (pl.col("time") - start) / DAY
    return rows.filter((pl.col("task") != name) | day.is_between(since, until))


def test_a_task_of_the_last_hours_rests_on_a_donor_and_the_plan_says_so() -> None:
    rows = only(daily(30, 9, seed=2), 8.9, 9.1)
    made = planned(rows)
    assert rows["task"][-1] in made.to_frame()["task"]
    assert any("1 task without a day of history" in said for said in made.assumptions)
    assert "gone_by_the_last_day" not in made.cleaning["tasks_dropped"]


def test_a_short_task_that_ended_before_the_trace_did_is_gone() -> None:
    rows = only(daily(30, 9, seed=2), 8.6, 8.8)
    made = planned(rows)
    assert made.cleaning["tasks_dropped"]["gone_by_the_last_day"] == 1
    assert not any("donor" in said for said in made.assumptions)


def test_a_trace_that_ends_before_midnight_is_planned_whole() -> None:
    rows = daily(30, 10, seed=2)
    early = rows.filter(pl.col("time") < pl.col("time").min() + 9.2 * DAY)
    made = planned(early)
    assert made.summary["tasks"] == rows["task"].n_unique()
    assert "gone_by_the_last_day" not in made.cleaning["tasks_dropped"]
