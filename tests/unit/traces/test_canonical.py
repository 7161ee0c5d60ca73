from pathlib import Path

import polars as pl
import pytest

from cotenant.errors import TraceError
from cotenant.traces.schema import ReadOptions
from tests.unit.traces.reading import read, read_paths, recognised


def write(
    folder: Path, frame: pl.DataFrame, unit: str | None, name: str = "usage.parquet"
) -> Path:
    metadata = None if unit is None else {"cotenant.unit": unit}
    frame.write_parquet(folder / name, metadata=metadata)
    return folder / name


FRAME = pl.DataFrame({"task": ["a"], "time": [0.0], "cpu": [0.5], "service": ["shop"]})


@pytest.mark.parametrize("unit", ["cores", "fraction"])
def test_the_unit_that_a_file_states_is_kept(unit: str, tmp_path: Path) -> None:
    rows, reading = read_paths("cotenant", [write(tmp_path, FRAME, unit)])
    assert reading.unit == unit
    assert rows["cpu"].to_list() == [0.5]


def test_the_stated_unit_wins_over_the_options_and_that_is_noted(
    tmp_path: Path,
) -> None:
    file = write(tmp_path, FRAME, "cores")
    rows, reading = read_paths("cotenant", [file], ReadOptions(unit="percent"))
    assert reading.unit == "cores"
    assert rows["cpu"].to_list() == [0.5]
    assert f"{file} states cores; percent is not used" in reading.cleaning.notes


def test_a_kept_label_can_be_kept_again(tmp_path: Path) -> None:
    file = write(tmp_path, FRAME, "cores")
    rows, _ = read_paths("cotenant", [file], ReadOptions(keep="service"))
    assert rows["service"].to_list() == ["shop"]


def test_an_unknown_stated_unit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match='"watts"; expected cores or fraction'):
        read_paths("cotenant", [write(tmp_path, FRAME, "watts")])


def test_files_that_state_different_units_are_refused(tmp_path: Path) -> None:
    write(tmp_path, FRAME, "cores", "a.parquet")
    write(tmp_path, FRAME, "fraction", "b.parquet")
    with pytest.raises(TraceError, match=r"b\.parquet: holds fraction"):
        read_paths("cotenant", [tmp_path])


def test_csv_is_in_cores_unless_the_options_say_otherwise(tmp_path: Path) -> None:
    files = {"usage.csv": "task,time,cpu\na,0,50\n"}
    rows, reading = read("cotenant", tmp_path, files)
    assert (reading.unit, rows["cpu"].to_list()) == ("cores", [50.0])
    assert "cpu is taken as cores" in reading.cleaning.notes
    rows, reading = read("cotenant", tmp_path, files, ReadOptions(unit="percent"))
    assert (reading.unit, rows["cpu"].to_list()) == ("fraction", [0.5])


def test_our_files_are_told_from_plain_tables(tmp_path: Path) -> None:
    def name_of(text: str) -> str | None:
        return recognised(tmp_path, {"usage.csv": text})

    assert name_of("task,time,cpu\na,0,1\n") == "cotenant"
    assert name_of("task,time,cpu_mean,memory,failing\na,0,1,1,false\n") == "cotenant"
    assert name_of("task,cpu\na,1\n") == "table"
    assert name_of("Task,time,cpu\na,0,1\n") == "table"
    assert name_of("task,time,cpu,service\na,0,1,x\n") == "table"


@pytest.mark.parametrize(
    ("frame", "unit", "name"),
    [
        (FRAME, "cores", "cotenant"),
        (FRAME.drop("service"), None, "cotenant"),
        (FRAME, None, "table"),
        (FRAME.drop("service").cast({"cpu": pl.Float32}), None, "table"),
    ],
)
def test_our_parquet_is_told_by_metadata_or_by_names_and_types(
    frame: pl.DataFrame, unit: str | None, name: str, tmp_path: Path
) -> None:
    write(tmp_path, frame, unit)
    assert recognised(tmp_path, {}) == name
