"""Plans each day from the days before it and measures the promise on that day."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.optimize import linear_sum_assignment

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels import margin as kernel
from cotenant.sim.history import History

PLAIN_DAYS = 7  # history of methods without a margin
WINDOW = 14  # days in which a task must fit a machine by itself


@dataclass(frozen=True, slots=True)
class Day:
    """One day of a backtest, one arrival order.

    Parameters
    ----------
    overloaded
        `(machines,)` moments above capacity.
    margin
        In force, 1 for methods without one.
    moved
        Share of the tasks of both days on another machine than the day before, machines
        of the two plans matched as well as can be; None on the first day.
    """

    day: int
    order: int
    overloaded: IntArray
    moments: int
    margin: float
    moved: float | None

    @property
    def overload(self) -> float:
        """Share of machine time above capacity."""
        return float(self.overloaded.mean()) / self.moments


@dataclass(frozen=True, slots=True)
class Setting:
    """What all methods of a backtest share.

    Parameters
    ----------
    capacity
        CPU capacity of every machine.
    rho
        The promise.
    orders
        Random arrival orders a day, the same for all methods.
    burn_in
        Days that are run but not counted.
    history
        Days that methods without a margin plan from.
    settled
        Whether only tasks that were there the day before, too, are planned.
    """

    capacity: float
    rho: float
    orders: int = 3
    burn_in: int = 7
    history: int = PLAIN_DAYS
    seed: int = 0
    settled: bool = False

    def tasks(self, history: History, day: int) -> IntArray:
        """Return the tasks of a day that some plan could promise anything.

        They are there on the day, and in the window were not above capacity by
        themselves more often than rho; none while nobody was there before the day.
        """
        there = history.there(day)
        if self.settled:
            there = np.intersect1d(there, history.there(day - 1))
        if not history.known(day).any():
            return there[:0]
        rows = self.before(history, there, day, WINDOW)
        alone = (rows > self.capacity * (1.0 + 1e-9)).mean(axis=1)
        return np.asarray(there[alone <= self.rho], dtype=np.int64)

    def before(
        self, history: History, tasks: IntArray, day: int, window: int
    ) -> FloatArray:
        """Return the `(tasks, moments)` that a day is planned from."""
        return history.before(tasks, day, window, self.seed)

    def arrivals(self, tasks: int, day: int) -> list[IntArray]:
        """Return the arrival orders of a day."""
        return [
            np.random.default_rng([self.seed, day, order]).permutation(tasks)
            for order in range(self.orders)
        ]


class Planner(Protocol):
    """Plans one day from the days before it, and may learn from how it went."""

    margin: float

    def plan(self, history: History, setting: Setting, day: int) -> list[IntArray]:
        """Return the machine of each task there on a day, an order at a time."""
        ...

    def learn(
        self, history: History, setting: Setting, day: int, overload: float
    ) -> None:
        """Take in a day that is over, and the overload measured on it."""
        ...


def backtest(
    history: History,
    setting: Setting,
    planner: Planner,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> list[Day]:
    """Plan every day from the days before it and measure it.

    Days on which no task is there, or before which none ever was, are passed over.
    """
    days: list[Day] = []
    last: list[tuple[IntArray, IntArray]] = []
    for day in range(1, history.days):
        tasks = setting.tasks(history, day)
        if not len(tasks):
            continue
        placements = planner.plan(history, setting, day)
        usage = history.usage[tasks, day]
        today = [
            Day(
                day=day,
                order=order,
                overloaded=_overloaded(usage, placed, setting),
                moments=history.moments,
                margin=planner.margin,
                moved=_moved(last[order], (tasks, placed)) if last else None,
            )
            for order, placed in enumerate(placements)
        ]
        last = [(tasks, placed) for placed in placements]
        if day >= setting.burn_in:
            days += today
        overload = float(np.mean([one.overload for one in today]))
        planner.learn(history, setting, day, overload)
        advance(day, history.days - 1)
    return days


def share_over(usage: FloatArray, placed: IntArray, setting: Setting) -> float:
    """Return the share of machine time above capacity on a day."""
    return float(_overloaded(usage, placed, setting).mean() / usage.shape[1])


def _overloaded(usage: FloatArray, placed: IntArray, setting: Setting) -> IntArray:
    machines = int(placed.max()) + 1
    return kernel.overloads(usage, placed, machines, setting.capacity)


def _moved(
    before: tuple[IntArray, IntArray], after: tuple[IntArray, IntArray]
) -> float:
    both, old, new = np.intersect1d(before[0], after[0], return_indices=True)
    if not len(both):
        return 0.0
    a, b = before[1][old], after[1][new]
    shared = np.zeros((int(a.max()) + 1, int(b.max()) + 1))
    np.add.at(shared, (a, b), 1)
    rows, columns = linear_sum_assignment(-shared)
    return float(1.0 - shared[rows, columns].sum() / len(both))
