"""Was the promise kept on the next day? Methods side by side, day after day."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from cotenant.arrays import FloatArray
from cotenant.errors import InvalidInput, TraceError
from cotenant.fleet import Fleet
from cotenant.planning.days import planner_of, work_out
from cotenant.planning.problem import Selection, select
from cotenant.planning.results import API_VERSION, Json
from cotenant.sim.backtest import Day, Setting, backtest
from cotenant.sim.history import History, read_history
from cotenant.traces.trace import Trace
from cotenant.workers import Where

RESAMPLES = 2_000
BURN_IN = 7  # days run but not counted, where the trace is long enough
CALIBRATED = 7  # days tested from which a share of days says something


@dataclass(frozen=True, slots=True)
class BacktestRow:
    """One method over all days tested; shares and frequencies are fractions.

    Parameters
    ----------
    days
        Days tested.
    overload_over_rho
        Average over days of the share of machine time above capacity, over rho.
    low, high
        Its 95 % interval, by resampling days; None of a single day.
    days_above_rho, machine_days_above_rho
        Share of days, and of machine-days, that were above rho.
    worst_machine_day
        Largest share of a day that one machine was above capacity.
    machines
        On average.
    moved_share
        Share of tasks on another machine than the day before, machines matched; None
        of a single day.
    margin
        On average; 1 for methods without one.
    """

    method: str
    days: int
    overload_over_rho: float
    low: float | None
    high: float | None
    days_above_rho: float
    machine_days_above_rho: float
    worst_machine_day: float
    machines: float
    moved_share: float | None
    margin: float


@dataclass(frozen=True, slots=True)
class DayRow:
    """One method on one day: what was delivered, on how many machines."""

    method: str
    day: int
    overload: float
    machines: float
    margin: float


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
    cube = read_history(trace)
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
        rows.append(_row(method, days, setting))
        daily += _daily(method, days)
    tested = rows[0].days
    warnings = []
    hopeless = {
        name for day in range(1, cube.days) for name in _hopeless(cube, setting, day)
    }
    if hopeless:
        warnings.append(
            f"{len(hopeless)} tasks exceed a machine by themselves on some days, which "
            "no plan can mend; they are left out on those days"
        )
    if tested < CALIBRATED:
        warnings.append(f"only {tested} days were tested: shares of days say little")
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
    cleaning = trace.cleaning.to_dict()
    return Backtest(settings, tuple(rows), tuple(daily), cleaning, tuple(warnings))


def _hopeless(history: History, setting: Setting, day: int) -> list[str]:
    left_out = np.setdiff1d(history.there(day), setting.tasks(history, day))
    return [history.names[i] for i in left_out]


def _row(method: str, days: Sequence[Day], setting: Setting) -> BacktestRow:
    by_day = _by_day(days)
    means = [np.mean([d.overload for d in one]) for one in by_day.values()]
    delivered = np.array(means)
    shares = np.concatenate([d.overloaded / d.moments for d in days])
    moved = [d.moved for d in days if d.moved is not None]
    low, high = _interval(delivered / setting.rho, setting.seed)
    return BacktestRow(
        method=method,
        days=len(by_day),
        overload_over_rho=float(delivered.mean() / setting.rho),
        low=low,
        high=high,
        days_above_rho=float((delivered > setting.rho).mean()),
        machine_days_above_rho=float((shares > setting.rho).mean()),
        worst_machine_day=float(shares.max()),
        machines=float(np.mean([len(d.overloaded) for d in days])),
        moved_share=float(np.mean(moved)) if moved else None,
        margin=float(np.mean([d.margin for d in days])),
    )


def _daily(method: str, days: Sequence[Day]) -> list[DayRow]:
    return [
        DayRow(
            method=method,
            day=day,
            overload=float(np.mean([d.overload for d in one])),
            machines=float(np.mean([len(d.overloaded) for d in one])),
            margin=one[0].margin,
        )
        for day, one in _by_day(days).items()
    ]


def _by_day(days: Sequence[Day]) -> dict[int, list[Day]]:
    found: dict[int, list[Day]] = {}
    for one in days:
        found.setdefault(one.day, []).append(one)
    return found


def _interval(values: FloatArray, seed: int) -> tuple[float | None, float | None]:
    if len(values) < 2:
        return None, None
    random = np.random.default_rng(seed)
    drawn = random.choice(values, (RESAMPLES, len(values))).mean(axis=1)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)
