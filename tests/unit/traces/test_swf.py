"""SWF quirk by quirk, with numbers worked by hand, and the writer's round trip."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.demand.job import Jobs
from cotenant.errors import InvalidInput, SourceNotFound, TraceError
from cotenant.fleet import Cluster
from cotenant.traces.jobs.cleaning import JobOptions
from cotenant.traces.jobs.records import SECONDS
from cotenant.traces.jobs.source import JobLog, read_jobs
from cotenant.traces.jobs.swf_writer import swf_text, write_swf
from tests.unit.traces.job_texts import SWF, swf_line


def read(folder: Path, text: str, **options: object) -> JobLog:
    path = folder / "log.swf"
    path.write_bytes(text.encode())
    return read_jobs(str(path), options=JobOptions(**options))


def test_each_rejection_is_counted_under_its_own_reason(tmp_path: Path) -> None:
    report = read(tmp_path, SWF).report
    assert report.rejected == {
        "partial_record": 1,
        "cancelled": 1,
        "no_runtime": 2,
        "unknown_runtime": 1,
        "negative_runtime": 1,
        "no_processors": 1,
        "no_submit_time": 1,
    }
    assert report.statuses == {"done": 8, "failed": 1, "cancelled": 2, "partial": 1}
    assert report.sentence().startswith("12 records, 4 usable (1 cancelled before")


def test_repairs_and_peculiarities_are_counted_among_usable_jobs(
    tmp_path: Path,
) -> None:
    report = read(tmp_path, SWF).report
    assert report.repaired == {
        "processors_from_allocated": 2,
        "submit_out_of_order": 1,
    }
    assert report.noticed == {
        "allocated_unknown": 1,
        "estimate_below_runtime": 1,
        "estimate_unknown": 2,
        "processors_differ": 1,
    }


def test_jobs_start_at_second_0_on_the_calendar_of_the_header(tmp_path: Path) -> None:
    jobs = read(tmp_path, SWF).jobs
    assert jobs.id.tolist() == [11, 12, 22, 13]
    assert jobs.submit_s.tolist() == [0.0, 0.0, 5.0, 10.0]
    assert jobs.origin_s == 1_000_500.0
    assert jobs.processors.tolist() == [8, 2, 3, 3]
    assert jobs.waited_s.tolist() == [3.0, 0.0, 7.0, 7.0]
    assert jobs.names["queue"] == {0: "interactive", 1: "[long:1]"}


def test_run_times_are_never_changed_by_an_estimate(tmp_path: Path) -> None:
    jobs = read(tmp_path, SWF).jobs
    assert jobs.runtime_s.tolist() == [60.0] * 4
    assert jobs.estimate_s[:2].tolist() == [90.0, 30.0]
    assert np.isnan(jobs.estimate_s[2:]).all()


def test_allocated_processors_and_zero_run_times_can_be_chosen(tmp_path: Path) -> None:
    log = read(tmp_path, SWF, processors="allocated", zero_runtime="one-second")
    assert log.jobs.processors.tolist() == [4, 2, 3, 3, 3, 3]
    assert log.jobs.runtime_s.tolist() == [60.0, 60.0, 60.0, 60.0, 1.0, 1.0]
    assert log.report.repaired["runtime_raised_to_1_s"] == 2
    assert log.report.repaired["processors_from_requested"] == 1
    assert "no_runtime" not in log.report.rejected


def test_partial_records_are_jobs_where_asked_for(tmp_path: Path) -> None:
    log = read(tmp_path, SWF, partial=True)
    assert 21 in log.jobs.id
    assert "partial_record" not in log.report.rejected


def test_the_machine_is_its_processors_before_its_nodes(tmp_path: Path) -> None:
    assert read(tmp_path, SWF).clusters == (Cluster(64, 1.0, "machine"),)
    nodes = read(tmp_path, SWF.replace("; MaxProcs: 64\n", ""))
    assert nodes.clusters[0].processors == 8
    assert any("MaxNodes" in note for note in nodes.report.notes)
    bare = read(tmp_path, swf_line(1, 0, 0, 5, 3))
    assert bare.clusters[0].processors == 3
    assert any("no machine size" in note for note in bare.report.notes)


def test_unix_times_of_submission_become_the_calendar(tmp_path: Path) -> None:
    lines = [swf_line(0, 1_356_996_147, 0, 5, 3), swf_line(1, 1_356_996_150, 0, 5, 3)]
    log = read(tmp_path, "\n".join(lines))
    assert log.jobs.submit_s.tolist() == [0.0, 3.0]
    assert log.jobs.origin_s == 1_356_996_147.0


def test_repeated_job_numbers_are_given_anew(tmp_path: Path) -> None:
    log = read(tmp_path, swf_line(7, 3) + "\n" + swf_line(7, 1))
    assert log.jobs.id.tolist() == [2, 1]
    assert any("numbered anew" in note for note in log.report.notes)


def test_partitions_of_a_log_without_size_are_clusters_by_their_peaks(
    tmp_path: Path,
) -> None:
    rows = [  # number, submit, wait, run, processors
        ((1, 0, 0, 10, 4), 1),
        ((2, 0, 10, 10, 5), 1),  # starts when job 1 ends: 5 in use, not 9
        ((3, 0, 0, 10, 2), 2),
        ((4, 9, 0, 10, 2), 2),
        ((5, 9, -1, 10, 99), 2),  # nobody knows when it ran
    ]
    text = "\n".join(swf_line(*row, partition=part) for row, part in rows)
    log = read(tmp_path, text)
    assert log.clusters == (Cluster(5, 1.0, "1"), Cluster(4, 1.0, "2"))
    assert any("lower bound" in note for note in log.report.notes)
    sized = read(tmp_path, "; MaxProcs: 128\n" + text)
    assert sized.clusters == (Cluster(128, 1.0, "machine"),)


def test_more_columns_name_the_queue(tmp_path: Path) -> None:
    text = f"{swf_line(1, 0)} {{7,7}} q_1d 1:ppn=2#excl\n{swf_line(2, 1)} {{}} q_2h x\n"
    jobs = read(tmp_path, text).jobs
    assert jobs.queue.tolist() == [1, 2]
    assert jobs.names["queue"] == {1: "q_1d", 2: "q_2h"}


def test_clusters_come_from_a_machines_file_beside_the_log(tmp_path: Path) -> None:
    (tmp_path / "log.swf.machines").write_text("0 big 20 80 1 5\n1\tsmall\t2\t6\t2.5\n")
    (tmp_path / "log.swf.gz").write_bytes(gzip.compress(SWF.encode()))
    expected = (Cluster(1600, 1.0, "big"), Cluster(12, 2.5, "small"))
    assert read_jobs(str(tmp_path / "log.swf.gz")).clusters == expected
    assert read_jobs([str(tmp_path)]).clusters == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0 big 20\n", "line 1: has 3 columns"),
        ("; note\n0 big x 80 1\n", "line 2: has a word"),
        ("0 big 0 80 1\n", "line 1: cluster 'big' has 0 processors"),
        ("; nothing\n", "names no cluster"),
    ],
)
def test_a_damaged_machines_file_is_named(
    tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "log.swf.machines").write_text(text)
    with pytest.raises(TraceError, match=words):
        read(tmp_path, SWF)


def test_jobs_larger_than_every_cluster_are_rejected_and_counted(
    tmp_path: Path,
) -> None:
    log = read(tmp_path, SWF)
    fitting = log.fitting([Cluster(2), Cluster(3)])
    assert fitting.jobs.processors.tolist() == [2, 3, 3]
    assert fitting.report.rejected["too_large"] == 1
    assert fitting.report.usable + sum(fitting.report.rejected.values()) == 12
    assert log.fitting([Cluster(8)]) is log


def test_several_files_are_one_log_on_one_calendar(tmp_path: Path) -> None:
    head = "; UnixStartTime: {}\n; Queue: 1 {}\n"
    for name, start, queue in (("a.swf", 2000, "night"), ("b.swf", 1000, "day")):
        text = head.format(start, queue) + swf_line(1, 50)
        (tmp_path / name).write_text(text)
    log = read_jobs([str(tmp_path / "a.swf"), str(tmp_path / "b.swf")])
    assert log.jobs.submit_s.tolist() == [0.0, 1000.0]
    assert log.jobs.origin_s == 1050.0
    queues = [log.jobs.names["queue"][q] for q in log.jobs.queue]
    assert queues == ["day", "night"]
    assert log.report.records == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 2 3\n", "no job log of a known format"),
        (swf_line(1, 0) + "\n1 2 3\n", "line 2: has 3 fields; expected 18"),
        (swf_line(1, 0, 0, -1), "has no usable job: 1 records, 0 usable"),
    ],
)
def test_a_file_that_is_no_log_is_refused(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(TraceError, match=words):
        read(tmp_path, text)


def test_unknown_formats_options_and_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "log.swf").write_text(SWF)
    with pytest.raises(InvalidInput, match="expected auto or one of swf, sacct, csv"):
        read_jobs(str(tmp_path), "parquet")
    with pytest.raises(SourceNotFound):
        read_jobs(str(tmp_path / "no.swf"))
    for wrong in ({"processors": "x"}, {"zero_runtime": "x"}, {"records": 0}):
        with pytest.raises(InvalidInput):
            JobOptions(**wrong)


rows = st.tuples(
    st.integers(0, 10**7),
    st.integers(1, 512),
    st.one_of(st.integers(1, 10**6), st.floats(0.01, 1e6)),
    st.one_of(st.just(np.nan), st.floats(0.5, 1e6)),
    st.integers(-1, 40),
)


@settings(deadline=None, max_examples=60)
@given(rows=st.lists(rows, min_size=1, max_size=20), calendar=st.booleans())
def test_what_is_written_reads_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, rows: list, calendar: bool
) -> None:
    submit, processors, runtime, estimate, user = (
        list(c) for c in zip(*rows, strict=True)
    )
    jobs = Jobs.of(
        submit_s=np.array(submit) - min(submit),
        processors=processors,
        runtime_s=runtime,
        estimate_s=estimate,
        user=user,
        status=np.ones(len(rows)),
        requested=processors,
        names={"queue": {2: "night shift"}},
        origin_s=1e9 if calendar else None,
    )
    path = tmp_path_factory.mktemp("swf") / "made.swf.gz"
    write_swf(path, jobs, [Cluster(600), Cluster(40, 2.0)])
    log = read_jobs(str(path))
    for name in (*SECONDS[:4], "id", "processors", "user", "status", "requested"):
        back, had = getattr(log.jobs, name), getattr(jobs, name)
        np.testing.assert_allclose(back, had, rtol=1e-15)
    assert log.jobs.origin_s == jobs.origin_s
    assert log.jobs.names == jobs.names
    assert log.clusters[0].processors == 640


def test_a_log_written_again_is_the_same_text(tmp_path: Path) -> None:
    jobs = read(tmp_path, SWF).jobs
    text = swf_text(jobs, [Cluster(64)])
    assert swf_text(read(tmp_path, text.decode()).jobs, [Cluster(64)]) == text
    assert b"11 0 3 60 4 -1 -1 8 90 -1 1 1 1 -1 1 -1 -1 -1\n" in text
