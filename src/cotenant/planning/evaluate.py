"""Packs a problem by one method and measures the result."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import polars as pl

from cotenant.colocate.pack import Packing, pack
from cotenant.fleet import Fleet
from cotenant.metrics import (
    machines_above,
    mean,
    normalized_machines,
    poisson_interval,
)
from cotenant.planning.problem import Problem
from cotenant.planning.results import Judge, Overload, Row
from cotenant.planning.settings import Settings
from cotenant.sim.judge import Carried, Judgement, judge_exact, judge_samples
from cotenant.sim.replay import replay_aligned
from cotenant.workers import Where, mapped, on_other_machines, open_workers, send

Advance = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A packing, the overload of each machine, and both in one row."""

    packing: Packing
    judgement: Judgement
    overload: Overload
    row: Row


def evaluate(
    problem: Problem,
    fleet: Fleet,
    settings: Settings,
    advance: Advance,
    explain: bool = False,
) -> Evaluation:
    """Pack the tasks of a problem and judge the packing.

    Parameters
    ----------
    explain
        Whether the packing keeps why each task is where it is.
    """
    policy = settings.policy
    started = time.perf_counter()
    packing = pack(
        problem.tasks,
        fleet,
        replace(policy, rho=settings.threshold or policy.rho),
        explain=explain,
        advance=lambda done, total: advance(f"packing, {policy.method}", done, total),
    )
    judgement = judge(problem, packing, settings.judged_by, policy.seed)
    overload = measure(judgement, settings.judged_by, policy.rho)
    row = Row(
        method=policy.method,
        rule=policy.rule,
        machines=len(packing.machines),
        normalized_machines=normalized(packing, fleet),
        overload_mean=overload.mean,
        worst_machine=overload.worst_machine,
        machines_above_rho=overload.machines_above_rho,
        unplaced=len(packing.unplaced),
        seconds=round(time.perf_counter() - started, 3),
    )
    return Evaluation(packing, judgement, overload, row)


def rows_of(
    problem: Problem,
    fleet: Fleet,
    every: Sequence[Settings],
    workers: Where,
    advance: Advance,
) -> tuple[Row, ...]:
    """Evaluate a problem under several settings, shared out over workers."""
    if str(workers) == "1":  # tells how far each packing is
        return tuple(evaluate(problem, fleet, one, advance).row for one in every)
    with open_workers(workers, len(every)) as opened:
        if not any(one.judged_by == "aligned" for one in every):
            problem = _with_samples(problem, [])
        elif on_other_machines(opened):
            problem = _with_samples(problem, list(problem.trace.store.parts()))
        rows = mapped(
            opened,
            _row,
            every,
            send(opened, problem),
            fleet,
            advance=lambda done, total: advance("rows", done, total),
        )
    return tuple(rows)


def _with_samples(problem: Problem, frames: list[pl.DataFrame]) -> Problem:
    """Return a problem whose trace has these samples, in memory."""
    store = replace(problem.trace.store, frames=frames, files=[], scratch=None)
    return replace(problem, trace=replace(problem.trace, store=store))


def _row(settings: Settings, problem: Problem, fleet: Fleet) -> Row:
    return evaluate(problem, fleet, settings, lambda what, done, total: None).row


def judge(problem: Problem, packing: Packing, how: Judge, seed: int) -> Judgement:
    """Measure how often each machine of a packing is above its CPU capacity."""
    if how == "aligned":
        machine_of = {
            t.name: number for number, on in enumerate(packing.tasks) for t in on
        }
        capacity = [m.capacity["cpu"] for m in packing.machines]
        return replay_aligned(problem.trace, machine_of, capacity).judgement
    usage = {t.name: t.usage["cpu"] for t in problem.tasks}
    if problem.judged is not None:
        usage = dict(problem.judged)
    machines = [
        Carried(m.capacity["cpu"], [usage[t.name] for t in on if t.name in usage])
        for m, on in zip(packing.machines, packing.tasks, strict=True)
    ]
    if how == "samples":
        return judge_samples(machines, seed)
    return judge_exact(machines, slots=problem.slots)


def measure(judgement: Judgement, how: Judge, rho: float) -> Overload:
    """Sum up a judgement: mean with its interval, worst machine, machines above rho."""
    overload = judgement.overload
    low = high = None
    above = machines_above(overload, rho)
    if judgement.moments:
        low, high = poisson_interval(judgement.overloaded, judgement.moments)
        # The interval is of all moments together; machines seen for less time weigh
        # more in the mean over machines.
        pooled = judgement.overloaded / judgement.moments
        if pooled > 0:
            low, high = (end * overload.mean() / pooled for end in (low, high))
        # One overload too many in few moments proves nothing.
        above = sum(poisson_interval(*seen)[0] > rho for seen in judgement.counts)
    return Overload(
        mean=mean(overload.tolist()),
        worst_machine=float(overload.max(initial=0.0)),
        machines_above_rho=above,
        low=low,
        high=high,
        judged_by=how,
    )


def load_machines(packing: Packing) -> float:
    """Return the mean load of all placed tasks, in machines."""
    return math.fsum(
        t.usage["cpu"].mean / m.capacity["cpu"]
        for m, on in zip(packing.machines, packing.tasks, strict=True)
        for t in on
    )


def normalized(packing: Packing, fleet: Fleet) -> float | None:
    """Return the paper's m_norm; None for a mixed fleet."""
    if fleet.is_mixed:
        return None
    return normalized_machines(len(packing.machines), load_machines(packing))
