"""The divisor of rho that would have kept a plan's promise on later data."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from cotenant.colocate.pack import Policy
from cotenant.errors import InvalidInput, TraceError
from cotenant.fleet import Fleet, MachineType
from cotenant.planning.evaluate import evaluate
from cotenant.planning.problem import Selection, make_problem
from cotenant.planning.results import Calibration, Trial
from cotenant.planning.settings import Settings
from cotenant.sim.replay import replay_aligned
from cotenant.traces.trace import Trace

LARGEST = 1_000.0
STEPS = 7  # halvings of the divisor's logarithm: to about 5 %


def calibrate(saved: Mapping[str, Any], history: Trace, later: Trace) -> Calibration:
    """Plan a history again with ever stricter thresholds and replay later data on each.

    Only tasks that are in both count.

    Parameters
    ----------
    saved
        The `settings` of the plan's JSON.
    history
        The trace the plan was made from.
    later
        What happened afterwards, time-aligned.

    Raises
    ------
    TraceError
        If no divisor up to 1,000 keeps the promise: the load has moved, and stricter
        tests of old data do not help.
    """
    if saved.get("promise") == "tomorrow":
        raise InvalidInput(
            "a plan for tomorrow carries a margin of its own; `cotenant backtest` says "
            "what it delivers"
        )
    settings, fleet = _restore(saved)
    # A task that is gone would make room that no stricter test has earned.
    there = set(later.names)
    gone = [name not in there for name in history.names]
    history = history.without(pl.Series(gone), "gone later")
    problem = make_problem(
        history, settings.selection, settings.spread, settings.policy.slots
    )
    rho = settings.policy.rho

    def trial(divisor: float) -> Trial:
        stricter = replace(settings, threshold=rho / divisor, judge="exact")
        packing = evaluate(problem, fleet, stricter, lambda *_: None).packing
        machine_of = {
            t.name: number for number, on in enumerate(packing.tasks) for t in on
        }
        capacity = [machine.capacity["cpu"] for machine in packing.machines]
        overload = replay_aligned(later, machine_of, capacity).judgement.overload
        return Trial(divisor, len(capacity), float(overload.mean()))

    trials = [trial(1.0)]
    if trials[0].overload > rho:
        trials += _search(trial, rho)
    kept = min((t for t in trials if t.overload <= rho), key=lambda t: t.divisor)
    return Calibration(rho, kept.divisor, tuple(sorted(trials, key=_divisor)))


def _search(trial: Callable[[float], Trial], rho: float) -> list[Trial]:
    strictest = trial(LARGEST)
    if strictest.overload > rho:
        raise TraceError(
            "the later data",
            f"is over capacity {strictest.overload:.3g} of the time even at rho / "
            f"{LARGEST:,.0f}; the load itself has moved, so plan it anew",
        )
    trials = [strictest]
    low, high = 0.0, math.log(LARGEST)
    for _ in range(STEPS):
        middle = (low + high) / 2
        trials.append(trial(math.exp(middle)))
        low, high = (middle, high) if trials[-1].overload > rho else (low, middle)
    return trials


def _divisor(trial: Trial) -> float:
    return trial.divisor


def _restore(saved: Mapping[str, Any]) -> tuple[Settings, Fleet]:
    policy = Policy(
        method=saved["method"],
        rule=saved["rule"],
        rho=saved["rho"],
        order=saved["order"],
        rebalance=saved["rebalance"],
        max_tasks=saved["max_tasks"],
        seed=saved["seed"],
        slots=saved["slots"],
        groups=saved["groups"],
    )
    selection = Selection(
        min_samples=saved["min_samples"],
        keep_short=saved["keep_short"],
        keep_failing=saved["keep_failing"],
        observe=saved["observe"],
        variance_factor=saved["variance_factor"],
    )
    if saved["fleet"] is None:
        fleet = Fleet.of_equal(saved["capacity"], saved["spare"])
    else:
        types = tuple(MachineType(**kind) for kind in saved["fleet"])
        fleet = Fleet(types, saved["spare"])
    return Settings(policy, selection, spread=saved["spread"]), fleet
