"""A plan meant for tomorrow: replay with a margin fitted by backtest."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from cotenant.arrays import FloatArray
from cotenant.colocate.margin import MarginRule
from cotenant.demand.task import Task
from cotenant.errors import TraceError
from cotenant.fleet import Fleet
from cotenant.planning.problem import Problem
from cotenant.planning.settings import Settings
from cotenant.sim.backtest import Setting, Tomorrow, backtest
from cotenant.sim.history import History, read_history
from cotenant.traces.trace import Trace

LEAST_DAYS = 8  # from which a plan is for tomorrow unless told otherwise
CALIBRATED = 7  # curves from which a margin counts as calibrated
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

    Tasks that were not there on the last day are set aside, counted with their load.

    Raises
    ------
    InvalidInput
        If the trace carries no time.
    TraceError
        If it covers fewer than two days.
    """
    history = read_history(problem.trace)
    if history.days < 2:
        raise TraceError(problem.trace.source, "covers one day; expected at least two")
    there = history.present[:, -1]
    gone = pl.Series(~there)
    trace = problem.trace.without(gone, "gone_by_the_last_day")
    rule = MarginRule.cautious() if settings.conservative else MarginRule()
    fitted = _fit(history, settings, fleet, rule, advance)
    last = np.flatnonzero(there)
    series = dict(
        zip(last, history.before(last, history.days, rule.window), strict=True)
    )
    tasks = with_series(problem.tasks, {history.names[i]: series[i] for i in last})
    said = (
        f"for tomorrow: replay of the last {min(rule.window, history.days)} days with "
        f"margin {fitted.margin:.3g}, fitted on {fitted.days} days"
    )
    if fitted.days < CALIBRATED:
        said += " (not yet calibrated: fewer than seven)"
    kept = [s for s in problem.assumptions if "independent" not in s]
    policy = replace(settings.policy, method=f"replay:{fitted.margin:g}")
    changed = replace(problem, tasks=tasks, trace=trace, assumptions=[*kept, said])
    return changed, replace(settings, policy=policy), fitted


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
    margin = rule.margin(rule.fit(planner.curves, policy.rho), planner.correction)
    # Rounded up, so that it reads well and promises no less.
    return Fitted(math.ceil(margin * 1e4) / 1e4, len(planner.curves))


def _sample(history: History, seed: int) -> History:
    if len(history.names) <= SAMPLE:
        return history
    random = np.random.default_rng(seed)
    drawn = np.sort(random.choice(len(history.names), SAMPLE, replace=False))
    names = [history.names[i] for i in drawn]
    return History(names, history.usage[drawn], history.present[drawn])


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
