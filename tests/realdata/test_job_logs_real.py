"""Every job log of the shared data, record by record."""

import heapq
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from cotenant.demand.job import Jobs
from cotenant.fleet import Cluster
from cotenant.traces.jobs.cleaning import JobOptions
from cotenant.traces.jobs.load import offered_load, scaled_to_load
from cotenant.traces.jobs.lublin import lublin
from cotenant.traces.jobs.source import read_jobs
from cotenant.traces.jobs.swf_writer import write_swf
from cotenant.traces.source import open_source

DATA = (
    Path(os.environ.get("COTENANT_DATA", Path(__file__).parents[3] / "shared" / "data"))
    / "swf"
)

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not DATA.is_dir(), reason="no traces here"),
]

# Records, rejections, repairs and peculiarities of usable jobs, processors of the log.
LOGS = {
    "CTC-SP2-excerpt-5jobs.swf": (
        5,
        {},
        {"processors_from_allocated": 5},
        {"estimate_below_runtime": 1},
        306,
    ),
    "HPC2N-2002-2.1-cln.swf.gz": (
        202_876,
        {},
        {},
        {
            "cpu_time_above_runtime": 25_811,
            "estimate_below_runtime": 14_817,
            "processors_differ": 729,
            "wait_unknown": 1,
        },
        240,
    ),
    "KTH-SP2-1996-2.1-cln.swf.gz": (
        28_476,
        {"no_processors": 1, "no_runtime": 8},
        {},
        {"estimate_below_runtime": 475, "processors_differ": 219},
        100,
    ),
    "LANL-CM5-1994-4.1-cln.swf.gz": (
        122_060,
        {"no_processors": 3, "no_runtime": 2},
        {"processors_from_allocated": 11_325},
        {
            "cpu_time_above_runtime": 63,
            "estimate_below_runtime": 40_180,
            "estimate_unknown": 11_286,
            "processors_differ": 1212,
        },
        1024,
    ),
    "METACENTRUM-2009-2.swf.gz": (
        103_656,
        {"no_runtime": 3712},
        {"processors_from_allocated": 99_944},
        {"estimate_unknown": 99_944},
        865,
    ),
    "NASA-iPSC-1993-3.1-cln.swf.gz": (
        18_239,
        {"no_runtime": 173},
        {"processors_from_allocated": 18_066},
        {"estimate_unknown": 18_066, "wait_unknown": 18_066},
        128,
    ),
    "SDSC-SP2-1998-4.2-cln.swf.gz": (
        59_715,
        {"cancelled": 5671, "no_runtime": 10},
        {},
        {
            "cpu_time_above_runtime": 3,
            "estimate_below_runtime": 4134,
            "estimate_unknown": 35,
        },
        128,
    ),
    "SDSC-SP2-sample-4606.swf.gz": (4606, {}, {}, {"wait_unknown": 4606}, 128),
    "lublin_256.swf.gz": (
        10_000,
        {},
        {"processors_from_allocated": 10_000},
        {"estimate_unknown": 10_000, "wait_unknown": 10_000},
        256,
    ),
    "wagap-2013.swf.gz": (
        17_900,
        {"negative_runtime": 2},
        {},
        {"estimate_below_runtime": 702},
        2176,
    ),
}


def test_no_log_is_left_out() -> None:
    assert {p.name for p in DATA.iterdir() if ".swf" in p.suffixes} - {
        "wagap-2013.swf.machines"
    } == set(LOGS)


@pytest.mark.parametrize("name", sorted(LOGS))
def test_every_record_is_accounted_for(name: str) -> None:
    records, rejected, repaired, noticed, processors = LOGS[name]
    log = read_jobs(str(DATA / name))
    assert log.report.records == records
    assert log.report.usable == len(log.jobs) == records - sum(rejected.values())
    assert log.report.rejected == rejected
    assert log.report.repaired == repaired
    assert log.report.noticed == noticed
    assert sum(c.processors for c in log.clusters) == processors


@pytest.mark.parametrize("name", sorted(LOGS))
def test_columns_are_those_that_python_splits(name: str) -> None:
    log = read_jobs(str(DATA / name))
    with open_source([str(DATA / name)]) as members, members[0].open() as stream:
        rows = [line.split()[:18] for line in stream if not line.startswith(b";")]
    rows = [r for r in rows if float(r[3]) > 0 and max(int(r[4]), int(r[7])) > 0]
    jobs = log.jobs
    assert jobs.id.tolist() == [int(r[0]) for r in rows]
    shift = int(rows[0][1])
    assert jobs.submit_s.tolist() == [int(r[1]) - shift for r in rows]
    assert jobs.runtime_s.tolist() == [float(r[3]) for r in rows]
    held = [int(r[7]) if int(r[7]) > 0 else int(r[4]) for r in rows]
    assert jobs.processors.tolist() == held


@pytest.mark.parametrize("name", sorted(LOGS))
def test_a_log_written_and_read_again_is_the_same(name: str, tmp_path: Path) -> None:
    log = read_jobs(str(DATA / name))
    path = tmp_path / "again.swf.gz"
    write_swf(path, log.jobs, log.clusters)
    again = read_jobs(str(path))
    assert not again.report.rejected
    for column in log.jobs.__slots__:
        if column not in ("names", "origin_s"):
            assert_array_equal(getattr(again.jobs, column), getattr(log.jobs, column))
    assert again.jobs.origin_s == log.jobs.origin_s
    assert again.jobs.names == log.jobs.names


