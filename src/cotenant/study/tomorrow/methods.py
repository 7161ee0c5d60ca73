"""The methods of the study: the default, and what it stands beside."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import exp

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.colocate.margin import MarginRule
from cotenant.demand.task import Task
from cotenant.demand.usage import Hours, Usage, usages
from cotenant.sim.backtest import Planner, Setting
from cotenant.sim.history import History
from cotenant.sim.planners import (
    Base,
    Curves,
    Placing,
    Plain,
    Tomorrow,
    by_method,
    by_replay,
    first_fit,
)

WINDOW = MarginRule().window
DIVISORS = (1.0, 2.0, 4.0, 8.0, 16.0, 40.0, 100.0)
SCALES = 7  # equally likely factors of a scale mixture
# On the logarithm of rho, where feedback alone has a longer way to go than on a margin.
STEP = 0.1


@dataclass(slots=True)
class Adaptive:
    """Plans by an admission method at a rho that feedback alone moves, both ways.

    Adaptive conformal inference (Gibbs and Candes, 2021) on the logarithm of rho.
    """

    base: Base
    margin: float = 1.0

    def plan(self, history: History, setting: Setting, day: int) -> list[IntArray]:
        """Place the tasks of a day; the margin divides rho."""
        return self.base(history, setting, day)(self.margin)

    def learn(
        self, history: History, setting: Setting, day: int, overload: float
    ) -> None:
        """Divide rho by more after a day above it, by less after one below."""
        excess = min(overload / setting.rho, MarginRule().cap) - 1.0
        # No stricter than never, no looser than half of the time.
        loosest = 2.0 * setting.rho
        self.margin = min(max(self.margin * exp(STEP * excess), loosest), 1e6)


def by_mixture(history: History, setting: Setting, day: int) -> Placing:
    """Place by the exact test with drift: all tasks of a machine grow by one factor.

    The factor is one of the ratios of a task's day to the days before it that were seen
    in the window, at equally likely quantiles.
    """
    rows = setting.tasks(history, day)
    samples = setting.before(history, rows, day, setting.history)
    scales = drift(history, day)
    offsets = np.arange(len(rows) + 1, dtype=np.int64) * samples.shape[1]
    made = usages(offsets, samples.ravel(), np.ones(samples.size))
    tasks = [Task(str(i), {"cpu": scaled(u, scales)}) for i, u in enumerate(made)]
    orders = setting.arrivals(len(tasks), day)

    def placing(divisor: float) -> list[IntArray]:
        rho, slots = setting.rho / divisor, len(scales)
        return [
            first_fit(tasks, order, setting.capacity, "exact", rho, slots)
            for order in orders
        ]

    return placing


def drift(history: History, day: int) -> FloatArray:
    """Return quantiles of how tasks' daily means compared with the days before them."""
    means = history.usage.mean(axis=2)
    ratios = []
    for late in range(max(1, day - WINDOW), day):
        before = means[:, max(0, late - WINDOW) : late]
        known = history.present[:, late] & np.isfinite(before).any(axis=1)
        past = np.nanmean(before[known], axis=1)
        ratios.append(means[known, late][past > 0] / past[past > 0])
    seen = np.concatenate([*ratios, np.ones(1)])
    return np.asarray(np.quantile(seen, (np.arange(SCALES) + 0.5) / SCALES))


def scaled(usage: Usage, scales: FloatArray) -> Usage:
    """Return a usage that is larger by one of some factors, each equally likely.

    The factors take the place of hours: tasks are independent given the factor.
    """
    many = len(scales)
    hours = Hours(
        offsets=np.arange(many + 1, dtype=np.int64) * len(usage.values),
        values=np.outer(scales, usage.values).ravel(),
        weights=np.tile(usage.weights, many),
        mean=scales * usage.mean,
        variance=scales**2 * usage.variance,
    )
    values, weights = np.sort(hours.values), hours.weights / many
    order = np.argsort(hours.values, kind="stable")
    return replace(
        usage,
        mean=float(hours.mean.mean()),
        values=values,
        weights=weights[order],
        hours=hours,
    )


def curves_by_replay() -> Curves:
    """Return curves of replay with headroom, none made yet."""
    return Curves(by_replay(WINDOW), MarginRule().grid)


def methods(names: Sequence[str], curves: Curves) -> dict[str, Planner]:
    """Return planners by name, all for the history and setting of the curves."""
    exact, rule = by_method("exact"), MarginRule()
    divisors = replace(rule, grid=DIVISORS, first=1.0, step=0.0)
    known: dict[str, Callable[[], Planner]] = {
        "exact": lambda: Plain(exact),
        "replay": lambda: Plain(curves.base),
        "divisor": lambda: Tomorrow(divisors, Curves(exact, DIVISORS)),
        "mixture": lambda: Plain(by_mixture),
        "adaptive": lambda: Adaptive(exact),
        "fitted": lambda: Tomorrow(replace(rule, step=0.0), curves),
        "conservative": lambda: Tomorrow(MarginRule.cautious(), curves),
        "default": lambda: Tomorrow(rule, curves),
    }
    return {name: known[name]() for name in names}
