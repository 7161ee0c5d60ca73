import gzip
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces import lines
from cotenant.traces.cleaning import Cleaning
from cotenant.traces.prometheus import saved as prometheus
from cotenant.traces.prometheus.answer import read_answer
from cotenant.traces.reduction import take
from cotenant.traces.schema import Reading, ReadOptions
from cotenant.traces.source import open_source
from cotenant.traces.store import Scratch, merge
from tests.contracts.readers.prometheus import START, matrix, pod, steps

WEB = "shop/web-1/web"
MEMORY = "container_memory_working_set_bytes"


def read(
    folder: Path, files: dict[str, str | bytes], options: ReadOptions | None = None
) -> tuple[pl.DataFrame, Reading]:
    for name, content in files.items():
        raw = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(raw)
    with open_source([str(folder)]) as members:
        reading = Reading(members, options or ReadOptions(), Cleaning())
        return pl.concat(prometheus.read(reading), how="diagonal"), reading


def collected(
    folder: Path, files: dict[str, str | bytes], options: ReadOptions | None = None
) -> tuple[pl.DataFrame, Reading]:
    """Read the files and bring rows of one moment together, as `collect` does."""
    rows, reading = read(folder, files, options)
    taken = take(iter([rows]), reading.cleaning, folder / "rows", eager=False)
    store = merge([taken], reading.cleaning, Scratch())
    return pl.concat(store.parts()), reading


def answer(result: Any, kind: str = "matrix", **more: Any) -> str:
    data = {"resultType": kind, "result": result}
    return json.dumps({"status": "success", "data": data, **more})


def test_an_answer_of_a_real_server_is_read(tmp_path: Path) -> None:
    text = (
        '{"status":"success","data":{"resultType":"matrix","result":[\n'
        ' {"metric":{"container":"web","id":"/kubepods/c1","namespace":"shop",'
        '"node":"n1","pod":"web-2"},\n'
        '  "values":[[1780001700,"1"],[1780001760,"1"],[1780001820,"0.625"]]}]}}'
    )
    rows, reading = read(tmp_path, {"cpu.json": text})
    assert rows["task"].unique().to_list() == ["shop/web-2/web"]
    assert rows["time"].to_list() == [1780001700.0, 1780001760.0, 1780001820.0]
    assert rows["cpu"].to_list() == [1.0, 1.0, 0.625]
    assert (reading.unit, reading.cleaning.rows) == ("cores", 3)


def test_values_that_are_no_numbers_are_handed_on_and_never_become_zero(
    tmp_path: Path,
) -> None:
    text = matrix([(pod("web-1"), steps(["NaN", "+Inf", "-Inf", "-0.513"]))])
    rows, _ = read(tmp_path, {"cpu.json": text})
    assert [str(v) for v in rows["cpu"]] == ["nan", "inf", "-inf", "-0.513"]


def test_a_missing_scrape_is_an_absent_row(tmp_path: Path) -> None:
    text = matrix([(pod("web-1"), [(60, "0.1"), (180.25, "0.2")])])
    rows, _ = read(tmp_path, {"cpu.json": text})
    assert rows["time"].to_list() == [60.0, 180.25]


def test_a_wrapped_counter_is_dropped_and_counted(tmp_path: Path) -> None:
    text = matrix([(pod("web-1"), steps(["18446744073709526456", "0.5"]))])
    rows, reading = read(tmp_path, {"cpu.json": text})
    assert rows["cpu"].to_list() == [0.5]
    assert reading.cleaning.dropped == {"implausible": 1}


def test_a_restarted_container_gives_the_larger_value_and_never_the_sum(
    tmp_path: Path,
) -> None:
    old = (pod("web-1", id="/c1"), steps(["0.75", "0.75"]))
    new = (pod("web-1", id="/c2"), [(START + 60, "1"), (START + 120, "0.5")])
    rows, reading = collected(tmp_path, {"cpu.json": matrix([old, new])})
    assert rows["cpu"].to_list() == [0.75, 1.0, 0.5]
    assert reading.cleaning.repaired == {"overlapping_series": 1}


def test_a_number_wins_over_infinity_where_series_overlap(tmp_path: Path) -> None:
    series = [
        (pod("web-1", instance=name), steps([value]))
        for name, value in (("ksm-0", "0.5"), ("ksm-1", "+Inf"), ("ksm-2", "NaN"))
    ]
    rows, reading = collected(tmp_path, {"cpu.json": matrix(series)})
    assert rows["cpu"].to_list() == [0.5]
    assert reading.cleaning.repaired["overlapping_series"] == 2


