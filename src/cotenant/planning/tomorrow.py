"""A plan meant for tomorrow: replay with a margin fitted by backtest."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from cotenant.arrays import BoolArray, FloatArray
from cotenant.colocate.margin import MarginRule
from cotenant.demand.task import Task
from cotenant.errors import TraceError
from cotenant.fleet import Fleet
from cotenant.planning.problem import Problem
from cotenant.planning.room import check
from cotenant.planning.settings import Settings
from cotenant.sim.backtest import Setting, backtest
from cotenant.sim.history import History, read_history
from cotenant.sim.planners import Tomorrow
from cotenant.traces.trace import Trace

LEAST_DAYS = 8  # from which a plan is for tomorrow unless told otherwise
CALIBRATED = 7  # curves from which a margin counts as calibrated
LATELY_S = 3600.0  # measured so shortly before the end, a task is still running
SAMPLE = 500  # tasks that the margin is fitted on, drawn where there are more


@dataclass(frozen=True, slots=True)
class Fitted:
    """The margin in force, and the days it rests on."""

    margin: float
    days: int


def covers_days(trace: Trace) -> bool:
    """Say whether a trace is long enough to plan for tomorrow by default."""
    if trace.step_s is None:
        return False
    start, end = (trace.facts[name].to_numpy() for name in ("start", "end"))
    length = np.nanmax(end) - np.nanmin(start) + trace.step_s
    return bool(length >= LEAST_DAYS * 86_400.0)


def prepare(
    problem: Problem,
    settings: Settings,
    fleet: Fleet,
    advance: Callable[[str, int, int], None],
) -> tuple[Problem, Settings, Fitted]:
    """Give every task its aligned history, and fit the margin on past days.

    Tasks that are gone on the last day are set aside, counted with their load. Those
    that came too late to have a day of history take that of a donor.

    Raises
    ------
    InvalidInput
        If the trace carries no time, or memory is short.
    TraceError
        If it covers fewer than two days, or no task was there for half of one.
    """
    source = problem.trace.source
    history = read_history(problem.trace, settings.spread)
    if history.days < 2:
        raise TraceError(source, "covers one day; expected at least two")
    known = history.known(history.days)
    if not known.any():
        raise TraceError(source, "has no task that was there for half of any day")
    there = history.present[:, -1] | _running(problem.trace)
    trace = problem.trace.without(pl.Series(~there), "gone_by_the_last_day")
    rule = MarginRule.cautious() if settings.conservative else MarginRule()
    fitted = _fit(history, settings, fleet, rule, advance)
    last = np.flatnonzero(there)
    recent = min(rule.window, history.days) * history.moments
    check(8.0 * recent * len(last), len(last))
    rows = history.before(last, history.days, rule.window, settings.policy.seed)
    series = {history.names[i]: row for i, row in zip(last, rows, strict=True)}
    tasks = with_series(problem.tasks, series)
    said = [
        f"for tomorrow: replay of the last {min(rule.window, history.days)} days with "
        f"margin {fitted.margin:.3g}, fitted on {fitted.days} days"
    ]
    if fitted.days < CALIBRATED:
        said[0] += " (not yet calibrated: fewer than seven)"
    new = int((there & ~known).sum())
    if new:
        said.append(
            f"{new:,} task{'s' * (new != 1)} without a day of history on the usage of "
            "a donor (of the same label or a like request where known)"
        )
    kept = [s for s in problem.assumptions if "independent" not in s]
    policy = replace(settings.policy, method=f"replay:{fitted.margin:g}")
    changed = replace(problem, tasks=tasks, trace=trace, assumptions=[*kept, *said])
    return changed, replace(settings, policy=policy), fitted


def _running(trace: Trace) -> BoolArray:
    """Say which tasks were still measured when the trace ended."""
    end = trace.facts["end"].to_numpy()
    return np.asarray(end >= end.max() - max(LATELY_S, 2.0 * (trace.step_s or 0.0)))


def _fit(
    history: History,
    settings: Settings,
    fleet: Fleet,
    rule: MarginRule,
    advance: Callable[[str, int, int], None],
) -> Fitted:
    policy = settings.policy
    capacity = fleet.usable()[0][0].capacity["cpu"]
    planner = Tomorrow(rule)
    sample = _sample(history, policy.seed)
    setting = Setting(capacity, policy.rho, seed=policy.seed)
    backtest(sample, setting, planner, lambda d, n: advance("fitting the margin", d, n))
    # Rounded up, so that it reads well and promises no less.
    margin = math.ceil(planner.now(policy.rho) * 1e4) / 1e4
    return Fitted(margin, len(planner.curves))


def _sample(history: History, seed: int) -> History:
    if len(history.names) <= SAMPLE:
        return history
    random = np.random.default_rng(seed)
    drawn = random.choice(len(history.names), SAMPLE, replace=False)
    return history.some(np.sort(drawn))


def add_series(problem: Problem, window: int) -> Problem:
    """Give every task its aligned usage of the last days; 0 where it was not there."""
    history = read_history(problem.trace)
    recent = np.nan_to_num(history.usage[:, -window:])
    flat = recent.reshape(len(history.names), -1)
    series = dict(zip(history.names, flat, strict=True))
    return replace(problem, tasks=with_series(problem.tasks, series))


def with_series(tasks: list[Task], series: Mapping[str, FloatArray]) -> list[Task]:
    """Return the tasks that have a series, with it."""
    return [
        replace(
            task,
            usage={
                **task.usage,
                "cpu": replace(task.usage["cpu"], series=series[task.name]),
            },
        )
        for task in tasks
        if task.name in series
    ]
