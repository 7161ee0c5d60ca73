"""The backtest of one day: how would it have gone with each margin?"""

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.colocate.margin import MarginRule
from cotenant.kernels import margin as kernel
from cotenant.service.keeping.measured import SLACK

SAMPLE = 500
"""Tasks of a backtest; more are drawn at random."""

ORDERS = 3


def backtest_curve(
    replayed: FloatArray,
    usage: FloatArray,
    capacity: float,
    rho: float,
    rule: MarginRule,
    seed: int,
) -> FloatArray | None:
    """Return the overload a day would have had at each margin of the grid.

    For each margin the tasks are packed anew, first fit in random orders, by what was
    replayed of them before the day. Tasks that exceed a machine by themselves are left
    out: no margin mends them.

    Parameters
    ----------
    replayed
        `(tasks, moments)` of the days before.
    usage
        `(tasks, moments)` of the day itself.
    capacity
        CPU of every machine.

    Returns
    -------
    `(margins,)`, None without any task.
    """
    random = np.random.default_rng(seed)
    alone = (replayed > capacity * (1.0 + SLACK)).mean(axis=1)
    able = np.flatnonzero(alone <= rho)
    if not len(able):
        return None
    able = random.permutation(able)[:SAMPLE]
    replayed, usage = replayed[able], usage[able]
    allowed = int(rho * replayed.shape[1] + 1e-9)
    orders = [random.permutation(len(able)) for _ in range(ORDERS)]
    curve = np.zeros(len(rule.grid))
    for number, margin in enumerate(rule.grid):
        for order in orders:
            placed = kernel.first_fit(replayed, order, capacity, margin, allowed)
            machines = int(placed.max()) + 1
            over = kernel.overloads(usage, placed, machines, capacity)
            curve[number] += over.mean() / usage.shape[1] / ORDERS
    return curve
