"""Other rules for the margin, chosen on some sets and tried on others.

Run as ``python -m cotenant.study.tomorrow.rules FOLDER``. What a day would have had at
a margin is read from its curve, so that no rule needs a plan of its own.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.colocate.margin import MarginRule
from cotenant.sim.backtest import Setting
from cotenant.sim.planners import Curve
from cotenant.study.tomorrow.cells import RHOS
from cotenant.study.tomorrow.methods import curves_by_replay
from cotenant.study.tomorrow.result import LEAST, MOST
from cotenant.study.tomorrow.sets import SETS, history_of

CHOSEN_ON = ("azure averages", "azure x3", "google job-days", "alibaba x2")
TRIED_ON = ("azure maxima", "bitbrains", "bitbrains x3")
RULE = MarginRule()
Fit: TypeAlias = Callable[[Sequence[FloatArray], float], float]
"""From the curves so far and rho to a margin."""


def average(curves: Sequence[FloatArray], rho: float) -> float:
    """Return the margin of the default."""
    return RULE.fit(curves, rho)


def recent(half_life: float) -> Fit:
    """Count a day by half after so many days."""

    def fit(curves: Sequence[FloatArray], rho: float) -> float:
        weights = 0.5 ** (np.arange(len(curves))[::-1] / half_life)
        return RULE.fit([np.average(curves, axis=0, weights=weights)], rho)

    return fit


def larger(curves: Sequence[FloatArray], rho: float) -> float:
    """Return the larger of what 28 days and what 7 days ask for."""
    return max(RULE.fit(curves, rho), RULE.fit(curves[-7:], rho))


def quantile(share: float) -> Fit:
    """Return the margin that would have done for this share of the days."""

    def fit(curves: Sequence[FloatArray], rho: float) -> float:
        needed = [RULE.fit([curve], rho) for curve in curves[-RULE.memory :]]
        return float(np.exp(np.quantile(np.log(needed), share)))

    return fit


@dataclass(frozen=True, slots=True)
class Tried:
    """A fit, and how far below none the correction may go."""

    fit: Fit
    lowest: float = 0.0


RULES = {
    "default": Tried(average),
    "recent days, half-life 5": Tried(recent(5.0)),
    "recent days, half-life 10": Tried(recent(10.0)),
    "larger of 28 and 7 days": Tried(larger),
    "enough for 60 % of the days": Tried(quantile(0.6)),
    "enough for 70 % of the days": Tried(quantile(0.7)),
    "correction down to -0.1": Tried(average, -0.1),
}


def follow(
    days: Sequence[Curve], rho: float, tried: Tried, burn_in: int
) -> tuple[float, float]:
    """Return overload over rho and machines that a rule has over days.

    The first `burn_in` days are not counted.
    """
    seen: list[FloatArray] = []
    correction, found = 0.0, []
    for day in days:
        fitted = tried.fit(seen, rho) if seen else RULE.first
        margin = min(max(1.0, fitted * np.exp(correction)), RULE.grid[-1])
        over, machines = (
            float(np.interp(np.log(margin), np.log(RULE.grid), values))
            for values in (day.overload, day.machines)
        )
        found.append((over / rho, machines))
        excess = min(over / rho, RULE.cap) - 1.0
        correction = max(correction + RULE.step * excess, tried.lowest)
        seen.append(day.overload)
    over, machines = np.mean(found[burn_in:], axis=0)
    return float(over), float(machines)


def curves_of(folder: str, name: str, rho: float) -> tuple[list[Curve], int]:
    """Return the curves of a set by day, and how many of them do not count."""
    one, history = SETS[name], history_of(folder, name)
    setting = Setting(one.capacity, rho, burn_in=one.burn_in, settled=True)
    curves = curves_by_replay()
    days = [d for d in range(1, history.days) if len(setting.tasks(history, d))]
    made = [curves.of(history, setting, day) for day in days]
    return made, sum(day < one.burn_in for day in days)


def main(folder: str) -> None:
    """Print for each rule and promise what it delivers, and costs against the default.

    Columns: rows that deliver half to 1.15 of the promise, mean, worst set, machines.
    """
    for names in (CHOSEN_ON, TRIED_ON):
        print(", ".join(names))
        for rho in RHOS:
            known = [curves_of(folder, name, rho) for name in names]
            runs = {
                rule: [follow(days, rho, tried, skip) for days, skip in known]
                for rule, tried in RULES.items()
            }
            for rule, run in runs.items():
                over, machines = np.transpose(run)
                cost = float((machines / np.transpose(runs["default"])[1]).mean()) - 1
                inside = int(((over >= LEAST) & (over <= MOST)).sum())
                print(
                    f"  {rho:<6g} {rule:28} {inside} of {len(over)}  {over.mean():.2f}"
                    f"  {over.max():.2f}  {cost:+.1%}"
                )


if __name__ == "__main__":
    main(sys.argv[1])
