from pathlib import Path

import pytest

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.public import google
from cotenant.traces.schema import ReadOptions
from tests.contracts.readers.google2011 import FIRST, event, usage
from tests.unit.traces.reading import read, recognised

PART = "task_usage/part-00000-of-00500.csv"
EVENTS = "task_events/part-00000-of-00500.csv"
TASK = (3, 7)


def series(time: float, average: float, sampled: float) -> str:
    cells = [time, 40.0, 40.0, average, 0.5, 0.6, 0.1, 0.1, 0.7, 0.0, 0.0]
    return ",".join(map(str, [*cells, 2.5, 0.1, 2.4, 0.01, 0.0, 40.0, sampled])) + "\n"


def test_the_exponent_form_and_a_sample_of_zero_are_numbers(tmp_path: Path) -> None:
    row = usage(FIRST, TASK, average="1.562e-03", sampled=0)
    rows, _ = read("google2011", tmp_path, {PART: row})
    assert rows["cpu_mean"].to_list() == [pytest.approx(0.001562)]
    assert rows["cpu"].to_list() == [0.0]


def test_an_empty_sample_is_not_measured(tmp_path: Path) -> None:
    rows, _ = read("google2011", tmp_path, {PART: usage(FIRST, TASK, sampled="")})
    assert rows["cpu"].to_list() == [None]
    assert rows["cpu_mean"].to_list() == [0.1]


def test_an_empty_machine_is_no_matter(tmp_path: Path) -> None:
    rows, _ = read("google2011", tmp_path, {PART: usage(FIRST, TASK).replace("77", "")})
    assert rows.height == 1


def test_a_comment_and_a_missing_last_newline_are_no_matter(tmp_path: Path) -> None:
    text = "#start time,end time\n" + usage(FIRST, TASK).rstrip("\n")
    rows, _ = read("google2011", tmp_path, {"task-usage-sample.csv": text})
    assert rows["time"].to_list() == [600.0]


def test_an_average_above_one_becomes_the_sample_and_is_counted(tmp_path: Path) -> None:
    files = {PART: usage(FIRST, TASK, 3.5, 0.75) + usage(FIRST, (3, 8), 1.0, 0.5)}
    rows, reading = read("google2011", tmp_path, files)
    assert rows["cpu_mean"].to_list() == [0.75, 1.0]
    assert rows["cpu"].to_list() == [0.75, 0.5]
    assert reading.cleaning.repaired == {"average_above_one": 1}


def test_an_average_above_one_stays_where_nothing_was_sampled(tmp_path: Path) -> None:
    rows, reading = read("google2011", tmp_path, {PART: usage(FIRST, TASK, 3.5, "")})
    assert rows["cpu_mean"].to_list() == [3.5]
    assert not reading.cleaning.repaired


def test_the_end_after_the_trace_is_no_matter(tmp_path: Path) -> None:
    row = usage(FIRST, TASK).replace(str(FIRST + 300_000_000), str(2**63 - 1))
    rows, _ = read("google2011", tmp_path, {PART: row})
    assert rows["time"].to_list() == [600.0]


def test_a_start_after_the_trace_is_dropped_and_counted(tmp_path: Path) -> None:
    files = {PART: usage(2**63 - 1, TASK) + usage(FIRST, TASK)}
    rows, reading = read("google2011", tmp_path, files)
    assert rows.height == 1
    assert reading.cleaning.dropped == {"after_trace": 1}


def test_a_row_without_a_job_is_dropped_and_counted(tmp_path: Path) -> None:
    files = {PART: usage(FIRST, ("", 1)) + usage(FIRST, TASK)}  # type: ignore[arg-type]
    rows, reading = read("google2011", tmp_path, files)
    assert rows["task"].to_list() == ["3-7"]
    assert reading.cleaning.dropped == {"no_task": 1}


@pytest.mark.parametrize(("kind", "failing"), list(enumerate("nnyynyynn")))
def test_evicted_failed_killed_and_lost_tasks_are_failing(
    tmp_path: Path, kind: int, failing: str
) -> None:
    files = {EVENTS: event(TASK, 0) + event(TASK, kind), PART: usage(FIRST, TASK)}
    rows, _ = read("google2011", tmp_path, files)
    assert rows["failing"].to_list() == [failing == "y"]


def test_the_largest_request_counts_and_empty_ones_do_not(tmp_path: Path) -> None:
    events = event(TASK, 0, 0.25, "") + event(TASK, 8, 0.5, 0.1) + event(TASK, 1, "")
    rows, _ = read("google2011", tmp_path, {EVENTS: events, PART: usage(FIRST, TASK)})
    assert rows["cpu_request"].to_list() == [0.5]
    assert rows["memory_request"].to_list() == [0.125]


