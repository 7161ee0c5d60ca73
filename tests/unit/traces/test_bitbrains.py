from pathlib import Path

import pytest

from cotenant.errors import InvalidInput
from cotenant.traces.schema import ReadOptions
from tests.contracts.readers.bitbrains import HEADER, row, vm
from tests.unit.traces.reading import read, recognised

START = 1_372_629_804


def text(*rows: str) -> str:
    return vm(*rows).decode()


def test_seconds_under_a_header_of_milliseconds_stay_seconds(tmp_path: Path) -> None:
    rows, reading = read("bitbrains", tmp_path, {"1.csv": text(row(START))})
    assert rows["time"].to_list() == [START]
    assert any("seconds" in note for note in reading.cleaning.notes)


def test_true_milliseconds_become_seconds(tmp_path: Path) -> None:
    rows, reading = read("bitbrains", tmp_path, {"1.csv": text(row(START * 1000))})
    assert rows["time"].to_list() == [START]
    assert not any("seconds" in note for note in reading.cleaning.notes)


def test_usage_is_the_share_of_the_cores_of_that_row(tmp_path: Path) -> None:
    rows_of_vm = (row(START, cores=2), row(START + 301, cores=8, percent=50.0))
    rows, reading = read("bitbrains", tmp_path, {"1.csv": text(*rows_of_vm)})
    assert rows["cpu_mean"].to_list() == [0.5, 4.0]
    assert rows["cpu_request"].to_list() == [2.0, 8.0]
    assert reading.unit == "cores"


def test_usage_above_all_cores_is_kept(tmp_path: Path) -> None:
    rows, _ = read("bitbrains", tmp_path, {"1.csv": text(row(START, percent=103.2))})
    assert rows["cpu_mean"].to_list() == [pytest.approx(2.064)]


@pytest.mark.parametrize("lacking", [{"cores": 0}, {"capacity": 0.0}, {"cores": ""}])
def test_rows_without_cores_or_capacity_are_dropped_and_counted(
    tmp_path: Path, lacking: dict[str, object]
) -> None:
    files = {"1.csv": text(row(START, **lacking), row(START + 300))}
    rows, reading = read("bitbrains", tmp_path, files)
    assert rows["time"].to_list() == [START + 300]
    assert reading.cleaning.dropped == {"no_cores": 1}


def test_memory_is_in_bytes(tmp_path: Path) -> None:
    files = {"1.csv": text(row(START, memory="1.5E3"))}
    rows, _ = read("bitbrains", tmp_path, files)
    assert rows["memory"].to_list() == [1500 * 1024.0]


def test_two_recordings_in_one_file_are_left_to_the_collector(tmp_path: Path) -> None:
    rows, _ = read("bitbrains", tmp_path, {"1.csv": text(row(START), row(START))})
    assert rows.height == 2


def test_the_months_of_a_machine_are_one_task(tmp_path: Path) -> None:
    files = {"2013-7/4.csv": text(row(START)), "2013-8/4.csv": text(row(START + 9e6))}
    rows, _ = read("bitbrains", tmp_path, files)
    assert rows["task"].to_list() == ["4", "4"]


def test_a_byte_order_mark_and_carriage_returns_are_no_matter(tmp_path: Path) -> None:
    files = {"1.csv": "\ufeff" + text(row(START)).replace("\n", "\r\n")}
    assert recognised(tmp_path, files) == "bitbrains"
    rows, _ = read("bitbrains", tmp_path, files)
    assert rows.height == 1


def test_readings_are_averages_and_a_note_says_so(tmp_path: Path) -> None:
    rows, reading = read("bitbrains", tmp_path, {"1.csv": text(row(START))})
    assert "cpu" not in rows.columns
    assert any("cpu_mean" in note for note in reading.cleaning.notes)


def test_options_that_the_format_has_settled_are_refused(tmp_path: Path) -> None:
    files = {"1.csv": text(row(START))}
    for options in (
        ReadOptions(unit="cores"),
        ReadOptions(cores_column="CPU cores"),
        ReadOptions(keep="owner"),
    ):
        with pytest.raises(InvalidInput, match="expected"):
            read("bitbrains", tmp_path, files, options)


def test_scale_reaches_usage_and_request(tmp_path: Path) -> None:
    options = ReadOptions(scale=0.5)
    rows, _ = read("bitbrains", tmp_path, {"1.csv": text(row(START))}, options)
    assert rows.select("cpu_mean", "cpu_request").row(0) == (0.25, 1.0)


def test_a_header_alone_is_recognised(tmp_path: Path) -> None:
    assert recognised(tmp_path, {"1.csv": HEADER + "\n"}) == "bitbrains"
