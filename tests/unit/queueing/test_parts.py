"""Clusters, estimates, orders, metrics and options: examples worked by hand."""

import numpy as np
import pytest

from cotenant.demand.job import Jobs
from cotenant.errors import InvalidInput
from cotenant.fleet import Cluster
from cotenant.queueing.clusters import Clusters, parse_cluster
from cotenant.queueing.estimates import exact, last_two, uniform, user
from cotenant.queueing.lookahead import TLA, LookAhead
from cotenant.queueing.metrics import measure
from cotenant.queueing.order import Order, parse_order
from cotenant.queueing.view import View
from cotenant.sim.jobs import run_queue
from cotenant.sim.timelines import lanes, queue_length, share_held

JOBS = Jobs.of(
    submit_s=[0, 0, 5, 40],
    processors=[2, 3, 1, 4],
    runtime_s=[20, 10, 30, 8],
    estimate_s=[40, 5, np.nan, 8],
    user=[1, 1, 1, 1],
)
FOUR = Clusters.of([Cluster(4)])


@pytest.mark.parametrize("text", ["", "128@", "x@1", "0@1", "8@0", "8@nan", "8@-1"])
def test_a_cluster_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_cluster(text)


def test_clusters_need_names_of_their_own() -> None:
    with pytest.raises(InvalidInput, match="'a'"):
        Clusters.of([Cluster(1, 1.0, "a"), Cluster(2, 1.0, "a")])
    with pytest.raises(InvalidInput, match="0 clusters"):
        Clusters.of([])
    assert FOUR.names == ("c1",)
    assert (FOUR.largest, FOUR.ability) == (4, 4.0)


def test_estimates_believe_what_they_say() -> None:
    assert exact(JOBS).believed_s.tolist() == [20, 10, 30, 8]
    assert user(JOBS).believed_s.tolist() == [40, 10, 30, 8]
    predicted = last_two(JOBS)
    assert predicted.predict
    assert predicted.request_s.tolist() == [40, 5, np.inf, 8]
    drawn = uniform(JOBS, 1, 3.0).believed_s / JOBS.runtime_s
    assert ((drawn >= 1) & (drawn < 3)).all()
    with pytest.raises(InvalidInput, match=r"uniform:0\.5"):
        uniform(JOBS, 0, 0.5)


def test_predictions_use_completed_jobs_only() -> None:
    # One user: the third job arrives when one of the two before it has completed.
    seen: list[float] = []

    def spy(view: View) -> int:
        seen.append(view.believed_s)
        return int(view.room[0])

    jobs = Jobs.of(
        submit_s=[0, 0, 12, 30],
        processors=[1, 1, 1, 1],
        runtime_s=[10, 20, 5, 5],
        estimate_s=[50, 50, 50, 9],
        user=[7, 7, 7, 7],
    )
    run_queue(jobs, FOUR, spy, "fcfs", last_two)
    # Then the mean of 20 and 5, but at most the request.
    assert seen == [50.0, 50.0, 10.0, 9.0]


def test_jobs_are_killed_at_their_limit_only_if_asked() -> None:
    run = run_queue(JOBS, FOUR, "best-fit")
    assert (run.finish_s - run.start_s).tolist() == [20, 10, 30, 8]
    assert not run.killed.any()
    run = run_queue(JOBS, FOUR, "best-fit", kill_at_limit=True)
    assert (run.finish_s - run.start_s).tolist() == [20, 5, 30, 8]
    assert run.killed.tolist() == [False, True, False, False]


def test_measures_are_those_worked_by_hand() -> None:
    run = run_queue(JOBS, FOUR, "best-fit")
    assert run.start_s.tolist() == [0, 20, 20, 50]
    told = measure(JOBS, FOUR, run.start_s, run.finish_s, run.cluster)
    assert told.total.average_turnaround_s == (20 + 30 + 45 + 18) / 4
    assert told.total.average_wait_s == (0 + 20 + 15 + 10) / 4
    assert told.total.average_bounded_slowdown == (1 + 3 + 45 / 30 + 18 / 10) / 4
    assert told.makespan_s == 58
    assert told.total.utilization == (40 + 30 + 30 + 32) / (4 * 58)
    assert told.growth == (45 + 18) / (20 + 30)
    assert told.stable
    assert {name: part.jobs for name, part in told.sizes.items()} == {"1": 1, "2-4": 3}
    assert told.percentiles["wait_s"]["p50"] == 12.5


