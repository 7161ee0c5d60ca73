from pathlib import Path

import pytest

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.schema import ReadOptions
from tests.unit.traces.reading import read, recognised

MACHINES = "m_1,10,41,92,,,43.04,33.08,5\nm_1,40,43,92,,,43.04,33.08,5\n"
CONTAINERS = "c_1,m_5,20,50,80,1.2,0.5,3,0.1,0.2,6\nc_2,m_5,20,10,20,,,,,,1\n"
META = "c_1,m_5,0,app_3,started,400,800,1.5625\n"


def machine(cpu: object, memory: object) -> str:
    return f"m_1,10,{cpu},{memory},,,43.04,33.08,5\n"


@pytest.mark.parametrize("sentinel", [-1, 101])
def test_a_failed_cpu_reading_is_dropped_and_counted(
    tmp_path: Path, sentinel: int
) -> None:
    files = {"machine_usage.csv": machine(sentinel, 90) + machine(5, 90)}
    rows, reading = read("alibaba2018", tmp_path, files)
    assert rows["cpu"].to_list() == [0.05]
    assert reading.cleaning.dropped == {"sentinel": 1}


@pytest.mark.parametrize("sentinel", [-1, 101])
def test_a_failed_memory_reading_becomes_null_and_is_counted(
    tmp_path: Path, sentinel: int
) -> None:
    rows, reading = read(
        "alibaba2018", tmp_path, {"machine_usage.csv": machine(5, sentinel)}
    )
    assert rows["memory"].to_list() == [None]
    assert reading.cleaning.repaired == {"sentinel": 1}
    assert not reading.cleaning.dropped


def test_values_next_to_the_sentinels_are_readings(tmp_path: Path) -> None:
    files = {"machine_usage.csv": machine(0, 0) + machine(100, 100)}
    rows, reading = read("alibaba2018", tmp_path, files)
    assert rows["cpu"].to_list() == [0.0, 1.0]
    assert not reading.cleaning.dropped


def test_an_empty_reading_is_left_to_be_counted_as_missing(tmp_path: Path) -> None:
    rows, _ = read("alibaba2018", tmp_path, {"machine_usage.csv": machine("", "")})
    assert rows.select("cpu", "memory").row(0) == (None, None)


def test_steps_and_gaps_are_kept_as_they_are(tmp_path: Path) -> None:
    stamps = [10, 20, 50, 25_000]
    text = "".join(f"m_1,{t},4,9,,,1,1,1\n" for t in stamps)
    rows, _ = read("alibaba2018", tmp_path, {"machine_usage.csv": text})
    assert rows["time"].to_list() == stamps


def test_a_meta_table_that_repeats_machines_adds_no_rows(tmp_path: Path) -> None:
    meta = "m_1,0,3,4,96,100,USING\nm_1,9,3,4,96,100,USING\n"
    files = {"machine_meta.csv": meta, "machine_usage.csv": MACHINES}
    rows, reading = read("alibaba2018", tmp_path, files)
    assert rows.height == reading.cleaning.rows == 2
    assert any("machine_meta" in note for note in reading.cleaning.notes)


def test_containers_come_in_cores_of_their_request(tmp_path: Path) -> None:
    files = {"container_meta.csv": META, "container_usage.csv": CONTAINERS}
    rows, reading = read("alibaba2018", tmp_path, files)
    assert reading.unit == "cores"
    assert rows.row(0, named=True) == {
        "task": "c_1",
        "time": 20.0,
        "cpu": 2.0,
        "memory": 0.0125,
        "cpu_request": 4.0,
        "memory_request": 0.015625,
    }


def test_a_container_without_a_request_is_dropped_counted_and_noted(
    tmp_path: Path,
) -> None:
    files = {"container_meta.csv": META, "container_usage.csv": CONTAINERS}
    rows, reading = read("alibaba2018", tmp_path, files)
    assert rows["task"].to_list() == ["c_1"]
    assert reading.cleaning.dropped == {"no_request": 1}
    assert any("container_meta" in note for note in reading.cleaning.notes)


def test_the_last_row_of_a_container_tells_its_request(tmp_path: Path) -> None:
    meta = META + META.replace(",400,", ",800,")
    files = {"container_meta.csv": meta, "container_usage.csv": CONTAINERS}
    rows, _ = read("alibaba2018", tmp_path, files)
    assert rows["cpu_request"].to_list() == [8.0]


def test_containers_without_requests_are_shares_and_a_note_says_of_what(
    tmp_path: Path,
) -> None:
    files = {"container_usage.csv": CONTAINERS}
    assert recognised(tmp_path, files) == "alibaba2018"
    rows, reading = read("alibaba2018", tmp_path, files)
    assert reading.unit == "fraction"
    assert rows["cpu"].to_list() == [0.5, 0.1]
    assert any("not of a machine" in note for note in reading.cleaning.notes)


def test_the_application_of_a_container_can_be_kept(tmp_path: Path) -> None:
    files = {"container_meta.csv": META, "container_usage.csv": CONTAINERS}
    rows, _ = read("alibaba2018", tmp_path, files, ReadOptions(keep="app_du"))
    assert rows["app_du"].to_list() == ["app_3"]


def test_a_label_without_its_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="app_du"):
        read(
            "alibaba2018",
            tmp_path,
            {"container_usage.csv": CONTAINERS},
            ReadOptions(keep="app_du"),
        )


def test_machines_and_containers_together_are_refused(tmp_path: Path) -> None:
    files = {"machine_usage.csv": MACHINES, "container_usage.csv": CONTAINERS}
    with pytest.raises(InvalidInput, match="give one of them"):
        read("alibaba2018", tmp_path, files)


@pytest.mark.parametrize("unit", ["cores", "millicores"])
def test_an_absolute_unit_beside_requests_is_refused(tmp_path: Path, unit: str) -> None:
    files = {"container_meta.csv": META, "container_usage.csv": CONTAINERS}
    options = ReadOptions(unit=unit)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="percent or fraction"):
        read("alibaba2018", tmp_path, files, options)


def test_tables_are_known_by_their_columns_whatever_the_name(tmp_path: Path) -> None:
    files = {"a.txt": META, "b.txt": CONTAINERS, "c.txt": "t_1,2,3\n"}
    rows, reading = read("alibaba2018", tmp_path, files)
    assert rows["task"].to_list() == ["c_1"]
    assert any("c.txt" in note for note in reading.cleaning.notes)


def test_meta_tables_alone_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no usage"):
        read("alibaba2018", tmp_path, {"container_meta.csv": META})
