"""Laws of every run, whatever the allocator, order and estimates."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.demand.job import Jobs
from cotenant.fleet import Cluster
from cotenant.queueing import ALLOCATORS, ESTIMATES
from cotenant.queueing.clusters import Clusters
from cotenant.queueing.order import ORDERS
from cotenant.sim.jobs import QueueRun, run_queue

SPEEDS = st.sampled_from([0.5, 1.0, 2.0, 3.0, 10.0])


@st.composite
def systems(draw: st.DrawFn) -> Clusters:
    sizes = draw(st.lists(st.integers(1, 8), min_size=1, max_size=4))
    return Clusters.of([Cluster(size, draw(SPEEDS)) for size in sizes])


@st.composite
def streams(draw: st.DrawFn, most: int) -> Jobs:
    count = draw(st.integers(1, 25))
    lists = {
        "gap": st.integers(0, 40),
        "processors": st.integers(1, most),
        "runtime_s": st.integers(1, 100),
        "factor": st.sampled_from([0.3, 1.0, 1.0, 2.0, 10.0]),
        "user": st.integers(-1, 2),
    }
    drawn = {
        name: np.array(draw(st.lists(each, min_size=count, max_size=count)))
        for name, each in lists.items()
    }
    return Jobs.of(
        submit_s=np.cumsum(drawn["gap"]),
        processors=drawn["processors"],
        runtime_s=drawn["runtime_s"],
        estimate_s=drawn["runtime_s"] * drawn["factor"],
        user=drawn["user"],
    )


@st.composite
def runs(draw: st.DrawFn, **fixed: str) -> QueueRun:
    clusters = draw(systems())
    jobs = draw(streams(clusters.largest))
    return run_queue(
        jobs,
        clusters,
        fixed.get("allocator") or draw(st.sampled_from(sorted(ALLOCATORS))),
        fixed.get("order") or draw(st.sampled_from(sorted(ORDERS))),
        ESTIMATES[fixed.get("estimates") or draw(st.sampled_from(sorted(ESTIMATES)))],
    )


def held(run: QueueRun, cluster: int, at: float) -> int:
    there = (run.cluster == cluster) & (run.start_s <= at) & (at < run.finish_s)
    return int(run.jobs.processors[there].sum())


@settings(deadline=None, max_examples=150)
@given(run=runs())
def test_no_cluster_ever_holds_more_than_it_has(run: QueueRun) -> None:
    for cluster, size in enumerate(run.clusters.size):
        for start in run.start_s:
            assert held(run, cluster, start) <= size


@settings(deadline=None, max_examples=150)
@given(run=runs())
def test_every_job_runs_once_for_its_time_and_not_before_it_came(
    run: QueueRun,
) -> None:
    assert (run.start_s >= run.jobs.submit_s).all()
    speed = run.clusters.speed[run.cluster]
    assert (run.finish_s == run.start_s + run.jobs.runtime_s / speed).all()
    assert (run.jobs.processors <= run.clusters.size[run.cluster]).all()


@settings(deadline=None)
@given(run=runs(order="fcfs"))
def test_first_come_first_served_starts_in_order(run: QueueRun) -> None:
    assert (np.diff(run.start_s) >= 0).all()


@settings(deadline=None)
@given(data=st.data(), order=st.sampled_from(["easy", "fcfs"]))
def test_the_head_starts_as_soon_as_a_greedy_allocator_has_room(
    data: st.DataObject, order: str
) -> None:
    run = data.draw(runs(allocator="fastest-first", order=order))
    jobs = run.jobs
    for job in range(len(jobs)):
        # From when it is the head and until it starts, no cluster has room.
        ahead = run.start_s[:job]
        head = max(jobs.submit_s[job], ahead.max(initial=0.0))
        moments = [head, *run.finish_s[run.finish_s >= head]]
        for at in (m for m in moments if head <= m < run.start_s[job]):
            for cluster, size in enumerate(run.clusters.size):
                assert size - held(run, cluster, at) < jobs.processors[job]


@settings(deadline=None)
@given(data=st.data())
def test_easy_never_delays_a_head_past_its_first_promise(data: st.DataObject) -> None:
    clusters = data.draw(systems())
    jobs = data.draw(streams(clusters.largest))
    run = run_queue(jobs, clusters, "best-fit", "easy")
    for job in range(len(jobs)):
        head = max(jobs.submit_s[job], run.start_s[:job].max(initial=0.0))
        if run.start_s[job] <= head:
            continue
        # What ran when it became the head bounds its start: jobs that started at that
        # very moment behind it are among those that must not delay it.
        earlier = (run.start_s <= head) & (np.arange(len(jobs)) < job)
        earlier |= run.start_s < head
        promises = []
        for cluster, size in enumerate(clusters.size):
            if size < jobs.processors[job]:
                continue
            mine = earlier & (run.cluster == cluster)
            for at in sorted({head, *run.finish_s[mine & (run.finish_s > head)]}):
                still = mine & (run.finish_s > at)
                if size - jobs.processors[still].sum() >= jobs.processors[job]:
                    promises.append(at)
                    break
        assert run.start_s[job] <= min(promises)


@settings(deadline=None)
@given(data=st.data(), order=st.sampled_from(sorted(ORDERS)))
def test_best_fit_and_fastest_first_agree_where_speeds_are_equal(
    data: st.DataObject, order: str
) -> None:
    sizes = data.draw(st.lists(st.integers(1, 8), min_size=1, max_size=4))
    clusters = Clusters.of([Cluster(size) for size in sizes])
    jobs = data.draw(streams(clusters.largest))
    one, other = (
        run_queue(jobs, clusters, name, order) for name in ("best-fit", "fastest-first")
    )
    assert one.start_s.tolist() == other.start_s.tolist()
    assert one.cluster.tolist() == other.cluster.tolist()


@settings(deadline=None)
@given(data=st.data())
def test_nothing_random_means_the_same_run_again(data: st.DataObject) -> None:
    clusters = data.draw(systems())
    jobs = data.draw(streams(clusters.largest))
    name = data.draw(st.sampled_from(sorted(ALLOCATORS)))
    order = data.draw(st.sampled_from(sorted(ORDERS)))
    one, other = (run_queue(jobs, clusters, name, order, seed=3) for _ in range(2))
    assert one.start_s.tolist() == other.start_s.tolist()
