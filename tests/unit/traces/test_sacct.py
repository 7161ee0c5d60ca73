"""`sacct -P` output: columns of any choice, steps, arrays, states, times."""

from pathlib import Path

import numpy as np
import pytest

from cotenant.errors import TraceError
from cotenant.traces.jobs.cleaning import JobOptions
from cotenant.traces.jobs.source import JobLog, read_jobs
from tests.unit.traces.job_texts import SACCT


def read(folder: Path, text: str, **options: object) -> JobLog:
    path = folder / "jobs.txt"
    path.write_text(text)
    return read_jobs(str(path), options=JobOptions(**options))


def test_jobs_have_the_times_and_sizes_of_their_rows(tmp_path: Path) -> None:
    jobs = read(tmp_path, SACCT).jobs
    texts = [jobs.names["id"][i] for i in jobs.id]
    assert texts == ["103", "100", "101_3"]
    assert jobs.submit_s.tolist() == [0.0, 60.0, 90.0]
    assert jobs.origin_s == 1_709_287_140.0  # 2024-03-01 09:59 UTC
    assert jobs.runtime_s.tolist() == [12.0, 3600.0, 93_604.0]
    assert jobs.waited_s.tolist() == [60.0, 300.0, 1.0]
    assert jobs.estimate_s[:2].tolist() == [600.0, 7200.0]
    assert np.isnan(jobs.estimate_s[2])
    assert jobs.processors.tolist() == [2, 4, 16]
    assert jobs.allocated.tolist() == [2, 8, 16]
    assert jobs.status.tolist() == [0, 1, 5]
    assert [jobs.names["user"][u] for u in jobs.user] == ["ann", "ann", "bob"]
    assert [jobs.names["queue"][q] for q in jobs.queue] == ["batch", "batch", "gpu"]


def test_steps_and_unfinished_jobs_are_rejected_by_reason(tmp_path: Path) -> None:
    report = read(tmp_path, SACCT).report
    assert report.rejected == {
        "step": 2,
        "not_started": 1,
        "not_finished": 1,
        "no_runtime": 1,
    }
    assert report.usable == 3
    assert any("UTC" in note for note in report.notes)


def test_allocated_processors_can_be_chosen(tmp_path: Path) -> None:
    jobs = read(tmp_path, SACCT, processors="allocated").jobs
    assert jobs.processors.tolist() == [2, 8, 16]


def test_raw_columns_unix_times_tres_and_a_last_bar_are_understood(
    tmp_path: Path,
) -> None:
    text = (
        "JobIDRaw|Submit|ElapsedRaw|TimelimitRaw|AllocTRES|Cluster|State|\n"
        "7|1700000000|90|60|billing=4,cpu=4,mem=8G,node=1|east|COMPLETED|\n"
        "8|1700000005|30|UNLIMITED|cpu=2|west|TIMEOUT|\n"
        "9|1700000006|30|1|mem=1G|west|FAILED|\n"
    )
    log = read(tmp_path, text)
    assert log.jobs.id.tolist() == [7, 8]
    assert log.jobs.processors.tolist() == [4, 2]
    assert log.jobs.estimate_s[0] == 3600.0
    assert log.jobs.status.tolist() == [1, 0]
    assert log.jobs.origin_s == 1_700_000_000.0
    parts = [log.jobs.names["partition"][p] for p in log.jobs.partition]
    assert parts == ["east", "west"]
    assert log.report.rejected == {"no_processors": 1}


def test_a_run_time_may_come_from_start_and_end(tmp_path: Path) -> None:
    text = (
        "JobID|Submit|Start|End|NCPUS\n"
        "7|2024-01-01T00:00:00|2024-01-01T00:01:00|2024-01-01T00:03:30|4\n"
        "8|2024-01-01T00:00:00|Unknown|Unknown|4\n"
    )
    log = read(tmp_path, text)
    assert log.jobs.runtime_s.tolist() == [150.0]
    assert log.report.rejected == {"unknown_runtime": 1}


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        ("00:07", 7.0),
        ("01:02.250", 62.25),
        ("10:00:00", 36_000.0),
        ("3-00:00:01", 259_201.0),
        ("120:00", 7200.0),
    ],
)
def test_elapsed_times_have_many_forms(
    tmp_path: Path, cell: str, seconds: float
) -> None:
    text = f"JobID|Submit|Elapsed|NCPUS\n7|2024-01-01T00:00:00|{cell}|4\n"
    assert read(tmp_path, text).jobs.runtime_s.tolist() == [seconds]


def test_names_with_quotes_are_plain_text(tmp_path: Path) -> None:
    text = (
        "JobID|JobName|Submit|Elapsed|NCPUS\n"
        '7|say "hi|2024-01-01T00:00:00|01:00|4\n'
        '8|"|2024-01-01T00:00:09|01:00|4\n'
    )
    assert len(read(tmp_path, text).jobs) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("JobID|Submit|NCPUS\n7|2024-01-01T00:00:00|4\n", "has no run time"),
        ("JobID|Submit|Elapsed\n7|2024-01-01T00:00:00|01:00\n", "has no processors"),
        ("JobID|Submit|Elapsed|NCPUS\n7|x|01:00|4\n", 'line 2: submit is "x"'),
        ("JobID|Submit|Elapsed|NCPUS\n7|01:00|4\n", "line 2: has 3 cells; expected 4"),
    ],
)
def test_missing_columns_and_damaged_rows_are_named(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(TraceError, match=words):
        read(tmp_path, text)