def test_timelines_count_as_intervals_that_are_half_open() -> None:
    run = run_queue(JOBS, FOUR, "best-fit")
    times = np.array([0.0, 4.0, 5.0, 20.0, 40.0, 50.0])
    assert queue_length(run, times).tolist() == [1, 1, 2, 0, 1, 0]
    held = share_held(run, np.array([0.0, 20.0, 30.0, 50.0, 58.0]))
    assert held.tolist() == pytest.approx([0.5, 1.0, 0.25, 1.0])


def test_lanes_give_each_processor_to_one_job_at_a_time() -> None:
    rng = np.random.default_rng(3)
    jobs = Jobs.of(
        submit_s=np.sort(rng.integers(0, 400, 60)),
        processors=rng.integers(1, 9, 60),
        runtime_s=rng.integers(1, 60, 60),
    )
    clusters = Clusters.of([Cluster(8), Cluster(5, 2.0)])
    run = run_queue(jobs, clusters, "look-ahead", "easy")
    pieces = lanes(run)
    assert np.bincount(
        pieces[:, 0], weights=pieces[:, 2] - pieces[:, 1], minlength=60
    ).tolist() == list(jobs.processors)
    for cluster, size in enumerate(clusters.size):
        mine = pieces[run.cluster[pieces[:, 0]] == cluster]
        assert mine[:, 2].max() <= size
        for at, (job, low, high) in enumerate(mine):
            for other, down, up in mine[at + 1 :]:
                apart = (
                    run.finish_s[job] <= run.start_s[other]
                    or run.finish_s[other] <= run.start_s[job]
                )
                assert apart or high <= down or up <= low


def test_a_job_larger_than_every_cluster_is_refused() -> None:
    jobs = Jobs.of(id=[77], submit_s=[0], processors=[9], runtime_s=[1])
    with pytest.raises(InvalidInput, match="job 77 asks for 9"):
        run_queue(jobs, FOUR, "best-fit")


@pytest.mark.parametrize("answer", [1, -1, 7])
def test_an_allocator_that_answers_nonsense_is_named(answer: int) -> None:
    clusters = Clusters.of([Cluster(4), Cluster(1)])
    with pytest.raises(InvalidInput, match=f"answered {answer}"):
        run_queue(JOBS, clusters, lambda _: answer)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(InvalidInput, match="allocator is 'x'"):
        run_queue(JOBS, FOUR, "x")
    with pytest.raises(InvalidInput, match="order is 'x'"):
        parse_order("x")
    with pytest.raises(InvalidInput, match="reserve is 'x'"):
        run_queue(JOBS, FOUR, "best-fit", "easy", reserve="x")


@pytest.mark.parametrize(
    "option",
    [
        {"rollout": "x"},
        {"metric": "x"},
        {"tie": "x"},
        {"depth": 0},
        {"candidates": 0},
        {"imagined_arrivals": -1},
    ],
)
def test_options_of_look_ahead_are_checked(option: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        LookAhead(**option)  # type: ignore[arg-type]


def test_arrivals_are_imagined_under_first_come_first_served_only() -> None:
    assert LookAhead().imagined_of(Order.FCFS) == 50
    assert LookAhead().imagined_of(Order.EASY) == 0
    assert LookAhead(imagined_arrivals=7).imagined_of(Order.EASY) == 7
    assert TLA.imagined_of(Order.FCFS) == 0


def test_a_function_may_weigh_the_jobs() -> None:
    # Where only the wide job counts, the narrow one makes room for it.
    jobs = Jobs.of(submit_s=[0, 0], processors=[2, 8], runtime_s=[1000, 150])
    clusters = Clusters.of([parse_cluster("8@3"), parse_cluster("4@1")])
    plain = run_queue(jobs, clusters, LookAhead(allow_wait=False))
    assert plain.cluster.tolist() == [0, 0]
    wide = LookAhead(allow_wait=False, metric=lambda j: (j.processors > 4) * 1.0)
    assert run_queue(jobs, clusters, wide).cluster.tolist() == [1, 0]


def test_the_log_of_decisions_tells_what_each_candidate_was_worth() -> None:
    jobs = Jobs.of(id=[5, 6], submit_s=[0, 0], processors=[2, 8], runtime_s=[120, 150])
    clusters = Clusters.of([parse_cluster("8@3"), parse_cluster("4@2")])
    run = run_queue(jobs, clusters, "tla", log=True)
    (one,) = run.log
    assert (one.job, one.answer, one.fastest_first, one.best_fit) == (5, 1, 0, 1)
    # Both jobs' turnaround: 40 and 40 + 50 on the fast cluster, 60 and 50 otherwise.
    assert one.values[:2].tolist() == [130.0, 110.0]
    assert (run.decisions, run.overrides) == (1, 1)
