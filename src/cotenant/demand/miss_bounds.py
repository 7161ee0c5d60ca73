"""How many periods a supply of another period can miss: Theorems 4 to 7 of the paper.

Each returns `(misses, window)`: the supply may miss so many of `window` periods of the
task. All clocks start together.
"""

import math

from cotenant.demand.sla import Sla


def multiple_period(task: Sla, supply: Sla) -> tuple[int, int]:
    """Return the misses under a supply whose period is a multiple (Theorem 4, exact).

    The paper has three conditions and prints `a = K T` in one of them, more than the K
    periods there are; this is their closed form with `a = K`.

    Examples
    --------
    >>> multiple_period(Sla(1, 4), Sla(5, 12))
    (1, 3)
    """
    many = supply.period // task.period
    if task.budget == 0:
        return 0, many
    # A missed period still takes budget - 1; what is left must fill whole periods.
    over = supply.budget - many * (task.budget - 1)
    met = -(-over // (task.period - task.budget + 1))
    return many - min(max(met, 0), many), many


def shorter_period(task: Sla, supply: Sla) -> tuple[int, int]:
    """Return a bound on the misses under a shorter period, same budget (Theorem 5).

    None up to the middle of budget and period. Beyond, every period of the task that
    holds a whole period of the supply is met.

    Examples
    --------
    >>> shorter_period(Sla(2, 5), Sla(2, 4)), shorter_period(Sla(2, 5), Sla(2, 3))
    ((2, 4), (0, 3))
    """
    step = math.gcd(task.period, supply.period)
    window = supply.period // step
    if 2 * supply.period <= task.period + task.budget:
        return 0, window
    return max(window - 1 - (task.period - supply.period) // step, 0), window


def multiple_then_shorter(task: Sla, between: Sla, supply: Sla) -> tuple[int, int]:
    """Compose Theorem 4, from `task` to `between`, with Theorem 5 (Theorem 6).

    The paper states the conclusion the wrong way round; the numbers are right.
    """
    missed, window = shorter_period(between, supply)
    inner, periods = multiple_period(task, between)
    return periods * missed + (window - missed) * inner, periods * window


def shorter_then_multiple_printed(
    task: Sla, between: Sla, supply: Sla
) -> tuple[int, int]:
    """Compose Theorem 5, from `task` to `between`, with Theorem 4, as Theorem 7 says.

    The paper holds that the two commute, with the numbers of Theorem 6. They do not:
    the bound can be too low. Use `shorter_then_multiple`.

    Examples
    --------
    >>> shorter_then_multiple_printed(Sla(1, 6), Sla(1, 4), Sla(5, 12))
    (2, 6)
    """
    missed, window = shorter_period(task, between)
    inner, periods = multiple_period(between, supply)
    return periods * missed + (window - missed) * inner, periods * window


def shorter_then_multiple(task: Sla, between: Sla, supply: Sla) -> tuple[int, int]:
    """Compose Theorem 5, from `task` to `between`, with Theorem 4, soundly.

    A missed period of `between` touches at most two of the task's longer ones.

    Examples
    --------
    >>> shorter_then_multiple(Sla(1, 6), Sla(1, 4), Sla(5, 12))
    (6, 6)
    """
    missed, window = shorter_period(task, between)
    inner, periods = multiple_period(between, supply)
    many = math.lcm(task.period, between.period) // between.period
    bound = periods * missed + 2 * many * inner
    return min(periods * window, bound), periods * window
