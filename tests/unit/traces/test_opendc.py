from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from cotenant.errors import TraceError
from cotenant.traces.schema import Reading
from cotenant.traces.tables import parquet
from tests.unit.traces.reading import read_paths, recognised

DAY = datetime(2013, 8, 12, tzinfo=UTC)
MACHINES = pl.DataFrame(
    {"id": ["7", "8"], "cpu_count": [4, 1], "cpu_capacity": [10_000.0, 2_000.0]}
)


def lay(folder: Path, machines: pl.DataFrame | None, usage: pl.DataFrame) -> Path:
    folder.mkdir(exist_ok=True)
    usage.write_parquet(folder / "trace.parquet")
    if machines is not None:
        machines.write_parquet(folder / "meta.parquet")
    return folder


def usage(
    ids: list[str], counts: list[int], mhz: list[float], duration: int = 300_000
) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": ids,
            "timestamp": pl.Series([DAY] * len(ids), dtype=pl.Datetime("ms", "UTC")),
            "duration": [duration] * len(ids),
            "cpu_count": counts,
            "cpu_usage": mhz,
        }
    )


def read(folder: Path) -> tuple[pl.DataFrame, Reading]:
    return read_paths("opendc", [folder])


def test_megahertz_become_cores_of_the_machine(tmp_path: Path) -> None:
    trace = usage(["7", "8"], [4, 1], [5_000.0, 500.0])
    rows, reading = read(lay(tmp_path, MACHINES, trace))
    assert rows.select("task", "cpu_mean", "cpu_request").rows() == [
        ("7", 2.0, 4.0),
        ("8", 0.25, 1.0),
    ]
    assert reading.unit == "cores"
    assert reading.cleaning.rows == 2


def test_the_time_is_the_start_of_the_interval(tmp_path: Path) -> None:
    rows, _ = read(lay(tmp_path, MACHINES, usage(["7"], [4], [1.0], 600_000)))
    assert rows["time"].to_list() == [DAY.timestamp() - 600.0]


def test_rows_without_cores_or_capacity_are_counted(tmp_path: Path) -> None:
    machines = pl.DataFrame(
        {
            "id": ["7", "8", "9"],
            "cpu_count": [4, 1, 0],
            "cpu_capacity": [10_000.0, 0.0, 0.0],
        }
    )
    trace = usage(["7", "7", "8", "9"], [4, 0, 1, 1], [1.0] * 4)
    rows, reading = read(lay(tmp_path, machines, trace))
    assert rows["task"].to_list() == ["7"]
    assert reading.cleaning.dropped == {"no_cores": 3}


def test_usage_of_unknown_machines_is_counted(tmp_path: Path) -> None:
    trace = usage(["7", "orphan"], [4, 4], [1.0, 1.0])
    rows, reading = read(lay(tmp_path, MACHINES, trace))
    assert rows["task"].to_list() == ["7"]
    assert reading.cleaning.dropped == {"no_machine": 1}


def test_an_absurd_duration_is_noted(tmp_path: Path) -> None:
    trace = usage(["7"], [4], [1.0], 1_313_221_000)
    _, reading = read(lay(tmp_path, MACHINES, trace))
    assert any("more than a day" in note for note in reading.cleaning.notes)


def test_newer_fragments_follow_each_other_from_the_submission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "BATCH", 8)
    machines = MACHINES.with_columns(
        id=pl.Series([7, 8]),
        submission_time=pl.Series([DAY, DAY], dtype=pl.Datetime("ms", "UTC")),
    )
    fragments = pl.DataFrame(
        {
            "id": [7, 7, 8, 7, 8, 7],
            "duration": [1000, 2000, 5000, 4000, 5000, 1000],
            "cpu_count": [4, 4, 1, 4, 1, 4],
            "cpu_usage": [2500.0] * 6,
        }
    )
    rows, _ = read(lay(tmp_path, machines, fragments))
    elapsed = rows["time"] - DAY.timestamp()
    assert list(zip(rows["task"], elapsed, strict=True)) == [
        ("7", 0.0),
        ("7", 1.0),
        ("8", 0.0),
        ("7", 3.0),
        ("8", 5.0),
        ("7", 7.0),
    ]


def test_pairs_of_several_folders_are_read_together(tmp_path: Path) -> None:
    lay(tmp_path / "a", MACHINES, usage(["7"], [4], [5_000.0]))
    twice = MACHINES.with_columns(id="b" + pl.col("id"), cpu_capacity=20_000.0)
    lay(tmp_path / "b", twice, usage(["b7"], [4], [5_000.0]))
    rows, _ = read(tmp_path)
    assert rows.select("task", "cpu_mean").rows() == [("7", 2.0), ("b7", 1.0)]


def test_usage_without_machines_says_what_is_missing(tmp_path: Path) -> None:
    folder = lay(tmp_path, None, usage(["7"], [4], [1.0]))
    with pytest.raises(TraceError, match=r"no machines beside it; expected meta or"):
        read(folder)


def test_machines_without_usage_say_what_is_missing(tmp_path: Path) -> None:
    MACHINES.write_parquet(tmp_path / "meta.parquet")
    with pytest.raises(TraceError, match="expected trace or fragments"):
        read(tmp_path)


def test_fragments_need_a_submission_time(tmp_path: Path) -> None:
    fragments = usage(["7"], [4], [1.0]).drop("timestamp")
    with pytest.raises(TraceError, match="has no submission_time"):
        read(lay(tmp_path, MACHINES, fragments))


def test_a_file_that_is_no_parquet_is_named(tmp_path: Path) -> None:
    lay(tmp_path, MACHINES, usage(["7"], [4], [1.0]))
    (tmp_path / "readme.txt").write_text("hello")
    with pytest.raises(TraceError, match=r"readme\.txt: is no Parquet file"):
        read(tmp_path)


def test_a_pair_is_recognised_by_its_columns(tmp_path: Path) -> None:
    assert recognised(lay(tmp_path, MACHINES, usage(["7"], [4], [1.0])), {}) == "opendc"


def test_machines_are_not_counted_as_rows(tmp_path: Path) -> None:
    _, reading = read(lay(tmp_path, MACHINES, usage(["7"], [4], [1.0])))
    assert reading.cleaning.rows == 1
