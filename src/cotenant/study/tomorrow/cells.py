"""Cells of the study of tomorrow: one set, one promise, all methods of a part."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from cotenant.sim.backtest import Day, Planner, Setting, backtest
from cotenant.sim.history import History
from cotenant.sim.planners import Curves
from cotenant.study.tomorrow.methods import curves_by_replay, methods
from cotenant.study.tomorrow.scenarios import growth, level_shift, renewal
from cotenant.study.tomorrow.sets import SETS, history_of

RHOS = (0.1, 0.01, 0.001)
METHODS = (
    "exact",
    "replay",
    "divisor",
    "mixture",
    "adaptive",
    "fitted",
    "conservative",
    "default",
)
FEW = ("exact", "replay", "fitted", "conservative", "default")
SCENARIO_SET = "azure x3"
SHIFT_DAY = 12
PARTS = ("sets", "shift", "growth", "newcomers")


@dataclass(frozen=True, slots=True)
class Cell:
    """One set, or one scenario on it, at one promise.

    Parameters
    ----------
    name
        A name in `SETS`.
    orders
        Random arrival orders a day.
    """

    part: str
    name: str
    rho: float
    folder: str
    orders: int
    seed: int

    def text(self) -> str:
        """Return the cell as text, for a file of finished ones."""
        return json.dumps(asdict(self), sort_keys=True)


def cells_of(
    parts: Sequence[str], folder: str, orders: int, seed: int
) -> Iterator[Cell]:
    """Yield the cells of the parts, the longest first."""
    for part in parts:
        names = sorted(SETS, key=lambda n: -len(SETS[n].shifts))
        for name in names if part == "sets" else [SCENARIO_SET]:
            for rho in RHOS:
                yield Cell(part, name, rho, folder, orders, seed)


def run_cell(text: str) -> dict[str, Any]:
    """Run a cell: what each method delivered by day, and the best fixed margin."""
    cell = Cell(**json.loads(text))
    history = _history(cell)
    new = cell.part == "newcomers"
    setting = Setting(
        capacity=SETS[cell.name].capacity,
        rho=cell.rho,
        orders=cell.orders,
        burn_in=SETS[cell.name].burn_in,
        seed=cell.seed,
        settled=not new,
    )
    curves = curves_by_replay()
    planners = methods(METHODS if cell.part == "sets" else FEW, curves)
    daily = {name: _run(history, setting, one) for name, one in planners.items()}
    tested = [int(day["day"]) for day in daily["default"]]
    return {"daily": daily, "hindsight": hindsight(curves, tested, cell.rho)}


def _history(cell: Cell) -> History:
    history = history_of(cell.folder, cell.name)
    if cell.part == "shift":
        return level_shift(history, SHIFT_DAY, cell.seed)
    if cell.part == "growth":
        return growth(history)
    if cell.part == "newcomers":
        return renewal(history, cell.seed)
    return history


def _run(
    history: History, setting: Setting, planner: Planner
) -> list[dict[str, float]]:
    by_day: dict[int, list[Day]] = {}
    for one in backtest(history, setting, planner):
        by_day.setdefault(one.day, []).append(one)
    return [_told(day, orders, setting.rho) for day, orders in by_day.items()]


def _told(day: int, orders: Sequence[Day], rho: float) -> dict[str, float]:
    shares = np.concatenate([one.overloaded / one.moments for one in orders])
    return {
        "day": day,
        "overload": float(np.mean([one.overload for one in orders])),
        "machines": len(shares) / len(orders),
        "margin": orders[0].margin,
        "above": float((shares > rho).mean()),
        "worst": float(shares.max()),
    }


def hindsight(curves: Curves, tested: Sequence[int], rho: float) -> float:
    """Return the machines that the best fixed margin would have needed.

    It is the smallest that keeps the promise on average over the days tested. Between
    two margins of the grid stands a choice at random between both plans.
    """
    days = [curves.made[day] for day in tested]
    over = np.mean([curve.overload for curve in days], axis=0)
    machines = np.mean([curve.machines for curve in days], axis=0)
    keeping = np.flatnonzero(over <= rho)
    at = int(keeping[0]) if len(keeping) else len(over) - 1
    share = 1.0
    if at and over[at] <= rho:
        share = float((over[at - 1] - rho) / (over[at - 1] - over[at]))
    before = max(at - 1, 0)
    return float(machines[before] + share * (machines[at] - machines[before]))
