import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from cotenant.errors import TraceError
from cotenant.traces.schema import ReadOptions
from tests.unit.traces.reading import read, recognised


def statistics(*points: Mapping[str, object]) -> str:
    return json.dumps({"Label": "CPUUtilization", "Datapoints": points})


def point(minute: int, unit: str = "Percent", **values: float) -> dict[str, object]:
    return {"Timestamp": f"2026-01-31T13:{minute:02d}:00Z", "Unit": unit, **values}


def result(id_: str, label: str, values: list[float]) -> dict[str, object]:
    times = [f"2026-01-31T13:{5 * i:02d}:00+00:00" for i in range(len(values))]
    return {"Id": id_, "Label": label, "Timestamps": times, "Values": values}


def metric_data(*results: Mapping[str, object]) -> str:
    return json.dumps({"MetricDataResults": results, "Messages": []})


CSV = "timestamp,value\n2014-02-14 14:30:00,50\n"


def test_a_csv_file_is_one_task_of_averages_in_percent(tmp_path: Path) -> None:
    rows, reading = read("cloudwatch", tmp_path, {"i-1.csv": CSV})
    assert rows.row(0, named=True) == {
        "task": "i-1",
        "time": 1392388200.0,
        "cpu_mean": 0.5,
    }
    assert reading.unit == "fraction"
    assert any("averages" in note for note in reading.cleaning.notes)


def test_another_unit_can_be_asked_for(tmp_path: Path) -> None:
    rows, reading = read("cloudwatch", tmp_path, {"a.csv": CSV}, ReadOptions("cores"))
    assert (reading.unit, rows["cpu_mean"].to_list()) == ("cores", [50.0])


def test_csv_rows_without_a_time_are_counted(tmp_path: Path) -> None:
    rows, reading = read("cloudwatch", tmp_path, {"a.csv": CSV + ",7\n"})
    assert (rows.height, reading.cleaning.rows) == (1, 2)
    assert reading.cleaning.dropped == {"no_time": 1}


def test_averages_and_maxima_of_statistics_are_both_read(tmp_path: Path) -> None:
    text = statistics(point(5, Average=10.0, Maximum=90.0), point(0, Average=20.0))
    rows, reading = read("cloudwatch", tmp_path, {"web.json": text})
    assert rows["task"].to_list() == ["web", "web"]
    assert rows["cpu_mean"].to_list() == [0.1, 0.2]
    assert rows["cpu"].to_list() == [0.9, None]
    assert rows["time"].to_list() == [1769864700.0, 1769864400.0]
    assert reading.cleaning.rows == 2


def test_statistics_of_another_unit_are_refused(tmp_path: Path) -> None:
    text = statistics(point(0, "Bytes", Average=1e6))
    with pytest.raises(TraceError, match="has values in Bytes; expected Unit Percent"):
        read("cloudwatch", tmp_path, {"net.json": text})


def test_statistics_without_average_or_maximum_are_refused(tmp_path: Path) -> None:
    text = statistics(point(0, Minimum=1.0, SampleCount=5.0))
    with pytest.raises(TraceError, match="Minimum, SampleCount; expected Average or"):
        read("cloudwatch", tmp_path, {"web.json": text})


def test_statistics_without_points_give_no_rows(tmp_path: Path) -> None:
    rows, reading = read("cloudwatch", tmp_path, {"web.json": statistics()})
    assert rows.height == reading.cleaning.rows == 0


def test_the_label_of_a_metric_result_is_the_task(tmp_path: Path) -> None:
    text = metric_data(result("m1", "i-1", [10, 20]), result("m2", "i-2", [30]))
    rows, _ = read("cloudwatch", tmp_path, {"all.json": text})
    assert rows.select("task", "cpu_mean").rows() == [
        ("i-1", 0.1),
        ("i-1", 0.2),
        ("i-2", 0.3),
    ]


def test_the_id_is_the_task_where_labels_repeat(tmp_path: Path) -> None:
    text = metric_data(result("m1", "CPU", [10]), result("m2", "CPU", [30]))
    rows, _ = read("cloudwatch", tmp_path, {"all.json": text})
    assert rows["task"].to_list() == ["m1", "m2"]


def test_a_label_that_says_maximum_is_no_average(tmp_path: Path) -> None:
    text = metric_data(result("m1", "i-1 Maximum", [10]))
    rows, reading = read("cloudwatch", tmp_path, {"all.json": text})
    assert rows["cpu"].to_list() == [0.1]
    assert not any("averages" in note for note in reading.cleaning.notes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (metric_data(result("m1", "i-1", [10]))[:-9], "is damaged JSON"),
        ('{"MetricDataResults": [{"Id": "m1"}]}', "not as CloudWatch answers"),
        ('{"Datapoints": [{"Average": 1, "Unit": "Percent"}]}', "not as CloudWatch"),
        ('{"Metrics": []}', "expected Datapoints or MetricDataResults"),
        (statistics({"Timestamp": "noon", "Unit": "Percent", "Average": 1}), '"noon"'),
        (statistics({**point(0), "Average": "many"}), "not as CloudWatch answers"),
    ],
)
def test_damaged_answers_are_errors_that_name_the_file(
    text: str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(TraceError, match=words) as caught:
        read("cloudwatch", tmp_path, {"web.json": text})
    assert "web.json" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (CSV, "cloudwatch"),
        (CSV.replace("timestamp,value", '"timestamp","value"'), "cloudwatch"),
        ("timestamp,value\n5,50\n", "table"),
        (statistics(point(0, Average=1.0)), "cloudwatch"),
        (metric_data(result("m1", "i-1", [10])), "cloudwatch"),
    ],
)
def test_the_layouts_are_recognised(text: str, name: str, tmp_path: Path) -> None:
    assert recognised(tmp_path, {"a.csv": text}) == name
