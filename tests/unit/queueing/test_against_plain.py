"""Kernels against the same queue in plain Python, on many random systems."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from cotenant.demand.job import Jobs
from cotenant.fleet import Cluster
from cotenant.queueing import ALLOCATORS
from cotenant.queueing.allocators import COMPILED, Allocator
from cotenant.queueing.clusters import Clusters
from cotenant.queueing.estimates import Estimates, exact, last_two, user
from cotenant.queueing.lookahead import LookAhead
from cotenant.queueing.order import ORDERS
from cotenant.sim.jobs import QueueRun, run_queue
from tests.queue_oracle import Options, PlainJob, PlainQueue

GREEDY = [name for name, a in ALLOCATORS.items() if a in COMPILED]
ESTIMATES = {"exact": exact, "user": user, "last-two": last_two}
# Few distinct values, so that ties and simultaneous events are the rule.
SPEEDS = [0.5, 1.0, 2.0, 3.0, 8.0]


@dataclass
class Case:
    jobs: Jobs
    clusters: Clusters


def drawn(seed: int, most: int = 30) -> Case:
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 9, rng.integers(1, 5))
    clusters = [Cluster(int(p), float(rng.choice(SPEEDS))) for p in size]
    count = int(rng.integers(1, most))
    runtime = rng.integers(1, 13, count) * 10.0
    asked = runtime * rng.choice([0.5, 1.0, 1.0, 2.0, 5.0], count)
    jobs = Jobs.of(
        submit_s=np.sort(rng.integers(0, 8 * count, count)) * 1.0,
        processors=rng.integers(1, size.max() + 1, count),
        runtime_s=runtime,
        estimate_s=np.where(rng.random(count) < 0.2, np.nan, asked),
        user=rng.integers(-1, 3, count),
    )
    return Case(jobs, Clusters.of(clusters))


def plain(
    case: Case,
    order: str,
    rule: str,
    estimates: Callable[..., Estimates],
    options: Options | None = None,
    reserve: str = "start",
) -> list[PlainJob]:
    jobs, belief = case.jobs, estimates(case.jobs, 0)
    draw = np.random.default_rng([0, 1]).random(len(jobs))
    coming = [
        PlainJob(
            at,
            float(jobs.submit_s[at]),
            int(jobs.processors[at]),
            float(jobs.runtime_s[at]),
            float(belief.believed_s[at]),
            float(draw[at]),
            int(jobs.user[at]),
            float(belief.request_s[at]),
        )
        for at in range(len(jobs))
    ]
    queue = PlainQueue(
        case.clusters.size.tolist(),
        case.clusters.speed.tolist(),
        order,
        rule,
        coming,
        options or Options(),
        by_completion=reserve == "completion" or rule == "earliest-completion",
        predict=belief.predict,
    )
    return queue.run()


def same(run: QueueRun, expected: list[PlainJob]) -> None:
    assert run.cluster.tolist() == [job.cluster for job in expected]
    assert run.start_s.tolist() == [job.start for job in expected]
    assert run.finish_s.tolist() == [job.end for job in expected]


@pytest.mark.parametrize("estimates", ESTIMATES)
@pytest.mark.parametrize("name", GREEDY)
@pytest.mark.parametrize("order", ORDERS)
def test_greedy_runs_equal_plain_python(order: str, name: str, estimates: str) -> None:
    for seed in range(120):
        case, belief = drawn(seed), ESTIMATES[estimates]
        run = run_queue(case.jobs, case.clusters, name, order, belief)
        same(run, plain(case, order, name, belief))


@pytest.mark.parametrize("name", GREEDY)
@pytest.mark.parametrize("order", ORDERS)
def test_functions_decide_as_their_compiled_twins(order: str, name: str) -> None:
    for seed in range(40):
        case, function = drawn(seed), ALLOCATORS[name]

        def wrapped(view: object, function: Allocator = function) -> object:
            return function(view)  # type: ignore[arg-type]

        # The compiled earliest completion promises by completion of itself.
        reserve = "completion" if name == "earliest-completion" else "start"
        slow = run_queue(case.jobs, case.clusters, wrapped, order, reserve=reserve)  # type: ignore[arg-type]
        fast = run_queue(case.jobs, case.clusters, name, order)
        assert slow.start_s.tolist() == fast.start_s.tolist()
        assert slow.cluster.tolist() == fast.cluster.tolist()


def test_easy_may_promise_the_earliest_completion() -> None:
    for seed in range(100):
        case = drawn(seed)
        run = run_queue(
            case.jobs, case.clusters, "best-fit", "easy", reserve="completion"
        )
        same(run, plain(case, "easy", "best-fit", exact, reserve="completion"))


@pytest.mark.parametrize("estimates", ESTIMATES)
@pytest.mark.parametrize("order", ORDERS)
def test_the_method_of_the_paper_equals_plain_python(
    order: str, estimates: str
) -> None:
    paper = Options("fastest-first", None, allow_wait=False, heads_only=True)
    for seed in range(60):
        case, belief = drawn(seed, 20), ESTIMATES[estimates]
        run = run_queue(case.jobs, case.clusters, "tla", order, belief)
        if order == "conservative":
            same(run, plain(case, order, "fastest-first", belief))
        else:
            same(run, plain(case, order, "look-ahead", belief, paper))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("part", range(2))
def test_look_ahead_equals_plain_python_whatever_its_options(
    order: str, part: int
) -> None:
    for seed in range(40 * part, 40 * part + 40):
        rng = np.random.default_rng([seed, 5])
        option = LookAhead(
            rollout=str(rng.choice(["fastest-first", "best-fit", "both"])),
            depth=None if rng.random() < 0.4 else int(rng.integers(1, 6)),
            allow_wait=bool(rng.random() < 0.7),
            metric=str(
                rng.choice(
                    ["turnaround", "wait", "bounded-slowdown", "makespan", "weighted"]
                )
            ),
            tie=str(rng.choice(["fastest-first", "best-fit"])),
            candidates=None if rng.random() < 0.6 else int(rng.integers(1, 4)),
            imagined_arrivals=int(rng.integers(0, 5)),
        )
        options = Options(
            option.rollout,
            option.depth,
            option.allow_wait,
            str(option.metric),
            option.candidates,
            option.imagined_arrivals,
            tie=option.tie,
        )
        case = drawn(seed, 18)
        belief = ESTIMATES[str(rng.choice(list(ESTIMATES)))]
        run = run_queue(case.jobs, case.clusters, option, order, belief)
        same(run, plain(case, order, "look-ahead", belief, options))
