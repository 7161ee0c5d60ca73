from pathlib import Path

import pytest

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.schema import ReadOptions
from tests.unit.traces.reading import read, recognised


def test_the_days_of_a_job_are_one_task(tmp_path: Path) -> None:
    files = {"vm_9_1": "5 1\n6 1\n", "vm_9_10": "7 1\n"}
    rows, _ = read("google-job-days", tmp_path, files)
    assert rows["task"].unique().to_list() == ["9"]
    assert rows["time"].to_list() == [0.0, 300.0, 9 * 86_400.0]


def test_memory_above_a_machine_is_kept(tmp_path: Path) -> None:
    rows, _ = read("google-job-days", tmp_path, {"vm_9_1": "5.5 215.5\n"})
    assert rows["memory"].to_list() == [pytest.approx(2.155)]


def test_seventeen_digits_are_read_in_full(tmp_path: Path) -> None:
    rows, _ = read("google-job-days", tmp_path, {"vm_9_1": "11.322000000000001 7\n"})
    assert rows["cpu"].to_list() == [11.322000000000001 * 0.01]


def test_another_file_name_is_an_error_and_not_recognised(tmp_path: Path) -> None:
    files = {"machine_9_1": "5 1\n6 1\n"}
    assert recognised(tmp_path, files) != "google-job-days"
    with pytest.raises(TraceError, match="vm_<job>_<day>"):
        read("google-job-days", tmp_path, files)


def test_options_that_choose_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="keep"):
        read("google-job-days", tmp_path, {"vm_9_1": "5 1\n"}, ReadOptions(keep="user"))


def test_scale_reaches_cpu_only(tmp_path: Path) -> None:
    options = ReadOptions(scale=2.0)
    rows, _ = read("google-job-days", tmp_path, {"vm_9_1": "5 50\n"}, options)
    assert rows["cpu"].to_list() == [0.1]
    assert rows["memory"].to_list() == [0.5]
