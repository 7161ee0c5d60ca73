"""Periodic SLAs: admission of one task, a file of 20,000, and what rewriting is worth.

The static experiment: 200 tasks of 3 to 15 % of a host arrive one after the other,
periods are 1 to 10 times 400, 500 or 533 ticks, twelve seeds; of the fluid variant half
may be supplied one base period earlier or later. Rewritten periods are 400 ticks or
more. Efficiency is 1 - wasted / wasted of Liu-Layland first fit. By the paper's means:
the harmonic test and Theorems 1 and 3, where a task that fits nowhere has one host
repacked for it and nobody moves; with migration they reach far more.
"""

import math
import time
from collections.abc import Callable

import numpy as np

from benchmarks.timing import best
from cotenant.colocate.periodic.candidates import Rewriting
from cotenant.colocate.periodic.host_tests import ResponseTimeAdmission
from cotenant.colocate.periodic.placer import SlaPlacer
from cotenant.colocate.periodic.policy import SlaPolicy
from cotenant.demand.sla import Sla
from cotenant.planning.sla.place import place_slas

BASES = (400, 500, 533)
LEAST = 400
SEEDS = 12


def tasks(count: int, seed: int, fluid: bool) -> dict[str, Sla]:
    random = np.random.default_rng(seed)
    made = {}
    for number in range(count):
        base = BASES[random.integers(3)]
        period = base * int(random.integers(1, 11))
        budget = math.ceil(period * random.uniform(0.03, 0.15))
        low = high = None
        if fluid and random.random() < 0.5:
            low, high = max(1, period - base), period + base
        made[f"t{number}"] = Sla(budget, period, 0, 1, low, high)
    return made


def admission() -> None:
    hosts = ResponseTimeAdmission()
    for number in range(4_000):
        hosts.grow(number)
        for sla in tasks(12, number, False).values():
            if hosts.verdict(number, sla).fits:
                hosts.add(number, sla)
    asked = [sla for sla in tasks(60, 10**6, False).values() if sla.utilization < 0.1]

    def ask() -> None:
        # A new period each time, so that nothing is known of refusals.
        sla = asked.pop()
        hosts.fits(Sla(sla.budget, sla.period + len(asked)))

    ask()
    fullness = float(hosts.fullness().mean())
    seconds = best(ask, 20, time.process_time)
    print(
        f"  one task, 4,000 hosts {fullness:.0%} full: {seconds * 1e3:.2f} ms (bar 5)"
    )


def file_of_tasks() -> None:
    slas = tasks(20_000, 5, False)
    start = time.process_time()
    placer = SlaPlacer(SlaPolicy(rewriting=Rewriting("exact")))
    for task, sla in slas.items():
        placer.place(task, sla)
    placed = time.process_time() - start
    result = place_slas(slas)
    whole = time.process_time() - start - placed
    print(
        f"  20,000 tasks on {result.summary.machines:,} machines: placed in "
        f"{placed:.1f} s, with tests anew and baselines {whole:.1f} s (bar 30)"
    )


def mean_efficiency(place: Callable[[dict[str, Sla]], float], fluid: bool) -> str:
    found = [place(tasks(200, seed, fluid)) for seed in range(SEEDS)]
    half = 2.2 * float(np.std(found, ddof=1)) / math.sqrt(SEEDS)
    return f"{np.mean(found):.2f} ± {half:.2f}"


def strategy(policy: SlaPolicy, name: str) -> Callable[[dict[str, Sla]], float]:
    def place(slas: dict[str, Sla]) -> float:
        found = place_slas(slas, policy, strategy=name).summary
        return found.efficiency_over_first_fit or 0.0

    return place


def experiment() -> None:
    exact, paper = Rewriting("exact", LEAST), Rewriting("paper", LEAST)
    plain = Rewriting("none")
    rows = [
        ("response time, as asked", SlaPolicy(rewriting=plain), "in-order"),
        ("edf, as asked", SlaPolicy(test="edf", rewriting=plain), "in-order"),
        ("exact, arriving task only", SlaPolicy(rewriting=exact), "in-order"),
        ("exact, host repack", SlaPolicy(rewriting=exact, repack="forced"), "in-order"),
        ("harmonic-first", SlaPolicy(rewriting=exact), "harmonic-first"),
        ("chains", SlaPolicy(rewriting=exact), "chains"),
        (
            "portfolio (bars 0.73, 0.78)",
            SlaPolicy(rewriting=exact, repack="forced"),
            "portfolio",
        ),
        (
            "paper's means, a host repacked (bars 0.36, 0.55)",
            SlaPolicy(test="harmonic", rewriting=paper, repack="forced"),
            "in-order",
        ),
        (
            "paper's means, all may move",
            SlaPolicy(
                test="harmonic",
                rewriting=paper,
                repack="periodic",
                migration="all",
            ),
            "in-order",
        ),
    ]
    for name, policy, how in rows:
        values = [mean_efficiency(strategy(policy, how), f) for f in (False, True)]
        print(f"  {name:48} rigid {values[0]}   half fluid {values[1]}")


def main() -> None:
    admission()
    file_of_tasks()
    experiment()


if __name__ == "__main__":
    main()
