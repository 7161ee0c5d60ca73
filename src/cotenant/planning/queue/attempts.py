"""One allocator on one replica of a log: the piece of work that workers share out."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from cotenant.demand.job import Jobs
from cotenant.planning.queue.rows import Tried
from cotenant.planning.queue.settings import QueueSettings, parse_estimates
from cotenant.queueing.clusters import Clusters
from cotenant.queueing.metrics import Measures, measure
from cotenant.sim.jobs import QueueRun, run_queue


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """What is run; only the first replica hands back who ran where."""

    jobs: Jobs
    clusters: Clusters
    order: str
    allocator: str
    first: bool


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What came of it."""

    run: QueueRun | None
    measures: Measures
    decisions: int
    overrides: int
    seconds: float


def attempt(one: Attempt, settings: QueueSettings) -> Outcome:
    """Run the queue and measure it."""
    since = time.perf_counter()
    run = run_queue(
        one.jobs,
        one.clusters,
        settings.allocator(one.allocator),
        one.order,
        parse_estimates(settings.estimates),
        reserve=settings.reserve,
        kill_at_limit=settings.kill_at_limit,
        seed=settings.seed,
    )
    told = measure(one.jobs, one.clusters, run.start_s, run.finish_s, run.cluster)
    seconds = time.perf_counter() - since
    kept = run if one.first else None
    return Outcome(kept, told, run.decisions, run.overrides, seconds)


def together(outcomes: Sequence[Outcome]) -> Tried:
    """Put all replicas of one allocator together."""
    run = outcomes[0].run
    assert run is not None
    return Tried(
        run,
        tuple(one.measures for one in outcomes),
        sum(one.decisions for one in outcomes),
        sum(one.overrides for one in outcomes),
        sum(one.seconds for one in outcomes),
    )
