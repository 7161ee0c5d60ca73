"""The main job: how many machines, which task goes where, what overload to expect."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cotenant.colocate.margin import MarginRule
from cotenant.colocate.methods import parse_method
from cotenant.colocate.pack import Packing
from cotenant.demand.usage import Usage
from cotenant.fleet import Fleet, Machine
from cotenant.planning.evaluate import (
    Advance,
    Evaluation,
    evaluate,
    load_machines,
    normalized,
    rows_of,
)
from cotenant.planning.few import borrow
from cotenant.planning.problem import Problem, check_units, make_problem
from cotenant.planning.results import (
    Comparison,
    Decision,
    MachineUse,
    Plan,
    Refusal,
    Unplaced,
)
from cotenant.planning.rhythm import SLOTS, carries_a_day
from cotenant.planning.settings import Settings, describe
from cotenant.planning.tomorrow import add_series, prepare
from cotenant.traces.trace import Trace
from cotenant.workers import Where

TODAY = ("gaussian", "percentile:95", "max", "requests")


def plan(
    trace: Trace,
    fleet: Fleet,
    settings: Settings | None = None,
    *,
    beside: Sequence[str] = TODAY,
    command: str = "",
    source: Mapping[str, Any] | None = None,
    advance: Advance = lambda what, done, total: None,
) -> Plan:
    """Plan a trace on a fleet.

    Parameters
    ----------
    beside
        Methods to compare with; those that lack data are left out.
    command
        Command line that repeats the plan, for the record.
    source
        How the trace was read, for the record: `replay --calibrate` reads it again.
    advance
        Called with what is being done, how much is done, and how much there is.

    Raises
    ------
    InvalidInput
        If options contradict each other or the trace.
    TraceError
        If the trace cannot be read to its end.
    """
    settings = settings or default_settings(trace)
    methods = [settings.policy.method, *beside]
    problem = _problem(trace, settings, methods)
    check_units(problem, fleet)
    margin: dict[str, Any] = {}
    if settings.promise == "tomorrow":
        borrowed, settings, fitted = prepare(problem, settings, fleet, advance)
        bare = replace(settings, policy=replace(settings.policy, method="replay"))
        without = evaluate(borrowed, fleet, bare, advance).row.machines
        margin = {
            "margin": fitted.margin,
            "margin_days": fitted.days,
            "machines_without_margin": without,
        }
        problem = replace(borrowed, assumptions=problem.assumptions)
    else:
        borrowed, settings = borrow(problem, settings, fleet)
    own = evaluate(borrowed, fleet, settings, advance, explain=True)
    rows = [own.row]
    for method in beside:
        if method != settings.policy.method and _able(method, problem):
            # What others do today knows no time of day; it is judged alike.
            today = replace(settings.policy, method=method, slots=1, groups=1)
            judge = settings.judged_by
            other = replace(settings, policy=today, judge=judge, threshold=None)
            rows.append(evaluate(problem, fleet, other, advance).row)
    refused = own.packing.unplaced
    return Plan(
        settings={**describe(settings, fleet, trace), "source": source},
        summary={**_summary(problem, own.packing, fleet), **margin},
        overload=own.overload,
        machines=_machines(own),
        unplaced=tuple(Unplaced(u.task, u.resource, u.reason) for u in refused),
        decisions=_decisions(own.packing),
        cleaning=problem.trace.cleaning.to_dict(),
        assumptions=tuple(borrowed.assumptions),
        warnings=tuple(problem.warnings),
        comparison=tuple(rows),
        timeline=own.judgement.timeline,
        command=command,
    )


def compare(
    trace: Trace,
    fleet: Fleet,
    methods: Sequence[str],
    rules: Sequence[str] = ("best-fit",),
    settings: Settings | None = None,
    *,
    workers: Where = 1,
    advance: Advance = lambda what, done, total: None,
) -> Comparison:
    """Plan a trace by several methods and rules and judge all alike.

    Parameters
    ----------
    workers
        Who makes the rows, see `open_workers`.

    Raises
    ------
    InvalidInput
        If a method needs what the trace does not have.
    """
    settings = settings or Settings()
    problem = _problem(trace, settings, methods)
    check_units(problem, fleet)
    if settings.policy.slots == 1 and carries_a_day(problem.trace):
        problem.warnings.append(
            "the trace carries a day, and tasks may rise together: --slots 24 keeps "
            "its rhythm, --judge aligned measures what independence hides"
        )
    every = []
    for method in dict.fromkeys(methods):
        slots = settings.policy.slots if parse_method(method)[0].slotted else 1
        for rule in rules:
            policy = replace(settings.policy, method=method, rule=rule, slots=slots)
            every.append(replace(settings, policy=policy, judge=settings.judged_by))
    rows = rows_of(problem, fleet, every, workers, advance)
    shown = describe(settings, fleet, trace)
    for key in ("method", "rule"):
        shown.pop(key)
    return Comparison(
        settings=shown,
        rows=rows,
        cleaning=problem.trace.cleaning.to_dict(),
        assumptions=tuple(problem.assumptions),
        warnings=tuple(problem.warnings),
    )


def default_settings(trace: Trace, settings: Settings | None = None) -> Settings:
    """Return settings that suit the trace: time-of-day slots where it has a rhythm."""
    settings = settings or Settings()
    if settings.promise == "tomorrow":
        return settings
    slotted = parse_method(settings.policy.method)[0].slotted
    slots = SLOTS if slotted and carries_a_day(trace) else 1
    return replace(settings, policy=replace(settings.policy, slots=slots))


def _problem(trace: Trace, settings: Settings, methods: Sequence[str]) -> Problem:
    problem = make_problem(
        trace,
        settings.selection,
        settings.spread,
        settings.policy.slots,
        shared="one-factor" in methods,
    )
    if any(method.split(":")[0] == "replay" for method in methods):
        problem = add_series(problem, MarginRule().window)
    return problem


def _able(method: str, problem: Problem) -> bool:
    return method != "requests" or all(
        t.usage["cpu"].request is not None for t in problem.tasks
    )


def _summary(problem: Problem, packing: Packing, fleet: Fleet) -> dict[str, Any]:
    return {
        "tasks": len(problem.tasks),
        "placed": sum(map(len, packing.tasks)),
        "machines": len(packing.machines),
        "spare": fleet.spare,
        "normalized_machines": normalized(packing, fleet),
        "mean_load_machines": load_machines(packing),
    }


def _machines(made: Evaluation) -> tuple[MachineUse, ...]:
    packing, overload_of = made.packing, made.judgement.overload
    rows = zip(packing.machines, packing.tasks, overload_of, strict=True)
    return tuple(
        MachineUse(
            machine=machine.name,
            type=machine.type,
            capacity=dict(machine.capacity),
            tasks=tuple(t.name for t in tasks),
            mean={
                resource: math.fsum(
                    t.usage[resource].mean for t in tasks if resource in t.usage
                )
                for resource in machine.capacity
            },
            overload=float(overload),
        )
        for machine, tasks, overload in rows
    )


def _decisions(packing: Packing) -> tuple[Decision, ...]:
    return tuple(
        _decision(task.name, machine, packing, task.usage["cpu"])
        for machine, tasks in zip(packing.machines, packing.tasks, strict=True)
        for task in tasks
    )


def _decision(name: str, machine: Machine, packing: Packing, usage: Usage) -> Decision:
    choice = packing.choices[name]
    refused = tuple(
        Refusal(packing.machines[number].name, verdict.resource, verdict.words)
        for number, verdict in choice.refused
    )
    return Decision(
        task=name,
        machine=machine.name,
        reach=choice.verdict.words,
        value=float(choice.verdict.value),
        limit=float(choice.verdict.limit),
        opened=choice.opened,
        refused=refused,
        mean=usage.mean,
        high=usage.percentile(99.9),
        observations=usage.observations,
        moved=name in packing.moved,
    )