def test_clusters_of_metacentrum_are_as_large_as_seen_in_use() -> None:
    clusters = read_jobs(str(DATA / "METACENTRUM-2009-2.swf.gz")).clusters
    sizes = [8, 32, 10, 81, 22, 81, 123, 62, 20, 31, 97, 190, 64, 44]
    assert [c.processors for c in clusters] == sizes
    assert [c.name for c in clusters] == [str(n) for n in range(1, 15)]


def test_wagap_has_its_two_clusters_and_its_queues() -> None:
    log = read_jobs(str(DATA / "wagap-2013.swf.gz"))
    assert log.clusters == (Cluster(1600, 1.0, "zewura"), Cluster(576, 1.0, "zegox"))
    counts = np.bincount(log.jobs.queue)
    sizes = {log.jobs.names["queue"][n]: int(c) for n, c in enumerate(counts) if c}
    assert sum(sizes.values()) == 17_898
    assert (sizes["backfill"], sizes["ops"], sizes["priority_long"]) == (104, 11, 4)
    assert log.jobs.origin_s == 1_356_996_147.0


@pytest.mark.parametrize(
    ("name", "load"),
    [
        ("SDSC-SP2-1998-4.2-cln", 0.83),
        ("KTH-SP2-1996-2.1-cln", 0.70),
        ("HPC2N-2002-2.1-cln", 0.60),
        ("LANL-CM5-1994-4.1-cln", 0.74),
        ("NASA-iPSC-1993-3.1-cln", 0.47),
    ],
)
def test_logs_offer_their_known_load(name: str, load: float) -> None:
    # The known figures count the processors that jobs held, as the archive does.
    held = JobOptions(processors="allocated")
    log = read_jobs(str(DATA / f"{name}.swf.gz"), options=held)
    assert offered_load(log.jobs, log.clusters) == pytest.approx(load, abs=0.006)


def test_scaled_logs_give_the_known_turnaround_on_four_speeds() -> None:
    # Figures of an independent simulation, fastest cluster first: they hold
    # only if every job, every time and the scaling are right to the second.
    jobs = read_jobs(str(DATA / "SDSC-SP2-sample-4606.swf.gz")).jobs
    clusters = [Cluster(128, speed) for speed in (8.0, 4.0, 2.0, 1.0)]
    for load, turnaround in ((0.4, 1243), (0.7, 2975), (0.9, 16_881)):
        scaled = scaled_to_load(jobs, clusters, load)
        assert round(fastest_first_turnaround(scaled, clusters)) == turnaround


def fastest_first_turnaround(jobs: Jobs, clusters: list[Cluster]) -> float:
    free = [cluster.processors for cluster in clusters]
    ends: list[tuple[float, int, int]] = []
    now = total = 0.0
    for job in jobs:
        now = max(now, job.submit_s)
        while True:
            while ends and ends[0][0] <= now:
                _, cluster, processors = heapq.heappop(ends)
                free[cluster] += processors
            if max(free) >= job.processors:
                break
            now = ends[0][0]
        cluster = next(c for c, left in enumerate(free) if left >= job.processors)
        end = now + job.runtime_s / clusters[cluster].speed
        free[cluster] -= job.processors
        heapq.heappush(ends, (end, cluster, job.processors))
        total += end - job.submit_s
    return total / len(jobs)


def test_our_generator_agrees_with_the_published_sample_of_the_model() -> None:
    theirs = read_jobs(str(DATA / "lublin_256.swf.gz")).jobs
    ours = lublin(10_000, processors=256, seed=1)
    # Kolmogorov-Smirnov, two samples of 10,000: 0.0276 is the 0.1 % point.
    for column in ("processors", "runtime_s"):
        assert distance(getattr(ours, column), getattr(theirs, column)) < 0.0276
    assert distance(np.diff(ours.submit_s), np.diff(theirs.submit_s)) < 0.0276
    correlated = [
        np.corrcoef(j.processors, np.log(j.runtime_s))[0, 1] for j in (ours, theirs)
    ]
    assert correlated[0] == pytest.approx(correlated[1], abs=0.04)


def test_the_published_sample_spans_a_time_that_our_generator_draws_too() -> None:
    # The mean gap of 10,000 jobs rests on a few gaps of days, so it varies by seed.
    theirs = read_jobs(str(DATA / "lublin_256.swf.gz")).jobs
    spans = [lublin(10_000, processors=256, seed=s).span_s for s in range(40)]
    assert min(spans) * 0.9 < theirs.span_s < max(spans)
    assert abs(theirs.span_s - np.mean(spans)) < 3 * np.std(spans)


def test_our_daily_cycle_is_that_of_the_published_sample() -> None:
    theirs = read_jobs(str(DATA / "lublin_256.swf.gz")).jobs
    shares = [
        hourly(lublin(10_000, processors=256, seed=2).submit_s),
        hourly(theirs.submit_s + 5094.0),  # the file starts there, at midnight 0
    ]
    assert np.corrcoef(*shares)[0, 1] > 0.95
    assert np.abs(shares[0] - shares[1]).max() < 0.02


def hourly(submit_s) -> np.ndarray:
    hour = (submit_s % 86_400) // 3600
    return np.bincount(hour.astype(int), minlength=24) / len(hour)


def distance(one, two) -> float:
    """Return the Kolmogorov-Smirnov distance of two samples."""
    at = np.union1d(one, two)
    shares = [
        np.searchsorted(np.sort(s), at, side="right") / len(s) for s in (one, two)
    ]
    return float(np.abs(shares[0] - shares[1]).max())
