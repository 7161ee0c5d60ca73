"""Allocators and orders side by side on one job log."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from cotenant.demand.job import Jobs
from cotenant.errors import InvalidInput
from cotenant.fleet import Cluster
from cotenant.planning.queue.attempts import Attempt, attempt, together
from cotenant.planning.queue.results import QueueComparison, QueueRow
from cotenant.planning.queue.rows import rows_of
from cotenant.planning.queue.settings import QueueSettings, told
from cotenant.queueing.clusters import Clusters
from cotenant.traces.jobs.load import offered_load, replicas, scaled_to_load
from cotenant.traces.jobs.source import JobLog
from cotenant.workers import Where, mapped, open_workers

if TYPE_CHECKING:
    # At run time it would bring in all of the colocation engine.
    from cotenant.planning.evaluate import Advance
    from cotenant.sim.jobs import QueueRun

# A log with a larger share of jobs without an estimate cannot tell estimates apart.
FEW = 0.1


def compare_queue(
    log: JobLog,
    systems: Mapping[str, Sequence[Cluster]],
    settings: QueueSettings | None = None,
    command: str = "",
    advance: "Advance" = lambda what, done, total: None,
    workers: Where = 1,
) -> QueueComparison:
    """Run the log under every system, load, order and allocator.

    Jobs that fit no cluster of a system are rejected and counted; the counts of the
    answer are those of the first system.

    Parameters
    ----------
    workers
        Who runs them, replica by replica, see `open_workers`.
    """
    settings = settings or QueueSettings()
    if not systems:
        raise InvalidInput("there is no cluster to run on")
    cases = [(name, load) for name in systems for load in settings.loads or (None,)]
    shaken = [_shaken(log, n, systems[n], load, settings) for n, load in cases]
    attempts = [
        Attempt(one, Clusters.of(systems[name]), order, allocator, number == 0)
        for (name, _), copies in zip(cases, shaken, strict=True)
        for order in settings.orders
        for allocator in settings.allocators
        for number, one in enumerate(copies)
    ]
    with open_workers(workers, len(attempts)) as opened:
        made = mapped(
            opened,
            attempt,
            attempts,
            settings,
            advance=lambda done, total: advance("runs", done, total),
        )
    outcomes = iter(made)
    rows: list[QueueRow] = []
    runs: list[QueueRun] = []
    for (name, load), copies in zip(cases, shaken, strict=True):
        # Shaking moves the ends of the log a little, and so the load.
        offered = load or offered_load(copies[0], systems[name])
        for order in settings.orders:
            tried = [
                together([next(outcomes) for _ in copies]) for _ in settings.allocators
            ]
            rows += rows_of(tried, settings.allocators, order, name, offered)
            runs += [one.run for one in tried]
    used = log.fitting(next(iter(systems.values())))
    return QueueComparison(
        log={"source": log.source, **used.report.to_dict()},
        offered_load=rows[0].offered_load,
        settings=told(settings),
        systems={n: [asdict(c) for c in system] for n, system in systems.items()},
        rows=tuple(rows),
        assumptions=_assumptions(settings),
        warnings=(*_unstable(rows), *_guesses(used.jobs, settings)),
        command=command,
        runs=tuple(runs),
    )


def _shaken(
    log: JobLog,
    name: str,
    system: Sequence[Cluster],
    load: float | None,
    settings: QueueSettings,
) -> list[Jobs]:
    jobs = log.fitting(system).jobs
    if not len(jobs):
        raise InvalidInput(f"no job of {log.source} fits a cluster of {name}")
    shaken = [jobs]
    if settings.shake_s > 0:
        shaken = list(
            replicas(jobs, settings.shake_s, settings.replicas, settings.seed)
        )
    if load is None:
        return shaken
    # Shaken by seconds of the log, then scaled, so that each replica offers the load.
    return [scaled_to_load(jobs, system, load) for jobs in shaken]


def _unstable(rows: Sequence[QueueRow]) -> list[str]:
    grown = [
        f"{row.allocator} under {row.order} on {row.system} at load "
        f"{row.offered_load:.2g} ({row.growth:.2g} times)"
        for row in rows
        if row.growth is not None and not row.stable
    ]
    if not grown:
        return []
    return [
        "not stable, since turnaround in the second half of the log is a multiple of "
        f"that in the first: {'; '.join(grown)}. Read percentages with care"
    ]


def _guesses(jobs: Jobs, settings: QueueSettings) -> list[str]:
    unknown = float(np.isnan(jobs.estimate_s).mean())
    if settings.estimates in ("user", "last-two") and unknown > FEW:
        return [
            f"{unknown:.0%} of the jobs have no estimate, so their run time stands in "
            "for it: the scheduler knows more than it would"
        ]
    return []


def _assumptions(settings: QueueSettings) -> tuple[str, ...]:
    said = ["rigid jobs, each on one cluster, run time divided by its speed"]
    if settings.kill_at_limit:
        said.append("jobs are killed at their estimate")
    else:
        said.append("no job is killed at its estimate")
    if settings.shake_s > 0:
        many = f"{settings.replicas} replicas"
        said.append(
            f"means over {many}, submissions shaken by up to {settings.shake_s:g} s"
        )
    else:
        said.append("one run: a single run may be an accident of this log, see --shake")
    return tuple(said)
