"""What a method delivered over the days of a backtest."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.sim.backtest import Day, Setting

RESAMPLES = 2_000


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


def row_of(method: str, days: Sequence[Day], setting: Setting) -> BacktestRow:
    """Return what a method delivered over all days."""
    found = by_day(days)
    means = [np.mean([d.overload for d in one]) for one in found.values()]
    delivered = np.array(means)
    shares = np.concatenate([d.overloaded / d.moments for d in days])
    moved = [d.moved for d in days if d.moved is not None]
    low, high = interval(delivered / setting.rho, setting.seed)
    return BacktestRow(
        method=method,
        days=len(found),
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


def daily_of(method: str, days: Sequence[Day]) -> list[DayRow]:
    """Return what a method delivered on each day."""
    return [
        DayRow(
            method=method,
            day=day,
            overload=float(np.mean([d.overload for d in one])),
            machines=float(np.mean([len(d.overloaded) for d in one])),
            margin=one[0].margin,
        )
        for day, one in by_day(days).items()
    ]


def by_day(days: Sequence[Day]) -> dict[int, list[Day]]:
    """Return the arrival orders of each day together."""
    found: dict[int, list[Day]] = {}
    for one in days:
        found.setdefault(one.day, []).append(one)
    return found


def interval(values: FloatArray, seed: int) -> tuple[float | None, float | None]:
    """Return a 95 % interval of the mean by resampling days; None of a single day."""
    if len(values) < 2:
        return None, None
    random = np.random.default_rng(seed)
    drawn = random.choice(values, (RESAMPLES, len(values))).mean(axis=1)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)
