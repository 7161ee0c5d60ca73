"""Slow and obvious answers that kernels and engines are judged by."""

import itertools
import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from cotenant.demand.usage import Usage


def enumerated_overload(usages: Sequence[Usage], capacity: float) -> float:
    """Sum the probability of every combination of values strictly above capacity."""
    total = 0.0
    choices = [list(zip(u.values, u.weights, strict=True)) for u in usages]
    for combination in itertools.product(*choices):
        load = math.fsum(value for value, _ in combination)
        if load > capacity * (1.0 + 1e-9):
            total += math.prod(weight for _, weight in combination)
    return min(total, 1.0)


def gaussian_fits(usages: Sequence[Usage], capacity: float, rho: float) -> bool:
    """Evaluate the paper's formula directly."""
    z = NormalDist().inv_cdf(1.0 - rho)
    mean = sum(u.mean for u in usages)
    spread = math.sqrt(sum(u.variance for u in usages))
    return mean + z * spread <= capacity


def brute_rule(fits: Sequence[bool], key: Sequence[float]) -> int | None:
    """Pick by looking at every machine: the largest key, the first on a tie."""
    best = None
    for machine, fit in enumerate(fits):
        if fit and (best is None or key[machine] > key[best]):
            best = machine
    return best


def naive_pack(
    sizes: Sequence[tuple[float, float]], capacity: float, rho: float, best: bool
) -> list[int]:
    """Pack (mean, variance) pairs by the Gaussian test, machine after machine."""
    z = NormalDist().inv_cdf(1.0 - rho)
    machines: list[list[tuple[float, float]]] = []
    placed = []
    for size in sizes:
        able = []
        for number, held in enumerate(machines):
            together = [*held, size]
            level = sum(m for m, _ in together) + z * math.sqrt(
                sum(v for _, v in together)
            )
            if level <= capacity:
                able.append(number)
        if not able:
            machines.append([size])
            placed.append(len(machines) - 1)
            continue
        loads = {k: sum(m for m, _ in machines[k]) for k in able}
        chosen = max(able, key=lambda k: (loads[k], -k)) if best else able[0]
        machines[chosen].append(size)
        placed.append(chosen)
    return placed


def replayed_overload(
    rows: Sequence[tuple[str, int, float]], machine_of: dict[str, int], capacity: float
) -> dict[int, float]:
    """Add up complete (task, moment, usage) rows and count moments above capacity."""
    moments = {moment for _, moment, _ in rows}
    loads: dict[tuple[int, int], float] = {}
    for task, moment, usage in rows:
        key = machine_of[task], moment
        loads[key] = loads.get(key, 0.0) + usage
    machines = set(machine_of.values())
    return {
        m: np.mean([loads.get((m, t), 0.0) > capacity + 1e-9 for t in moments])
        for m in machines
    }