def test_a_container_that_follows_another_is_no_rival(tmp_path: Path) -> None:
    old = (pod("web-1", id="/c1"), steps(["0.75", "0.75"]))
    new = (pod("web-1", id="/c2"), [(START + 120, "1")])
    _, reading = read(tmp_path, {"cpu.json": matrix([old, new])})
    assert not reading.cleaning.repaired


def test_overlapping_edges_of_chunks_are_no_rival_series(tmp_path: Path) -> None:
    points = steps(["0.1", "0.2", "0.3"])
    files: dict[str, str | bytes] = {
        "a.json": matrix([(pod("web-1"), points[:2])]),
        "b.json": matrix([(pod("web-1"), points[1:])]),
    }
    rows, reading = read(tmp_path, files)
    assert rows["cpu"].to_list() == [0.1, 0.2, 0.2, 0.3]
    assert not reading.cleaning.repaired


def test_pods_of_two_clusters_are_two_tasks(tmp_path: Path) -> None:
    series = [(pod("web-1", cluster=name), steps(["1"])) for name in ("east", "west")]
    rows, _ = read(tmp_path, {"cpu.json": matrix(series)})
    assert rows["task"].to_list() == [f"east/{WEB}", f"west/{WEB}"]


def test_memory_joins_the_cpu_of_its_task_and_moment(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.json": matrix([(pod("web-1"), steps(["0.1", "0.2"]))]),
        "b.json": matrix(
            [(pod("web-1", __name__=MEMORY), steps(["100", "200", "300"]))]
        ),
    }
    rows, reading = collected(tmp_path, files)
    assert rows.select("cpu", "memory").rows() == [(0.1, 100), (0.2, 200), (None, 300)]
    assert reading.cleaning.rows == 5


def test_a_file_without_metric_names_is_memory_by_its_own_name(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "cpu.json": matrix([(pod("web-1"), steps(["0.1"]))]),
        "memory.json": matrix([(pod("web-1"), steps(["100"]))]),
    }
    rows, reading = collected(tmp_path, files)
    assert rows.select("cpu", "memory").rows() == [(0.1, 100.0)]
    assert any("memory.json" in note for note in reading.cleaning.notes)


def test_unit_and_scale_apply_to_cpu_and_not_to_memory(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.json": matrix([(pod("web-1"), steps(["250"]))]),
        "b.json": matrix([(pod("web-1", __name__=MEMORY), steps(["250"]))]),
    }
    rows, reading = collected(
        tmp_path, files, ReadOptions(unit="millicores", scale=2.0)
    )
    assert rows.select("cpu", "memory").rows() == [(0.5, 250.0)]
    assert reading.unit == "cores"


def test_a_label_is_kept_beside_the_samples(tmp_path: Path) -> None:
    text = matrix([(pod("web-1", app="front"), steps(["1"]))])
    rows, _ = read(tmp_path, {"cpu.json": text}, ReadOptions(keep="app"))
    assert rows["app"].to_list() == ["front"]


def test_a_cores_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cores column"):
        read(tmp_path, {"cpu.json": "{}"}, ReadOptions(cores_column="cores"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            '{"status":"error","errorType":"bad_data","error":"unexpected end"}',
            ["error of the server", "bad_data: unexpected end", "range query"],
        ),
        (answer([{"metric": {}, "value": [1, "1"]}], "vector"), ["type vector"]),
        (answer([], "vector"), ["type vector", "range query"]),
        (answer([1, "1"], "scalar"), ["type scalar", "matrix"]),
        (answer([]), ["no series", "metric name"]),
        (answer([{"metric": {}, "histograms": []}]), ["without values"]),
        ('{"status":"success","data":{}}', ["without a result"]),
        ('["status"]', ["not a JSON object"]),
        ("<html>log in</html>", ["'<html>log in", "range query"]),
    ],
)
def test_anything_but_a_filled_matrix_is_an_error_that_says_what_was_expected(
    text: str, words: list[str], tmp_path: Path
) -> None:
    with pytest.raises(TraceError) as caught:
        read(tmp_path, {"cpu.json": text})
    for word in ["cpu.json", *words]:
        assert word in str(caught.value)


def test_an_error_behind_the_series_is_found(tmp_path: Path) -> None:
    late = {
        "data": {"result": [{"metric": {}, "values": [[1, "1"]]}]},
        "status": "error",
        "errorType": "timeout",
        "error": "query timed out",
    }
    with pytest.raises(TraceError, match="timeout: query timed out"):
        read(tmp_path, {"cpu.json": json.dumps(late)})


