"""The conditions of the paper's theorems on two rigid SLAs: offered, then required.

All clocks start together. Divisions are exact, budgets are not rounded. Conditions that
end in `printed` accept what is unsafe; the others are sound.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

from cotenant.demand import miss_bounds as bounds
from cotenant.demand.sla import Sla

Condition: TypeAlias = Callable[[Sla, Sla], bool]


def case(offered: Sla, required: Sla) -> int:
    """Return the condition of Theorems 1 and 2 that the periods fall under."""
    if 2 * offered.period <= required.period:
        return 1
    return 2 if offered.period > required.period else 3


def theorem_1(offered: Sla, required: Sla) -> bool:
    """Accept what gives enough and never misses."""
    return offered.misses == 0 and gives_enough(offered, required)


def gives_enough(offered: Sla, required: Sla) -> bool:
    """Say whether the budgets are as Theorem 1 asks; more than has to be."""
    slack = offered.period - offered.budget
    spare = required.period - required.budget
    condition = case(offered, required)
    if condition == 1:
        whole = required.period // offered.period - 1
        return offered.budget * whole >= required.budget
    return slack * condition <= spare


def theorem_2_printed(offered: Sla, required: Sla) -> bool:
    """Accept what gives enough, with misses and windows as printed; unsound.

    Condition 2 divides by K = floor(T' / T), which is 0 there; K is read as the other
    quotient. How the windows must compare is inferred: these are the relations under
    which the smallest counterexamples known are indeed the smallest.
    """
    if offered.misses == 0 or not gives_enough(offered, required):
        return False
    windows, spoilt = (offered.window, required.window), 2
    if case(offered, required) == 1:
        many = required.period // offered.period
        windows = (2 * offered.window, (many + 1) * required.window)
    elif case(offered, required) == 2:
        spoilt = 2 * (offered.period // required.period)
    return windows[0] >= windows[1] and spoilt * offered.misses <= required.misses


def theorem_2(offered: Sla, required: Sla) -> bool:
    """Accept what gives enough, with room for all the misses there can be.

    A window of `required` touches so many windows of `offered`, each with its misses,
    and a miss spoils the periods it touches; only one, where the whole periods inside
    the two that it straddles are enough for them.
    """
    if offered.misses == 0 or not gives_enough(offered, required):
        return False
    period, length = offered.period, required.period
    cycle, span = period * offered.window, length * required.window
    windows = -(-(span + cycle - math.gcd(cycle, span)) // cycle)
    spoilt = -(-(period + length - math.gcd(period, length)) // length)
    if case(offered, required) == 1:
        spoilt = 1
    return spoilt * offered.misses * windows <= required.misses


def theorem_3(offered: Sla, required: Sla) -> bool:
    """Accept a divisor of the period at no less of a share."""
    return (
        offered.misses == 0
        and required.period % offered.period == 0
        and offered.budget * required.period >= required.budget * offered.period
    )


def theorem_4(offered: Sla, required: Sla) -> bool:
    """Accept a multiple of the period, where its misses are within the tolerance."""
    return _multiple(offered, required) and _within(
        bounds.multiple_period(required, offered), required
    )


def theorem_4_printed(offered: Sla, required: Sla) -> bool:
    """Accept as printed: a = K T of the K periods are missed, where any can be."""
    if not _multiple(offered, required):
        return False
    misses, window = bounds.multiple_period(required, offered)
    return _within((window * required.period if misses else 0, window), required)


def theorem_5(offered: Sla, required: Sla) -> bool:
    """Accept a shorter period at the same budget, where its misses are tolerated."""
    return (
        offered.misses == 0
        and offered.budget >= required.budget
        and offered.period < required.period
        and _within(bounds.shorter_period(required, offered), required)
    )


def theorem_6(offered: Sla, required: Sla) -> bool:
    """Accept what Theorem 4, then Theorem 5 lead to, over any period between."""
    # Beyond twice the offered period Theorem 5 bounds nothing; and the window must be a
    # multiple of the periods that one period between stands for.
    between = (
        Sla(offered.budget, many * required.period)
        for many in _divisors(required.window)
        if offered.period < many * required.period <= 2 * offered.period
    )
    return offered.misses == 0 and any(
        _within(bounds.multiple_then_shorter(required, sla, offered), required)
        for sla in between
    )


def theorem_7(offered: Sla, required: Sla) -> bool:
    """Accept what Theorem 5, then Theorem 4 lead to, with a sound composition."""
    return _shorter_then_multiple(offered, required, bounds.shorter_then_multiple)


def theorem_7_printed(offered: Sla, required: Sla) -> bool:
    """Accept the same with the numbers of Theorem 6, as if the order did not matter."""
    return _shorter_then_multiple(
        offered, required, bounds.shorter_then_multiple_printed
    )


def _shorter_then_multiple(
    offered: Sla, required: Sla, bound: Callable[[Sla, Sla, Sla], tuple[int, int]]
) -> bool:
    between = (
        Sla(required.budget, offered.period // many)
        for many in _divisors(math.gcd(offered.period, required.window))
        if required.budget <= offered.period // many < required.period
    )
    return offered.misses == 0 and any(
        _within(bound(required, sla, offered), required) for sla in between
    )


def _divisors(number: int) -> list[int]:
    small = [d for d in range(1, math.isqrt(number) + 1) if number % d == 0]
    return sorted({*small, *(number // d for d in small)})


def _multiple(offered: Sla, required: Sla) -> bool:
    return offered.misses == 0 and offered.period % required.period == 0


def _within(bound: tuple[int, int], required: Sla) -> bool:
    """Say whether so many misses a window fit, for windows that divide evenly."""
    misses, window = bound
    many, rest = divmod(required.window, window)
    return rest == 0 and many * misses <= required.misses
