"""Was the promise kept on the next day? Methods side by side, day after day."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from cotenant.errors import InvalidInput, TraceError
from cotenant.fleet import Fleet
from cotenant.planning.days import planner_of, work_out
from cotenant.planning.delivered import BacktestRow, DayRow, daily_of, row_of
from cotenant.planning.problem import Selection, select
from cotenant.planning.results import API_VERSION, Json
from cotenant.sim.backtest import Setting, backtest
from cotenant.sim.history import History, read_history
from cotenant.traces.trace import Trace
from cotenant.workers import Where

BURN_IN = 7  # days run but not counted, where the trace is long enough
CALIBRATED = 7  # days tested from which a share of days says something


@dataclass(frozen=True, slots=True)
class Backtest:
    """What each method delivered on days it had not seen."""

    settings: Mapping[str, Any]
    rows: tuple[BacktestRow, ...]
    daily: tuple[DayRow, ...]
    cleaning: Mapping[str, Any]
    warnings: tuple[str, ...]

    def to_dict(self) -> Json:
        """Return the JSON of `cotenant backtest -o json`."""
        return {
            "apiVersion": API_VERSION,
            "kind": "Backtest",
            "settings": dict(self.settings),
            "rows": [asdict(row) for row in self.rows],
            "daily": [asdict(row) for row in self.daily],
            "cleaning": dict(self.cleaning),
            "warnings": list(self.warnings),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row a method."""
        return pl.DataFrame([asdict(row) for row in self.rows])


def run_backtest(
    trace: Trace,
    fleet: Fleet,
    methods: Sequence[str],
    rho: float,
    *,
    history: int = 7,
    orders: int = 3,
    seed: int = 0,
    selection: Selection | None = None,
    label: str | None = None,
    workers: Where = 1,
    advance: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Backtest:
    """Plan each day of a trace from the days before it and measure the next day.

    Parameters
    ----------
    methods
        ``tomorrow`` (replay of 14 days with a margin fitted on past days),
        ``tomorrow:conservative``, or any admission method; those plan from the last
        `history` days, first fit.
    orders
        Random arrival orders a day, the same for all methods.
    label
        Column with a class, owner or service: newcomers take a donor of the same.
    workers
        Who works out the days, see `open_workers`.

    Raises
    ------
    InvalidInput
        If the trace carries no time, the fleet is mixed, or a method is unknown.
    TraceError
        If it covers too few days.
    """
    if len(fleet.types) > 1:
        raise InvalidInput("backtest needs equal machines: --machine or --capacity")
    for name, value in (("history", history), ("orders", orders)):
        if value < 1:
            raise InvalidInput(f"{name} is {value}; expected 1 or more")
    trace = select(trace, selection or Selection())
    cube = read_history(trace, label)
    if cube.days < 2:
        raise TraceError(trace.source, "covers one day; expected at least two")
    burn_in = min(BURN_IN, cube.days // 3)
    capacity = fleet.types[0].capacity["cpu"]
    setting = Setting(capacity, rho, orders, burn_in, history, seed)
    rows, daily = [], []
    known = work_out(methods, cube, setting, workers, advance)
    for method in methods:
        days = backtest(cube, setting, planner_of(method, known))
        if not days:
            raise TraceError(
                trace.source, "has no two days in a row with the same tasks to compare"
            )
        rows.append(row_of(method, days, setting))
        daily += daily_of(method, days)
    settings = {
        "rho": rho,
        "capacity": dict(fleet.types[0].capacity),
        "days": cube.days,
        "burn_in": burn_in,
        "history": history,
        "orders": orders,
        "seed": seed,
        "tasks": len(cube.names),
        "moments_a_day": cube.moments,
    }
    warnings = _warnings(cube, setting, rows[0].days)
    cleaning = trace.cleaning.to_dict()
    return Backtest(settings, tuple(rows), tuple(daily), cleaning, tuple(warnings))


def _warnings(history: History, setting: Setting, tested: int) -> list[str]:
    warnings: list[str] = []
    hopeless: set[int] = set()
    new: set[int] = set()
    for day in range(1, history.days):
        known = history.known(day)
        if known.any():
            planned = setting.tasks(history, day)
            hopeless |= set(np.setdiff1d(history.there(day), planned).tolist())
            new |= set(planned[~known[planned]].tolist())
    if hopeless:
        warnings.append(
            f"{len(hopeless)} tasks exceed a machine by themselves on some days, which "
            "no plan can mend; they are left out on those days"
        )
    if tested < CALIBRATED:
        warnings.append(f"only {tested} days were tested: shares of days say little")
    if new:
        warnings.append(
            f"{len(new)} tasks were planned on the usage of a donor on the day they "
            "came, without a day of history"
        )
    return warnings
