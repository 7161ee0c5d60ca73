import json

import numpy as np
import polars as pl
import pytest

from cotenant.errors import InvalidInput
from cotenant.report.csv_json import to_json
from cotenant.study.profile.parts import Absent
from cotenant.study.profile.profile import profile
from cotenant.study.profile.readings import read_readings
from cotenant.study.profile.result import Profile
from cotenant.traces import intake
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import daily, matched


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    return daily(120, 2, seed=1)


@pytest.fixture(scope="module")
def made(rows: pl.DataFrame) -> Profile:
    return profile(from_frame(rows))


def absent(made: Profile) -> set[str]:
    return {name for name, part in made.parts.items() if isinstance(part, Absent)}


def test_a_trace_of_two_days_shows_all_that_samples_alone_can_show(made):
    assert absent(made) == {"variance_factor"}
    assert made.summary.tasks + made.summary.zero == 120
    assert made.summary.samples == made.summary.tasks * 2 * 288
    assert made.cleaning["tasks_dropped"] == {"all_zero": made.summary.zero}


def test_replicas_of_services_move_together_by_day(made):
    assert all(row.variance_ratio > 5 for row in made.correlation.rows)
    load = [row.load for row in made.time_of_day.rows]
    assert max(load[10:18]) > 1 > max(load[0:4])


def test_a_pool_without_time_says_what_it_cannot_show():
    made = profile(from_frame(matched(200, averages=True), "fraction"))
    assert absent(made) == {"correlation", "time_of_day", "drift"}
    assert made.bias.against == "averages"
    assert {row.data for row in made.spread.rows} == {"instantaneous", "averages"}
    assert made.variance_factor.rows[0].factor > 1.2


def test_tasks_known_by_averages_only_are_counted_as_such():
    rows = matched(40, averages=True).drop("cpu")
    made = profile(from_frame(rows))
    assert made.summary.averaged == 40
    assert [row.data for row in made.spread.rows] == ["averages"]
    assert made.bias.against == "all samples"


def test_samples_never_taken_do_not_count_as_samples_of_zero():
    rows = matched(40, averages=True)
    never = pl.when(pl.col("task") == "task-00001").then(0.0).otherwise("cpu")
    readings = read_readings(from_frame(rows.with_columns(cpu=never)))
    assert len(readings.instantaneous.codes) == 39
    assert len(readings.averages.codes) == len(readings.usage.codes) == 40
    assert len(readings.paired[0].codes) == 39


def test_a_trace_of_nothing_but_short_tasks_says_so_in_every_part():
    rows = pl.DataFrame({"task": ["a", "a", "b"], "cpu": [0.1, 0.2, 0.3]})
    made = profile(from_frame(rows))
    assert absent(made) == set(made.parts)
    assert (made.summary.tasks, made.summary.short) == (0, 2)
    assert made.cleaning["share_of_load"]["short"] == pytest.approx(1.0)
    assert all(part.reason for part in made.parts.values())
    to_json(made)


def test_the_same_seed_gives_the_same_bytes_and_another_one_other_draws(rows, made):
    again = profile(from_frame(rows))
    assert to_json(again) == to_json(made)
    other = profile(from_frame(rows), seed=1)
    assert other.bias != made.bias
    assert other.correlation == made.correlation


def test_json_has_the_version_and_a_part_a_key(made):
    plain = json.loads(to_json(made))
    assert (plain["apiVersion"], plain["kind"]) == ("cotenant/v1", "Profile")
    assert plain["settings"] == {"min_samples": 24, "seed": 0}
    for name in made.parts:
        assert set(plain[name]) & {"rows", "absent"}


def test_the_table_has_a_line_a_number(made):
    table = made.to_frame()
    assert table.columns == ["part", "row", "quantity", "value"]
    ratios = table.filter(part="correlation", quantity="variance_ratio")["value"]
    expected = [row.variance_ratio for row in made.correlation.rows]
    assert [float(value) for value in ratios] == expected
    assert set(table["part"]) == set(made.parts) - absent(made)


def test_every_part_is_a_table_of_its_rows(made):
    for part in made.parts.values():
        if not isinstance(part, Absent):
            assert part.to_frame().height == len(part.rows)


def test_a_large_trace_is_sampled_by_whole_tasks_and_says_so(rows):
    made = profile(from_frame(rows), most_samples=20_000)
    assert made.summary.samples <= 20_000
    assert made.summary.tasks == 20_000 // (2 * 288)
    assert made.summary.left_out == 120 - made.summary.zero - made.summary.tasks


def test_one_task_is_looked_at_however_large_it_is(rows):
    readings = read_readings(from_frame(rows), most_samples=1)
    assert len(readings.usage.codes) == 1


def test_a_trace_in_parts_on_disk_gives_the_same_profile(rows, made, monkeypatch):
    monkeypatch.setattr(intake, "ROWS_AT_ONCE", 5_000)
    monkeypatch.setattr(intake, "ROWS_IN_MEMORY", 10_000)
    trace = from_frame(rows)
    assert trace.store.files
    assert to_json(profile(trace)) == to_json(made)


def test_irregular_samples_weigh_as_long_as_they_stand():
    step = np.tile([60.0, 60.0, 600.0], 60)
    usage = np.tile([1.0, 1.0, 0.0], 60)
    tasks = [
        pl.DataFrame({"task": name, "time": np.cumsum(step), "cpu": usage * size})
        for name, size in (("a", 1.0), ("b", 2.0), ("c", 3.0))
    ]
    trace = from_frame(pl.concat(tasks))
    assert not trace.regular
    made = profile(trace)
    # Every second one is the last before a pause and stands for three steps.
    expected = np.mean([1, 2, 3]) * (1 + 3) / (1 + 3 + 1)
    assert made.spread.rows[0].mean == pytest.approx(expected, rel=0.01)
    assert made.summary.mean == pytest.approx(expected, rel=0.01)


def test_single_precision_is_read_like_double(rows):
    single = profile(from_frame(rows.with_columns(pl.col("cpu").cast(pl.Float32))))
    assert not absent(single) - {"variance_factor"}


@pytest.mark.parametrize("bad", [{"min_samples": 0}, {"seed": -1}])
def test_options_out_of_range_are_refused(rows, bad):
    with pytest.raises(InvalidInput, match="expected at least 1 and 0"):
        profile(from_frame(rows), **bad)
