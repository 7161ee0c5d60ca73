"""From a trace to the tasks of a plan: what is in, set aside and assumed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from cotenant.demand.task import Task
from cotenant.demand.usage import Usage, usages
from cotenant.errors import InvalidInput, TraceError
from cotenant.fleet import Fleet
from cotenant.planning.rhythm import add_hours, shared_deviations
from cotenant.planning.room import check_room
from cotenant.traces.shelf import Shelf
from cotenant.traces.trace import Observe, Trace

FEW = 24  # samples below which a task's usage is hardly known; two hours of 5 minutes
LOUD = 0.1  # share of load set aside from which a warning is due


@dataclass(frozen=True, slots=True)
class Selection:
    """Which tasks of a trace are planned.

    Parameters
    ----------
    min_samples
        Tasks with fewer samples are short.
    keep_short, keep_failing
        Whether to plan short tasks, and evicted, failed, killed or lost ones.
    variance_factor
        For tasks known by interval averages only: their deviations from the mean are
        stretched until the variance is this many times what averages show.
    observe
        Decide on this many first samples of each task, or this fraction; judge on the
        rest. None to do both on all.
    """

    min_samples: int = 1
    keep_short: bool = False
    keep_failing: bool = False
    observe: Observe | None = None
    variance_factor: float = 1.0

    def __post_init__(self) -> None:
        if self.min_samples < 1:
            raise InvalidInput(f"min samples is {self.min_samples}; expected 1 or more")
        if not 1.0 <= self.variance_factor < 100.0:
            raise InvalidInput(
                f"variance factor is {self.variance_factor}; expected 1 or more"
            )


@dataclass(slots=True)
class Problem:
    """One set of tasks to place.

    Parameters
    ----------
    tasks
        In order of arrival.
    judged
        Usage to judge by, where that is not the usage decided on.
    trace
        The trace to replay when judging aligned.
    slots
        Time-of-day slots in which usage is known; 1 for none.
    assumptions, warnings
        Sentences for the reader of the plan.
    """

    tasks: list[Task]
    judged: Mapping[str, Usage] | None
    trace: Trace
    slots: int = 1
    assumptions: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def make_problem(
    trace: Trace,
    selection: Selection,
    spread: str | None = None,
    slots: int = 1,
    shared: bool = False,
) -> Problem:
    """Choose the tasks of a trace and work out their usage.

    Parameters
    ----------
    spread
        Name of the label column whose equal values are kept apart.
    slots
        Time-of-day slots in which usage is wanted; 1 for none.
    shared
        Whether to work out how far each task moves with the total.

    Raises
    ------
    InvalidInput
        If slots or the total are wanted of a trace without time, or memory is short.
    TraceError
        If nothing is left to plan.
    """
    trace = replace(
        select(trace, selection), stretch=math.sqrt(selection.variance_factor)
    )
    if trace.step_s is None and (slots > 1 or shared):
        raise InvalidInput(
            "the trace carries no time: it has no time-of-day slots and no common total"
        )
    check_room(trace, slots)
    decide = trace if selection.observe is None else trace.first(selection.observe)
    problem = Problem(_tasks(decide, spread, slots, shared), None, trace, slots)
    if selection.observe is not None:
        problem.trace = trace.rest(selection.observe)
        problem.judged = _cpu(problem.trace, None, slots, shared=False)
        unjudged = sum(t.name not in problem.judged for t in problem.tasks)
        if unjudged == len(problem.tasks):
            raise TraceError(
                trace.source,
                f"has no sample left to judge on after the first {selection.observe:g}",
            )
        if unjudged:
            problem.warnings.append(
                f"{unjudged:,} tasks have no sample left to judge them by"
            )
    _say(problem, trace, selection)
    return problem


def select(trace: Trace, selection: Selection) -> Trace:
    """Set aside tasks without load, short ones and failing ones, counted with load.

    Raises
    ------
    TraceError
        If no task is left.
    """
    trace = trace.without(trace.facts["zero"], "all_zero")
    if "failing" in trace.facts.columns and not selection.keep_failing:
        trace = trace.without(trace.facts["failing"].fill_null(False), "failing")
    if not selection.keep_short:
        short = trace.facts["samples"] < selection.min_samples
        trace = trace.without(short, "short")
    if not trace.facts.height:
        aside = ", ".join(f"{n} {r}" for r, n in trace.cleaning.tasks_dropped.items())
        raise TraceError(trace.source, f"leaves no task to plan; set aside: {aside}")
    return trace


def check_units(problem: Problem, fleet: Fleet) -> None:
    """Refuse a fleet whose memory is plainly in another unit than the trace's.

    Memory that nobody measured is warned about.

    Raises
    ------
    InvalidInput
        If memory capacity and usage differ by more than a million times.
    """
    capacity = fleet.types[0].capacity.get("memory")
    tasks = problem.tasks
    used = [t.usage["memory"].maximum for t in tasks if "memory" in t.usage]
    if capacity is not None and not used:
        problem.warnings.append(
            "machines have a memory capacity but the trace has no memory: it is ignored"
        )
    if capacity is None or not used or not max(used):
        return
    if not 1e-6 < max(used) / capacity < 1e6:
        raise InvalidInput(
            f"memory of a machine is {capacity:g} while tasks use up to {max(used):g}; "
            "give both in the same unit (bytes, or machine fractions)"
        )


def _tasks(trace: Trace, spread: str | None, slots: int, shared: bool) -> list[Task]:
    facts = {row["code"]: row for row in trace.facts.iter_rows(named=True)}
    cpu = _cpu(trace, facts, slots, shared)
    memory = _usages(trace, "memory", facts)
    tasks = []
    for code in facts:
        name = trace.store.names[code]
        if name not in cpu:
            continue
        usage = {"cpu": cpu[name]}
        if name in memory:
            usage["memory"] = memory[name]
        label = facts[code].get(spread) if spread else None
        tasks.append(Task(name, usage, label))
    return tasks


def _cpu(
    trace: Trace,
    facts: Mapping[int, Mapping[str, object]] | None,
    slots: int,
    shared: bool,
) -> dict[str, Usage]:
    known = _usages(trace, "cpu", facts)
    if slots > 1:
        hours = add_hours(known, trace, slots)
        known = {name: replace(u, hours=hours.get(name)) for name, u in known.items()}
    if shared:
        factor = shared_deviations(trace)
        known = {
            name: replace(u, shared=factor.get(name, 0.0)) for name, u in known.items()
        }
    return known


def _usages(
    trace: Trace, resource: str, facts: Mapping[int, Mapping[str, object]] | None = None
) -> dict[str, Usage]:
    found: dict[str, Usage] = {}
    # Of memory hardly more than the largest value is looked at.
    shelf = Shelf() if resource == "memory" and trace.store.files else None
    for series in trace.series("cpu" if resource == "cpu" else "memory"):
        names = [trace.store.names[code] for code in series.codes]
        requests = [
            _number(facts[code].get(f"{resource}_request")) if facts else None
            for code in series.codes
        ]
        weights = trace.weights(series)
        made = usages(series.offsets, series.values, weights)
        asked = [
            replace(usage, request=request)
            for usage, request in zip(made, requests, strict=True)
        ]
        if shelf:
            asked = [_put_away(usage, shelf) for usage in asked]
        found.update(zip(names, asked, strict=True))
    return found


def _put_away(usage: Usage, shelf: Shelf) -> Usage:
    values, weights = shelf.put(usage.values), shelf.put(usage.weights)
    return replace(usage, values=values, weights=weights)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _say(problem: Problem, trace: Trace, selection: Selection) -> None:
    said, warned = problem.assumptions, problem.warnings
    averaged = int(trace.facts["averaged"].sum())
    if averaged == trace.facts.height:
        said.append("interval averages, not instantaneous samples")
    else:
        said.append("instantaneous samples")
    if averaged and trace.stretch > 1.0:
        said.append(f"variance of averages times {selection.variance_factor:g}")
    elif averaged:
        warned.append(
            f"{averaged:,} of {trace.facts.height:,} tasks known by interval "
            "averages only: short peaks are smoothed away, so real overload is higher "
            "than promised (--variance-factor 1.7 restores what 5-minute averages "
            "lose on the paper's trace; `cotenant profile` measures it where it can)"
        )
    if problem.slots > 1:
        said.append(f"time-aligned, so {problem.slots} time-of-day slots")
        said.append("tasks independent within a slot")
    else:
        said.append("tasks independent of each other")
    if not trace.regular:
        said.append("irregular steps, so samples are weighted by how long they stand")
    if selection.observe is not None:
        said.append(
            f"decided on the first {selection.observe:g} of each task's samples"
        )
    counts = [t.usage["cpu"].observations for t in problem.tasks]
    said.append(f"each task known by {_range(counts)} samples")
    if trace.cleaning.unread:
        warned.append(
            f"{trace.cleaning.unread:,} files of the source were not read: they are "
            "not of the format that was recognised"
        )
    few = int((np.array(counts) < FEW).sum())
    if few:
        warned.append(
            f"{few:,} of {len(counts):,} tasks with fewer than {FEW} samples: what "
            f"they use is hardly known (--min-samples {FEW} sets them aside)"
        )
    lost = trace.cleaning.lost_share
    if lost > LOUD:
        reasons = ", ".join(trace.cleaning.tasks_dropped)
        warned.append(
            f"{lost:.0%} of the load was set aside ({reasons}) and needs machines too"
        )
    blind = sum("memory" not in t.usage for t in problem.tasks)
    if 0 < blind < len(problem.tasks):
        warned.append(f"{blind:,} tasks have no memory reading; memory ignores them")


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
