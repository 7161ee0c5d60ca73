"""The collector: cleaning, order, duplicates, parts on disk, windows."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cotenant.errors import InvalidInput, SourceNotFound, TraceError
from cotenant.traces import intake
from cotenant.traces.collect import read_usage
from cotenant.traces.export import export
from cotenant.traces.schema import ReadOptions
from cotenant.traces.trace import Trace


def table(folder: Path, text: str, name: str = "usage.csv") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def samples_of(trace: Trace, resource: str = "cpu") -> dict[str, list[float]]:
    found = {}
    for series in trace.series(resource):  # type: ignore[arg-type]
        for i, code in enumerate(series.codes):
            low, high = series.offsets[i], series.offsets[i + 1]
            found[trace.store.names[code]] = series.values[low:high].tolist()
    return found


def test_bad_values_are_counted_and_never_become_zero(tmp_path: Path) -> None:
    text = (
        "task,time,cpu\na,0,0.1\na,60,nan\na,120,-0.5\na,180,inf\na,240,\na,300,0.2\n"
    )
    trace = read_usage([table(tmp_path, text)])
    assert samples_of(trace) == {"a": [0.1, 0.2]}
    assert trace.cleaning.rows == 6
    assert trace.cleaning.dropped == {
        "nan": 1,
        "negative": 1,
        "infinite": 1,
        "missing": 1,
    }


def test_a_bad_cpu_beside_good_memory_loses_the_cpu_only(tmp_path: Path) -> None:
    text = "task,time,cpu,memory\na,0,nan,5\na,60,0.2,7\n"
    trace = read_usage([table(tmp_path, text)])
    assert samples_of(trace) == {"a": [0.2]}
    assert samples_of(trace, "memory") == {"a": [5.0, 7.0]}
    assert trace.cleaning.repaired == {"nan_value_ignored": 1}
    assert not trace.cleaning.dropped


def test_rows_out_of_order_are_sorted_and_repeated_ones_counted(tmp_path: Path) -> None:
    text = "task,time,cpu\nb,60,0.4\na,120,0.3\na,0,0.1\na,60,0.2\na,60,0.5\nb,0,0.6\n"
    trace = read_usage([table(tmp_path, text)])
    assert samples_of(trace) == {"b": [0.6, 0.4], "a": [0.1, 0.5, 0.3]}
    assert trace.cleaning.dropped == {"duplicate": 1}
    assert trace.step_s == 60.0


def test_a_source_on_disk_gives_the_same_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(0)
    rows = pl.DataFrame(
        {
            "task": [f"t{i % 97}" for i in range(5_000)],
            "time": (random.permutation(5_000) * 10.0).tolist(),
            "cpu": random.random(5_000).round(3).tolist(),
        }
    )
    path = tmp_path / "usage.csv"
    rows.write_csv(path)
    whole = read_usage([str(path)])
    monkeypatch.setattr(intake, "ROWS_AT_ONCE", 300)
    monkeypatch.setattr(intake, "ROWS_IN_MEMORY", 1_000)
    monkeypatch.setattr("cotenant.traces.lines.CHUNK", 4_000)
    parts = read_usage([str(path)])
    assert len(parts.store.files) > 10
    assert samples_of(parts) == samples_of(whole)
    assert_frame_equal(parts.facts, whole.facts, rel_tol=1e-12)
    assert parts.cleaning.to_dict() == whole.cleaning.to_dict()


def test_parts_on_disk_vanish_with_the_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "ROWS_AT_ONCE", 1)
    monkeypatch.setattr(intake, "ROWS_IN_MEMORY", 1)
    trace = read_usage([table(tmp_path, "task,time,cpu\na,0,0.1\nb,0,0.2\n")])
    folder = trace.store.files[0].parent
    assert folder.exists()
    del trace
    assert not folder.exists()


def test_first_and_rest_share_every_sample(tmp_path: Path) -> None:
    lines = [f"a,{60 * i},0.{i + 1}" for i in range(5)] + ["b,0,0.7", "b,60,0.8"]
    trace = read_usage([table(tmp_path, "task,time,cpu\n" + "\n".join(lines))])
    for observe, first in ((3, 3), (0.5, 3), (1, 1)):
        head, tail = samples_of(trace.first(observe)), samples_of(trace.rest(observe))
        assert len(head["a"]) == first
        both = {name: head[name] + tail.get(name, []) for name in head}
        assert both == samples_of(trace)


@pytest.mark.parametrize("observe", [0, -1, 2.5])
def test_observing_nothing_or_half_a_sample_is_refused(
    observe: float, tmp_path: Path
) -> None:
    trace = read_usage([table(tmp_path, "task,time,cpu\na,0,0.1\n")])
    with pytest.raises(InvalidInput, match="observe"):
        trace.first(observe)


def test_averages_stand_in_where_a_task_has_no_sample(tmp_path: Path) -> None:
    text = "task,time,cpu,cpu_mean\na,0,0.1,0.2\na,60,,0.2\nb,0,,0.3\nb,60,,0.4\n"
    trace = read_usage([table(tmp_path, text)])
    assert samples_of(trace) == {"a": [0.1], "b": [0.3, 0.4]}
    assert trace.facts["averaged"].to_list() == [False, True]


def test_samples_that_are_zero_while_averages_are_not_were_never_taken(
    tmp_path: Path,
) -> None:
    text = "task,time,cpu,cpu_mean\na,0,0,0.2\na,60,0,0.1\nb,0,0,0\nb,60,0,0\n"
    trace = read_usage([table(tmp_path, text)])
    assert samples_of(trace) == {"a": [0.2, 0.1], "b": [0.0, 0.0]}
    assert trace.facts["averaged"].to_list() == [True, False]
    assert trace.facts["zero"].to_list() == [False, True]


def test_an_irregular_trace_weighs_samples_by_how_long_they_stand(
    tmp_path: Path,
) -> None:
    times = [0, 10, 40, 50, 90, 100, 400]
    rows = "\n".join(f"a,{t},0.1" for t in times)
    trace = read_usage([table(tmp_path, f"task,time,cpu\n{rows}\n")])
    assert not trace.regular
    assert trace.step_s == 20.0
    (series,) = trace.series("cpu")
    assert trace.weights(series).tolist() == [0.5, 1.5, 0.5, 2.0, 0.5, 3.0, 1.0]


def test_a_regular_trace_weighs_all_samples_alike(tmp_path: Path) -> None:
    rows = "\n".join(f"a,{300 * i},0.1" for i in range(20))
    trace = read_usage([table(tmp_path, f"task,time,cpu\n{rows}\n")])
    (series,) = trace.series("cpu")
    assert trace.regular
    assert set(trace.weights(series)) == {1.0}


def test_setting_tasks_aside_leaves_the_trace_it_came_from_alone(
    tmp_path: Path,
) -> None:
    trace = read_usage([table(tmp_path, "task,time,cpu\na,0,0.3\nb,0,0.1\n")])
    smaller = trace.without(trace.facts["mean"] < 0.2, "small")
    assert smaller.names == ["a"]
    assert smaller.cleaning.tasks_dropped == {"small": 1}
    assert smaller.cleaning.share_of_load["small"] == pytest.approx(0.25)
    assert trace.names == ["a", "b"]
    assert not trace.cleaning.tasks_dropped


def test_what_is_exported_is_read_back_the_same(tmp_path: Path) -> None:
    text = "task,time,cpu,memory,cpu_request,team\na,0,0.1,5,1,x\nb,60,0.2,,2,y\n"
    trace = read_usage([table(tmp_path, text)], options=keep("team"))
    target = tmp_path / "out.parquet"
    written = export(trace, str(target))
    again = read_usage([str(target)], options=keep("team"))
    assert (written.tasks, written.samples, written.unit) == (2, 2, "cores")
    assert samples_of(again) == samples_of(trace)
    assert again.facts.equals(trace.facts, null_equal=True)
    assert again.unit == "cores"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.parquet", "usage.csv"]


def test_a_missing_source_and_an_unknown_format_are_said(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound, match=r"nowhere.csv does not exist"):
        read_usage([str(tmp_path / "nowhere.csv")])
    path = table(tmp_path, "task,time,cpu\na,0,0.1\n")
    with pytest.raises(InvalidInput, match="expected auto or one of"):
        read_usage([path], "excel")


def test_an_unrecognised_file_and_one_without_samples_are_bad_data(
    tmp_path: Path,
) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with pytest.raises(TraceError, match="no format that is known"):
        read_usage([str(tmp_path / "picture.png")])
    with pytest.raises(TraceError, match="no usable sample"):
        read_usage([table(tmp_path, "task,time,cpu\na,0,nan\n")])


def keep(label: str) -> ReadOptions:
    return ReadOptions(keep=label)
