"""Who plans the next day: by replay with a fitted margin, or by a method as it is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.colocate.margin import MarginRule
from cotenant.colocate.pack import Policy, pack
from cotenant.demand.task import Task
from cotenant.demand.usage import usages
from cotenant.fleet import Fleet
from cotenant.kernels import margin as kernel
from cotenant.sim.backtest import Setting, share_over
from cotenant.sim.history import History

Placing: TypeAlias = Callable[[float], list[IntArray]]
"""From a margin to the machine of each task, an arrival order at a time."""
Base: TypeAlias = Callable[[History, Setting, int], Placing]
"""Makes the placing of a day, from the days before it."""


def by_replay(window: int) -> Base:
    """Place by replay of the last days with headroom."""

    def base(history: History, setting: Setting, day: int) -> Placing:
        tasks = setting.tasks(history, day)
        rows = setting.before(history, tasks, day, window)
        allowed = int(setting.rho * rows.shape[1] + 1e-9)
        orders = setting.arrivals(len(tasks), day)
        return lambda margin: [
            kernel.first_fit(rows, order, setting.capacity, margin, allowed)
            for order in orders
        ]

    return base


def by_method(method: str) -> Base:
    """Place by an admission method at rho over the margin, a divisor then."""

    def base(history: History, setting: Setting, day: int) -> Placing:
        rows = setting.tasks(history, day)
        samples = setting.before(history, rows, day, setting.history)
        offsets = np.arange(len(rows) + 1, dtype=np.int64) * samples.shape[1]
        made = usages(offsets, samples.ravel(), np.ones(samples.size))
        tasks = [Task(str(i), {"cpu": usage}) for i, usage in enumerate(made)]
        orders = setting.arrivals(len(tasks), day)
        return lambda divisor: [
            first_fit(tasks, order, setting.capacity, method, setting.rho / divisor)
            for order in orders
        ]

    return base


def first_fit(
    tasks: Sequence[Task],
    order: IntArray,
    capacity: float,
    method: str,
    rho: float,
    slots: int = 1,
) -> IntArray:
    """Return the machine of each task, named by its number, taken in an order.

    A task that breaks the promise alone gets a machine of its own.
    """
    policy = Policy(method, "first-fit", rho, slots=slots)
    packing = pack([tasks[i] for i in order], Fleet.of_equal({"cpu": capacity}), policy)
    placed = np.full(len(tasks), -1, dtype=np.int64)
    for number, on in enumerate(packing.tasks):
        for task in on:
            placed[int(task.name)] = number
    alone = np.flatnonzero(placed < 0)
    placed[alone] = len(packing.tasks) + np.arange(len(alone))
    return placed


@dataclass(frozen=True, slots=True)
class Curve:
    """What a day would have had at each margin of a grid, on average over orders.

    Parameters
    ----------
    overload, machines
        `(margins,)`
    """

    overload: FloatArray
    machines: FloatArray


@dataclass(slots=True)
class Curves:
    """The curves of one history and setting, each made once, whoever asks for it."""

    base: Base
    grid: Sequence[float]
    made: dict[int, Curve] = field(default_factory=dict)

    def of(self, history: History, setting: Setting, day: int) -> Curve:
        """Return the curve of a day that is over."""
        if day not in self.made:
            placing = self.base(history, setting, day)
            usage = history.usage[setting.tasks(history, day), day]
            plans = [placing(margin) for margin in self.grid]
            over = [[share_over(usage, p, setting) for p in each] for each in plans]
            machines = [[p.max() + 1 for p in each] for each in plans]
            self.made[day] = Curve(
                np.mean(over, axis=1), np.mean(machines, axis=1, dtype=np.float64)
            )
        return self.made[day]


class Tomorrow:
    """Plans with the margin that past days asked for, and its correction.

    Parameters
    ----------
    rule
        How the margin is found; the plan of a day uses what was known before it.
    curves
        Made elsewhere too, where planners share them; else by replay.
    """

    def __init__(
        self, rule: MarginRule | None = None, curves: Curves | None = None
    ) -> None:
        self.rule = rule or MarginRule()
        self._made = curves or Curves(by_replay(self.rule.window), self.rule.grid)
        self.curves: list[FloatArray] = []
        self.correction = 0.0
        self.margin = 1.0

    def plan(self, history: History, setting: Setting, day: int) -> list[IntArray]:
        """Place the tasks of a day with the margin known before it."""
        self.margin = self.now(setting.rho)
        return self._made.base(history, setting, day)(self.margin)

    def learn(
        self, history: History, setting: Setting, day: int, overload: float
    ) -> None:
        """Take in the curve of the day, and correct by what was measured."""
        self.curves.append(self._made.of(history, setting, day).overload)
        self.correction = self.rule.correct(self.correction, overload, setting.rho)

    def now(self, rho: float) -> float:
        """Return the margin that the days so far ask for."""
        return self.rule.margin(self.rule.fit(self.curves, rho), self.correction)


@dataclass(slots=True)
class Plain:
    """Plans with the same margin every day.

    Parameters
    ----------
    base
        How tasks are placed.
    """

    base: Base
    margin: float = 1.0

    def plan(self, history: History, setting: Setting, day: int) -> list[IntArray]:
        """Place the tasks of a day."""
        return self.base(history, setting, day)(self.margin)

    def learn(
        self, history: History, setting: Setting, day: int, overload: float
    ) -> None:
        """Learn nothing."""