def test_warnings_of_the_server_become_notes(tmp_path: Path) -> None:
    result = json.loads(matrix([(pod("web-1"), steps(["1"]))]))["data"]["result"]
    text = answer(result, warnings=["partial response"], infos=["not a counter"])
    _, reading = read(tmp_path, {"cpu.json": text})
    notes = " ".join(reading.cleaning.notes)
    assert "partial response" in notes
    assert "not a counter" in notes


def test_a_counter_is_refused_by_its_name(tmp_path: Path) -> None:
    labels = pod("web-1", __name__="container_cpu_usage_seconds_total")
    with pytest.raises(TraceError, match=r"seconds_total.*rate\("):
        read(tmp_path, {"cpu.json": matrix([(labels, steps(["1"]))])})


def test_a_counter_without_a_name_is_refused_by_its_growth(tmp_path: Path) -> None:
    grows = [str(10.0 + 3 * i) for i in range(60)]
    idle = ["7"] * 60
    series = [(pod("a"), steps(grows)), (pod("b"), steps(idle))]
    with pytest.raises(TraceError, match=r"1 of 1 series only ever grow.*rate\("):
        read(tmp_path, {"cpu.json": matrix(series)})


def test_a_few_tasks_that_grow_are_no_counters(tmp_path: Path) -> None:
    grows = [str(0.1 * i) for i in range(60)]
    varies = ["0.1", "0.2"] * 30
    series = [
        (pod("a"), steps(grows)),
        (pod("b"), steps(varies)),
        (pod("c"), steps(varies)),
    ]
    rows, _ = read(tmp_path, {"cpu.json": matrix(series)})
    assert rows.height == 180


def test_memory_may_grow(tmp_path: Path) -> None:
    grows = [str(10.0 + i) for i in range(60)]
    text = matrix([(pod("a", __name__=MEMORY), steps(grows))])
    rows, _ = read(tmp_path, {"b.json": text})
    assert rows["memory"].len() == 60


def test_damaged_json_names_the_line(tmp_path: Path) -> None:
    text = json.dumps(
        json.loads(matrix([(pod("web-1"), steps(["0.1", "0.2"]))])), indent=1
    )
    line = 1 + text[: text.index('"0.2"')].count("\n")
    with pytest.raises(TraceError, match="damaged") as caught:
        read(tmp_path, {"cpu.json": text.replace('"0.2"', '0.2"')})
    assert caught.value.line == line


@pytest.mark.parametrize("keep", [20, 100, -40, -3, -1])
def test_an_answer_cut_off_anywhere_is_an_error(keep: int, tmp_path: Path) -> None:
    text = matrix([(pod("web-1"), steps(["0.1"])), (pod("web-2"), steps(["0.1"]))])
    with pytest.raises(TraceError, match=r"damaged or cut off"):
        read(tmp_path, {"cpu.json": text[:keep]})


def test_damaged_compression_is_an_error() -> None:
    text = matrix([(pod(f"web-{i}"), steps([str(i / 7)])) for i in range(50)])
    packed = gzip.compress(text.encode())
    reading = Reading([], ReadOptions(), Cleaning())
    with (
        gzip.open(io.BytesIO(packed[: len(packed) // 2])) as stream,
        pytest.raises(TraceError, match="damaged or cut off"),
    ):
        list(read_answer("cpu.json.gz", stream, reading))


def test_a_compressed_answer_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    text = matrix([(pod("web-1"), steps(["0.1"]))])
    packed = gzip.compress(text.encode("utf-8-sig"))
    rows, _ = read(tmp_path, {"cpu.json.gz": packed})
    assert rows["cpu"].to_list() == [0.1]


@pytest.mark.parametrize("chunk", [100, 101, 137, 1000])
def test_the_size_of_the_window_changes_nothing(
    chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tricky = '"result":[ ]]} , \\ {" ☃'
    series = [(pod(f"web-{i}", note=tricky), steps(["0.1"] * 20)) for i in range(9)]
    text = json.dumps(json.loads(matrix(series)), indent=1)
    expected, _ = read(tmp_path, {"cpu.json": text})
    monkeypatch.setattr(lines, "CHUNK", chunk)
    rows, _ = read(tmp_path, {"cpu.json": text})
    assert rows.equals(expected)
    assert rows.height == 180
