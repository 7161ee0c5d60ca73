from pathlib import Path

import pytest

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.schema import ReadOptions
from tests.contracts.readers.azure2017 import VM_A, VM_B, size
from tests.unit.traces.reading import read, recognised

READINGS = "vm_cpu_readings-file-1-of-125.csv"
WIDE = "row,1633748,223811\n1,10.5,20.25\n2,11,\n"


def test_the_average_is_the_fifth_column_and_no_instant_is_claimed(
    tmp_path: Path,
) -> None:
    rows, reading = read("azure2017", tmp_path, {READINGS: f"300,{VM_A},1,90,12.5\n"})
    assert rows.row(0, named=True) == {"time": 300.0, "task": VM_A, "cpu_mean": 0.125}
    assert reading.unit == "fraction"
    assert any("minimum and maximum" in note for note in reading.cleaning.notes)


def test_a_machine_name_with_slashes_is_recognised(tmp_path: Path) -> None:
    files = {READINGS: f"0,{VM_B},1,3,2\n", "vmtable.csv": size(VM_B, 2, 3.5)}
    assert recognised(tmp_path, files) == "azure2017"


def test_an_open_bucket_is_taken_at_its_lower_end_and_noted(tmp_path: Path) -> None:
    files = {READINGS: f"0,{VM_A},1,3,50\n", "vmtable.csv": size(VM_A, ">24", ">64")}
    rows, reading = read("azure2017", tmp_path, files)
    assert rows["cpu_mean"].to_list() == [12.0]
    assert rows["cpu_request"].to_list() == [24.0]
    assert rows["memory_request"].to_list() == [64.0 * 1024**3]
    assert any(">24" in note for note in reading.cleaning.notes)


def test_plain_sizes_need_no_note(tmp_path: Path) -> None:
    files = {READINGS: f"0,{VM_A},1,3,50\n", "vmtable.csv": size(VM_A, 2, 1.75)}
    _, reading = read("azure2017", tmp_path, files)
    assert not any("bucket" in note for note in reading.cleaning.notes)


def test_a_damaged_size_is_an_error_with_file_and_line(tmp_path: Path) -> None:
    table = size(VM_A, 2, 1.75) + size(VM_B, "two", 1.75)
    files = {READINGS: f"0,{VM_A},1,3,50\n", "vmtable.csv": table}
    with pytest.raises(TraceError, match='"two" cores') as caught:
        read("azure2017", tmp_path, files)
    assert caught.value.line == 2


def test_a_machine_without_known_cores_is_dropped_and_counted(tmp_path: Path) -> None:
    readings = f"0,{VM_A},1,3,50\n0,{VM_B},1,3,50\n0,{VM_A}x,1,3,50\n"
    table = size(VM_A, 2, 1.75) + size(VM_B, 0, 1.75)
    files = {READINGS: readings, "vmtable.csv": table}
    rows, reading = read("azure2017", tmp_path, files)
    assert rows["task"].to_list() == [VM_A]
    assert reading.cleaning.dropped == {"no_cores": 2}


def test_a_machine_that_outlives_the_trace_is_fine(tmp_path: Path) -> None:
    files = {
        READINGS: f"2591700,{VM_A},1,3,50\n",
        "vmtable.csv": size(VM_A, 1, 1).replace(",0,2591700,", ",-1,9999999,"),
    }
    rows, _ = read("azure2017", tmp_path, files)
    assert rows.height == 1


def test_the_category_can_be_kept_and_needs_the_table(tmp_path: Path) -> None:
    options = ReadOptions(keep="category")
    files = {READINGS: f"0,{VM_A},1,3,50\n"}
    with pytest.raises(InvalidInput, match="vmtable"):
        read("azure2017", tmp_path, files, options)
    files["vmtable.csv"] = size(VM_A, 1, 1.75, "Interactive")
    rows, _ = read("azure2017", tmp_path, files, options)
    assert rows["category"].to_list() == ["Interactive"]


def test_an_unknown_label_names_the_known_ones(tmp_path: Path) -> None:
    files = {READINGS: f"0,{VM_A},1,3,50\n"}
    with pytest.raises(InvalidInput, match="subscription, deployment, category"):
        read("azure2017", tmp_path, files, ReadOptions(keep="owner"))


def test_cores_are_not_counted_twice(tmp_path: Path) -> None:
    files = {READINGS: f"0,{VM_A},1,3,50\n", "vmtable.csv": size(VM_A, 2, 1.75)}
    with pytest.raises(InvalidInput, match="percent or fraction"):
        read("azure2017", tmp_path, files, ReadOptions(unit="cores"))
    with pytest.raises(InvalidInput, match="cores_column"):
        read("azure2017", tmp_path, files, ReadOptions(cores_column="cores"))


def test_a_wide_table_of_averages_has_averages(tmp_path: Path) -> None:
    rows, reading = read("azure2017", tmp_path, {"some_avg_2.csv": WIDE})
    assert rows.columns == ["task", "time", "cpu_mean"]
    first = rows.filter(task="1633748")
    assert first["time"].to_list() == [0.0, 300.0]
    assert first["cpu_mean"].to_list() == [0.105, 0.11]
    assert rows.filter(task="223811")["cpu_mean"].to_list() == [0.2025, None]
    assert reading.cleaning.rows == 4


def test_a_wide_table_of_maxima_has_instants(tmp_path: Path) -> None:
    files = {"some_max_2.csv": WIDE}
    assert recognised(tmp_path, files) == "azure2017"
    rows, reading = read("azure2017", tmp_path, files)
    assert rows.columns == ["task", "time", "cpu"]
    assert any("maximum" in note for note in reading.cleaning.notes)


def test_averages_and_maxima_of_the_same_machines_are_refused(tmp_path: Path) -> None:
    files = {"some_avg_2.csv": WIDE, "some_max_2.csv": WIDE}
    with pytest.raises(InvalidInput, match="give one of them"):
        read("azure2017", tmp_path, files)


def test_a_wide_table_that_names_a_machine_twice_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="twice"):
        read("azure2017", tmp_path, {"avg.csv": "row,5,5\n1,2,3\n"})


def test_a_wide_table_has_no_label(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="wide table"):
        read("azure2017", tmp_path, {"avg.csv": WIDE}, ReadOptions(keep="category"))


def test_a_virtual_machine_table_alone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no readings"):
        read("azure2017", tmp_path, {"vmtable.csv": size(VM_A, 1, 1)})
