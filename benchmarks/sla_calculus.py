"""Safety of SLA rewrites against the plain-Python oracles of the tests."""

import random
from statistics import median
from time import process_time

from benchmarks.timing import best, ratio
from cotenant.demand.rewrite import is_safe, min_budget
from cotenant.demand.sla import Sla
from cotenant.kernels import sla as kernel
from tests.sla_oracles import least_by_offsets, starts_of, worst_by_tables

CALLS = 10_000
BAR_PLAIN_S, BAR_MISSES_S = 2e-6, 5e-3


def without_misses() -> None:
    """One closed form, called from Python, against a scan of all offsets."""

    def closed() -> None:
        for _ in range(CALLS):
            kernel.min_supply(24, 48, 500, 4)

    ours = best(closed, 5, process_time) / CALLS
    scan = best(lambda: least_by_offsets(24, 48, 500, 4), 3, process_time)
    what = f"min_supply 24/48 in 500, {ours * 1e6:.2f} us a call"
    ratio(what, ours, scan, "scan of offsets")
    verdict(ours, BAR_PLAIN_S)
    offered, required = Sla(24, 48), Sla(200, 500)
    whole = best(lambda: is_safe(offered, required), 100, process_time)
    least = best(lambda: min_budget(required, 48), 100, process_time)
    print(
        f"  is_safe with values {whole * 1e6:.1f} us, min_budget {least * 1e6:.1f} us"
    )


def with_misses() -> None:
    """The dynamic program over all phases, for a yes and for the no next to it."""
    offered = Sla(24, 48, 3, 600)
    for budget in (216, 240):
        many = Sla(budget, 500, 0, 60)
        starts = starts_of(offered, many, "aligned", "aligned")
        worst = worst_by_tables(offered, many, starts)
        plain = best(lambda: worst_by_tables(offered, many, starts), 1, process_time)  # noqa: B023
        for misses in (worst, worst - 1):
            required = Sla(budget, 500, misses, 60)
            answer = is_safe(offered, required).safe
            assert answer == (misses >= worst)
            ours = best(lambda: is_safe(offered, required), 20, process_time)  # noqa: B023
            word = "safe" if answer else "unsafe, with proof"
            what = f"{offered} for {required}: {word}"
            ratio(what, ours, plain, "plain tables")
            verdict(ours, BAR_MISSES_S)


def prices() -> None:
    """What another period costs: the median over light promises, no divisors."""
    source = random.Random(0)
    for share in (1 / 8, 1 / 5, 1 / 3, 1 / 2, 0.9):
        extra = []
        while len(extra) < 4_000:
            length = source.randint(200, 2_000)
            budget = max(1, round(length * source.uniform(0.02, 0.2)))
            period = max(1, round(length * share) + source.randint(-3, 3))
            if length % period:
                least = min_budget(Sla(budget, length), period)
                extra.append(least / period * length / budget - 1.0)
        print(f"  a period {share:.2f} of the promised one: {median(extra):+.0%}")


def verdict(seconds: float, bar: float) -> None:
    word = "met" if seconds < bar else "MISSED"
    print(f"  bar: under {bar * 1e3:g} ms, {word}")


def main() -> None:
    without_misses()
    with_misses()
    prices()


if __name__ == "__main__":
    main()
