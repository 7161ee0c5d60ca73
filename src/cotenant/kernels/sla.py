"""What one periodic supply is worth to another: closed forms and a dynamic program.

A supply of `budget` in every `period` ticks meets intervals of `length` ticks, which
start at multiples of `step` inside a period: gcd(period, length) where both grids share
their origin, 1 where they lie anyhow. A period that shares x ticks with the interval
owes max(0, budget - (period - x)) there, independently of the others; the sum over the
periods is convex in how the two partial ones split, so balanced splits decide.
"""

from cotenant.kernels._jit import jit


@jit
def min_supply(budget: int, period: int, length: int, step: int) -> int:
    slack = period - budget
    whole, rest = length // period, length % period
    most = rest - step * (rest // (2 * step))
    least = whole * budget + max(rest - 2 * slack, most - slack, 0)
    if whole == 0:
        return least
    # One period less lies inside, and the two at the ends share a period more.
    rest += period
    most = rest - step * (rest // (2 * step))
    other = (whole - 1) * budget + max(rest - 2 * slack, most - slack, 0)
    return min(least, other)


@jit
def min_budget(period: int, budget: int, length: int, step: int) -> int:
    # The inverse of min_supply: each of its terms gives a bound on the slack.
    if budget <= 0:
        return 0
    spare = length - budget
    whole, rest = length // period, length % period
    most = rest - step * (rest // (2 * step))
    slack = max(spare // (whole + 2), (whole * period + most - budget) // (whole + 1))
    if whole >= 1:
        slack = max(slack, (whole * period - budget) // whole)
        rest += period
        most = rest - step * (rest // (2 * step))
        inner = (whole - 1) * period
        other = max(spare // (whole + 1), (inner + most - budget) // whole)
        if whole >= 2:
            other = max(other, (inner - budget) // (whole - 1))
        slack = min(slack, other)
    return period - min(slack, period)


@jit
def min_budget_over(
    period: int, asked: tuple[int, int], periods: tuple[int, int], any_phase: bool
) -> int:
    # The least over the periods a fluid SLA may have, budgets rounded up (Theorem 8).
    least = period
    for length in range(periods[0], periods[1] + 1):
        budget = -(-asked[0] * length // asked[1])
        step, rest = (1, 0) if any_phase else (period, length)
        while rest:
            step, rest = rest, step % rest
        least = min(least, min_budget(period, budget, length, step))
    return least