def test_usage_without_an_event_and_events_without_usage_are_fine(
    tmp_path: Path,
) -> None:
    files = {EVENTS: event((1, 0), 3), PART: usage(FIRST, TASK)}
    rows, reading = read("google2011", tmp_path, files)
    assert rows["failing"].to_list() == [False]
    assert rows["cpu_request"].to_list() == [None]
    assert reading.cleaning.rows == 1


def test_many_event_batches_are_merged_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(google, "MERGE_FROM", 1)
    events = {f"task_events/{i}.csv": event(TASK, 0, i / 8) for i in range(1, 5)}
    rows, _ = read("google2011", tmp_path, events | {PART: usage(FIRST, TASK)})
    assert rows["cpu_request"].to_list() == [0.5]


def test_machine_events_are_left_out_with_a_note(tmp_path: Path) -> None:
    files = {"machine_events.csv": "0,10,0,LGz=,0.5,0.2493", PART: usage(FIRST, TASK)}
    rows, reading = read("google2011", tmp_path, files)
    assert rows.height == 1
    assert any("machine_events" in note for note in reading.cleaning.notes)


def test_usage_is_recognised_by_its_columns_alone(tmp_path: Path) -> None:
    assert recognised(tmp_path, {"cluster.csv": usage(FIRST, TASK)}) == "google2011"


def test_events_are_known_by_their_columns_too(tmp_path: Path) -> None:
    files = {"a.csv": event(TASK, 5), "b.csv": usage(FIRST, TASK)}
    rows, _ = read("google2011", tmp_path, files)
    assert rows["failing"].to_list() == [True]


def test_job_events_alone_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="holds no usage"):
        read("google2011", tmp_path, {"job_events.csv": "0,,3418309,0,u=,3,a=,b=\n"})


def test_scale_and_unit_reach_usage_and_request_but_not_memory(tmp_path: Path) -> None:
    files = {EVENTS: event(TASK, 0, 0.25), PART: usage(FIRST, TASK, sampled=0.5)}
    options = ReadOptions(unit="cores", scale=64.0)
    rows, reading = read("google2011", tmp_path, files, options)
    assert rows.row(0, named=True)["cpu"] == 32.0
    assert rows.row(0, named=True)["cpu_request"] == 16.0
    assert rows.row(0, named=True)["memory"] == 0.05
    assert reading.unit == "cores"


@pytest.mark.parametrize(
    "options", [ReadOptions(keep="service"), ReadOptions(cores_column="cores")]
)
def test_options_that_choose_columns_are_refused(
    tmp_path: Path, options: ReadOptions
) -> None:
    with pytest.raises(InvalidInput, match="expected none"):
        read("google2011", tmp_path, {PART: usage(FIRST, TASK)}, options)


def test_a_job_series_is_one_task_named_in_the_file(tmp_path: Path) -> None:
    files = {"usage_5Minutes_6336594489.csv": series(600.0, 80.5, 81.5)}
    assert recognised(tmp_path, files) == "google2011"
    rows, reading = read("google2011", tmp_path, files)
    assert rows.row(0, named=True) == {
        "task": "6336594489",
        "time": 600.0,
        "cpu": 81.5,
        "cpu_mean": 80.5,
        "memory": 0.5,
    }
    assert not reading.cleaning.repaired


def test_a_sampled_column_of_zeros_was_never_measured(tmp_path: Path) -> None:
    text = series(600.0, 1.5, 0.0) + series(900.0, 2.5, 0.0)
    rows, reading = read("google2011", tmp_path, {"job_123456.csv": text})
    assert "cpu" not in rows.columns
    assert rows["cpu_mean"].to_list() == [1.5, 2.5]
    assert any("averages only" in note for note in reading.cleaning.notes)
    assert reading.cleaning.rows == 2


def test_single_zeros_among_samples_are_kept(tmp_path: Path) -> None:
    text = series(600.0, 1.5, 0.0) + series(900.0, 2.5, 2.0)
    rows, _ = read("google2011", tmp_path, {"job_123456.csv": text})
    assert rows["cpu"].to_list() == [0.0, 2.0]


def test_a_machine_series_keeps_the_order_it_came_in(tmp_path: Path) -> None:
    text = "mID,moment,CPU\n661,95000000.0,0.25\n661,94000000.0,0.5\n7,95000000.0,0\n"
    rows, _ = read("google2011", tmp_path, {"part.csv": text})
    assert rows["task"].to_list() == ["661", "661", "7"]
    assert rows["time"].to_list() == [95.0, 94.0, 95.0]
    assert rows["cpu"].to_list() == [0.25, 0.5, 0.0]
