"""Arrivals and departures of periodic tasks: strategies side by side."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

import numpy as np
from scipy.special import stdtrit

from cotenant.colocate.periodic.policy import SlaPolicy
from cotenant.errors import InvalidInput
from cotenant.planning.sla.churn_results import Churn, ChurnRow, Interval
from cotenant.planning.sla.strategies import BASELINE, STRATEGIES, USUAL
from cotenant.sim.churn import Measured, churn
from cotenant.sim.requests import Load, Stream, draw_requests
from cotenant.workers import Where, mapped, open_workers

Advance: TypeAlias = Callable[[str, int, int], None]
_Job: TypeAlias = tuple[
    list[Stream], Load, dict[str, SlaPolicy], float, float, np.random.SeedSequence
]


def run_churn(
    streams: Sequence[Stream],
    load: Load,
    policy: SlaPolicy,
    *,
    strategies: Sequence[str] = USUAL,
    replicas: int = 10,
    measured: float = 2.0,
    seed: int = 0,
    workers: Where = 2,
    advance: Advance = lambda what, done, total: None,
) -> Churn:
    """Compare strategies on the same requests, replica by replica.

    Parameters
    ----------
    policy
        The strategy called ``given``.
    strategies
        Names in `STRATEGIES`; Liu-Layland first fit is added as the measure.
    measured
        How long to measure after a warm-up of one session, in longest sessions.
    workers
        Who runs the replicas, see `open_workers`; the result does not depend on it.

    Raises
    ------
    InvalidInput
        If a name or number is outside its range.
    """
    names = tuple(dict.fromkeys([BASELINE, *strategies]))
    for name in names:
        if name not in STRATEGIES:
            expected = ", ".join(STRATEGIES)
            raise InvalidInput(f"strategy is {name!r}; expected one of {expected}")
    if replicas < 1 or not measured > 0:
        raise InvalidInput(
            f"replicas are {replicas} and measured {measured:g} sessions; expected 1 "
            "or more, and above 0"
        )
    if not streams:
        raise InvalidInput("there is no stream to ask for")
    policies = {name: STRATEGIES[name](policy) for name in names}
    start = float(max(stream.length for stream in streams))
    end = start * (1.0 + measured)
    seeds = np.random.SeedSequence(seed).spawn(replicas)
    jobs = [(list(streams), load, policies, start, end, own) for own in seeds]
    with open_workers(workers, replicas) as opened:
        found = mapped(
            opened, _replica, jobs, advance=lambda d, n: advance("replicas", d, n)
        )
    settings = {
        **asdict(load),
        "streams": len(streams),
        "session_min": start / 60_000.0,
        "measured_min": (end - start) / 60_000.0,
        "replicas": replicas,
        "seed": seed,
        "given": _described(policy),
    }
    return Churn(settings, tuple(_row(name, found) for name in names))


def _replica(job: _Job) -> dict[str, Measured]:
    streams, load, policies, start, end, seed = job
    requests = list(draw_requests(load, streams, end, np.random.default_rng(seed)))
    return {
        name: churn(requests, policy, start, end, time.monotonic)
        for name, policy in policies.items()
    }


def _row(name: str, replicas: Sequence[Mapping[str, Measured]]) -> ChurnRow:
    runs = [replica[name] for replica in replicas]
    first = [replica[BASELINE] for replica in replicas]
    arrivals = sum(run.arrivals for run in runs)
    pairs = list(zip(runs, first, strict=True))
    return ChurnRow(
        strategy=name,
        efficiency=interval([_gain(r.wasted, f.wasted) for r, f in pairs]),
        efficiency_given=interval(
            [_gain(r.wasted_given, f.wasted_given) for r, f in pairs]
        ),
        machines=interval([run.machines for run in runs]),
        wasted=interval([run.wasted for run in runs]),
        peak=max(run.peak for run in runs),
        arrivals=arrivals / len(runs),
        rewrites_per_arrival=sum(run.tried for run in runs) / max(1, arrivals),
        changes_per_arrival=sum(run.changes for run in runs) / max(1, arrivals),
    )


def _gain(wasted: float, first: float) -> float:
    return 1.0 - wasted / first if first > 1e-9 else 0.0


def interval(values: Sequence[float]) -> Interval:
    """Return the mean of independent values with its 95 % interval."""
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return Interval(mean, None, None)
    # Student's t: replicas are independent and few.
    spread = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    half = float(stdtrit(len(values) - 1, 0.975)) * spread
    return Interval(mean, mean - half, mean + half)


def _described(policy: SlaPolicy) -> dict[str, Any]:
    values = asdict(policy)
    rewriting = values.pop("rewriting")
    return {**values, "rewrite": rewriting.pop("mode"), **rewriting}
