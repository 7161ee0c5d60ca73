"""Micro-cases worked by hand, all jobs submitted at 0."""

import pytest

from cotenant.demand.job import Jobs
from cotenant.queueing.clusters import Clusters, parse_cluster
from cotenant.sim.jobs import QueueRun, run_queue

CASES = {
    "two jobs, the wide one needs the large cluster": (
        [(2, 120), (8, 150)],
        ["8@3", "4@2"],
        {"best-fit": 55.0, "fastest-first": 65.0, "tla": 55.0},
    ),
    "best fit sends a long job to the slow cluster": (
        [(4, 1000), (1, 10)],
        ["8@10", "4@1"],
        {"best-fit": 500.5, "fastest-first": 50.5, "tla": 50.5},
    ),
    "four jobs": (
        [(1, 40), (4, 400), (8, 80), (2, 20)],
        ["8@2", "4@1"],
        {"best-fit": 175.0, "fastest-first": 170.0, "tla": 137.5},
    ),
    "a lone job": (
        [(3, 30)],
        ["4@1", "8@3"],
        {"best-fit": 30.0, "fastest-first": 10.0, "tla": 10.0},
    ),
}


def run(
    work: list[tuple[int, float]],
    systems: list[str],
    allocator: str,
    order: str = "fcfs",
) -> QueueRun:
    jobs = Jobs.of(
        submit_s=[0] * len(work),
        processors=[p for p, _ in work],
        runtime_s=[r for _, r in work],
    )
    return run_queue(
        jobs, Clusters.of([parse_cluster(text) for text in systems]), allocator, order
    )


@pytest.mark.parametrize("allocator", ["best-fit", "fastest-first", "tla"])
@pytest.mark.parametrize("name", CASES)
def test_average_turnaround_is_the_known_one(name: str, allocator: str) -> None:
    work, systems, expected = CASES[name]
    assert run(work, systems, allocator).finish_s.mean() == expected[allocator]


def test_look_ahead_of_the_paper_chooses_as_worked_by_hand() -> None:
    work, systems, _ = CASES["four jobs"]
    done = run(work, systems, "tla")
    assert done.cluster.tolist() == [0, 1, 0, 0]
    assert done.start_s.tolist() == [0.0, 0.0, 20.0, 60.0]
    assert done.finish_s.tolist() == [20.0, 400.0, 60.0, 70.0]
    assert done.decisions > 0
    first, systems, _ = CASES["two jobs, the wide one needs the large cluster"]
    assert run(first, systems, "tla").cluster.tolist() == [1, 0]


def test_easy_lets_a_short_job_pass_but_never_delays_the_head() -> None:
    # 4 processors: a job of 3 until 10; the head needs 4; 1 is free meanwhile.
    work = [(3, 10), (4, 5), (1, 10), (1, 11)]
    done = run(work, ["4@1"], "best-fit", "easy")
    assert done.start_s.tolist() == [0.0, 10.0, 0.0, 15.0]


def test_a_job_that_ends_when_the_promise_begins_is_in_time() -> None:
    done = run([(3, 10), (4, 5), (1, 10)], ["4@1"], "best-fit", "easy")
    assert done.start_s[2] == 0.0
    late = run([(3, 10), (4, 5), (1, 10.5)], ["4@1"], "best-fit", "easy")
    assert late.start_s[2] == 15.0


def test_easy_may_use_what_the_head_leaves_over() -> None:
    # The head takes 3 of 4 at 10, so a long job of 1 processor does not delay it.
    done = run([(3, 10), (3, 5), (1, 100)], ["4@1"], "best-fit", "easy")
    assert done.start_s.tolist() == [0.0, 10.0, 0.0]


def test_the_head_is_promised_the_faster_cluster_on_a_tie() -> None:
    # Both clusters have room for the head at 10; the last job may not hold the faster
    # one beyond that, though it is the one that fastest first prefers.
    work = [(3, 20), (3, 10), (4, 10), (1, 100)]
    done = run(work, ["4@1", "4@2"], "fastest-first", "easy")
    assert done.cluster.tolist() == [1, 0, 1, 0]
    assert done.start_s.tolist() == [0.0, 0.0, 10.0, 0.0]


def test_conservative_keeps_promises_that_easy_does_not_make() -> None:
    # The last job delays nobody but the third, to whom EASY has promised nothing.
    work = [(3, 10), (3, 5), (4, 4), (1, 100)]
    easy = run(work, ["4@1"], "best-fit", "easy")
    assert easy.start_s.tolist() == [0.0, 10.0, 100.0, 0.0]
    promised = run(work, ["4@1"], "best-fit", "conservative")
    assert promised.start_s.tolist() == [0.0, 10.0, 15.0, 19.0]


def test_completions_come_before_arrivals_of_the_same_moment() -> None:
    jobs = Jobs.of(submit_s=[0, 10], processors=[4, 4], runtime_s=[10, 10])
    done = run_queue(jobs, Clusters.of([parse_cluster("4")]), "best-fit")
    assert done.start_s.tolist() == [0.0, 10.0]
