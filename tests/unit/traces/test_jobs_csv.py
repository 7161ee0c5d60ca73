"""Plain tables of jobs, Batsim's among them."""

from pathlib import Path

import numpy as np
import pytest

from cotenant.errors import TraceError
from cotenant.traces.jobs.source import read_jobs
from tests.unit.traces.job_texts import CSV


def read(folder: Path, text: str, format: str = "auto"):
    path = folder / "jobs.csv"
    path.write_text(text)
    return read_jobs(str(path), format)


def test_execution_times_are_put_back_to_speed_1(tmp_path: Path) -> None:
    jobs = read(tmp_path, CSV).jobs
    assert [jobs.names["id"][i] for i in jobs.id] == ["a1", "b2", "c3"]
    assert jobs.runtime_s.tolist() == [60.0, 25.0, 20.0]
    assert jobs.estimate_s[[0, 2]].tolist() == [120.0, 60.0]
    assert np.isnan(jobs.estimate_s[1])
    assert jobs.processors.tolist() == [4, 8, 2]
    assert jobs.waited_s.tolist() == [5.0, 0.0, 0.0]
    assert jobs.user.tolist() == [1, 2, -1]
    assert jobs.origin_s is None


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_dates_numbers_and_separators_are_understood(
    tmp_path: Path, separator: str
) -> None:
    rows = [
        ["Submit", "Processors", "Runtime", "User"],
        ["2024-01-01 00:00:10", "4", "12.5", "17"],
        ["2024-01-01T00:00:00Z", "2", "3", "18"],
    ]
    jobs = read(tmp_path, "\n".join(separator.join(row) for row in rows)).jobs
    assert jobs.submit_s.tolist() == [0.0, 10.0]
    assert jobs.runtime_s.tolist() == [3.0, 12.5]
    assert jobs.user.tolist() == [18, 17]
    assert jobs.origin_s == 1_704_067_200.0
    assert jobs.id.tolist() == [2, 1]  # numbered in the order of the file


def test_rows_that_are_no_job_are_rejected_by_reason(tmp_path: Path) -> None:
    text = "submit,processors,runtime\n0,1,5\n1,0,5\n2,1,0\n3,1,\n4,1,-3\n,1,5\n"
    assert read(tmp_path, text).report.rejected == {
        "no_processors": 1,
        "no_runtime": 1,
        "unknown_runtime": 1,
        "negative_runtime": 1,
        "no_submit_time": 1,
    }


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no column for processors"):
        read(tmp_path, "submit,runtime\n0,5\n", "csv")
