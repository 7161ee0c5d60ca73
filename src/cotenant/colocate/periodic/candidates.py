"""Which SLAs may stand in for the one asked: periods tried, and the budget at each."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

from cotenant.demand.adversary import Phase
from cotenant.demand.rewrite import is_safe, max_misses, min_budget, min_supply
from cotenant.demand.schedule import Window
from cotenant.demand.sla import Sla
from cotenant.demand.theorems import paper_budget
from cotenant.errors import InvalidInput

Rewrite: TypeAlias = Literal["none", "fluid", "paper", "exact"]


@dataclass(frozen=True, slots=True)
class Rewriting:
    """How SLAs may be rewritten.

    Parameters
    ----------
    mode
        `none`; `fluid`: periods a fluid SLA allows (Theorem 8); `paper`: also the
        budgets of Theorems 1 and 3; `exact`: also the least safe budget at any period.
    least_period
        No period shorter than this, in ticks: each one costs the host a dispatch.
    most
        Candidates kept for one SLA, those of least utilization.
    phase, window
        As in `is_safe`. A rewritten SLA runs on a clock that starts with the asked one,
        and host tests hold for any offsets between tasks, so `aligned` is right
        wherever hosts keep such a clock.

    Raises
    ------
    InvalidInput
        If a value is outside its range.
    """

    mode: Rewrite = "exact"
    least_period: int = 1
    most: int = 30
    phase: Phase = "aligned"
    window: Window = "aligned"

    def __post_init__(self) -> None:
        for name, value, known in (
            ("rewrite", self.mode, get_args(Rewrite)),
            ("phase", self.phase, get_args(Phase)),
            ("window", self.window, get_args(Window)),
        ):
            if value not in known:
                expected = ", ".join(known)
                raise InvalidInput(f"{name} is {value!r}; expected one of {expected}")
        for name, number in (("least period", self.least_period), ("most", self.most)):
            if number < 1:
                raise InvalidInput(f"{name} is {number}; expected 1 or more")


def asked(sla: Sla) -> Sla:
    """Return what a host gives when nothing is rewritten: rigid, without misses."""
    return Sla(sla.budget, sla.period)


def offers(sla: Sla, in_use: Iterable[int], how: Rewriting) -> list[Sla]:
    """Return safe stand-ins, the asked one first, then by utilization.

    Periods tried are those that divide the asked one and those that divide, or are
    multiples of, a period in use, so that harmonic chains form; for a fluid SLA also
    its shortest and longest. Equal utilizations: the longer period first.

    Parameters
    ----------
    in_use
        Periods on the hosts to be shared.
    """
    return list(_offers(sla, frozenset(in_use), how))


# Repacking asks for the same tasks beside the same periods again and again.
@lru_cache(maxsize=1 << 16)
def _offers(sla: Sla, in_use: frozenset[int], how: Rewriting) -> tuple[Sla, ...]:
    first = asked(sla)
    if how.mode == "none" or (how.mode == "fluid" and not sla.is_fluid):
        return (first,)
    found = {offer(sla, period, how) for period in _periods(sla, in_use, how)}
    others = [other for other in found if other is not None and other != first]
    others.sort(key=lambda other: (other.utilization, -other.period))
    return (first, *others[: how.most - 1])


@lru_cache(maxsize=1 << 18)
def offer(sla: Sla, period: int, how: Rewriting) -> Sla | None:
    """Return the least safe stand-in at a period, None where the mode has none.

    A fluid SLA is served by any period with a multiple among those it allows: the
    budget at the multiple (Theorem 8), divided (Theorem 3), is rounded up once.
    """
    if period == sla.period:
        return asked(sla)
    if how.mode == "none" or period < how.least_period:
        return None
    budgets = list(_budgets(sla, period, how))
    return Sla(min(budgets), period) if budgets and min(budgets) <= period else None


def kept(offered: Sla, sla: Sla, how: Rewriting) -> Sla | None:
    """Return the rigid form of an SLA that a stand-in keeps, by the oracle.

    None where it keeps none of the forms looked at: the asked period, and for a fluid
    SLA its ends and the multiples of the period offered.
    """
    for period in dict.fromkeys(_kept_periods(offered.period, sla)):
        rigid = sla.at(period)
        if offered == asked(rigid) or _keeps(offered, rigid, how):
            return rigid
    return None


def _keeps(offered: Sla, rigid: Sla, how: Rewriting) -> bool:
    if min_supply(offered, rigid.period, phase=how.phase) >= rigid.budget:
        return True  # no period is missed
    if not rigid.misses:
        return False
    return is_safe(offered, rigid, window=how.window, phase=how.phase).safe


def _budgets(sla: Sla, period: int, how: Rewriting) -> Iterator[int]:
    rigid = [sla.period]
    if sla.period_low is not None and sla.period_high is not None:
        multiple = sla.period_high // period * period
        if multiple >= sla.period_low:
            if multiple == period or (how.mode == "exact" and how.phase == "aligned"):
                yield -(-sla.budget * period // sla.period)
                return  # no budget has a smaller share
            rigid.append(multiple)
        rigid += [sla.period_low, sla.period_high]
    if how.mode == "exact":
        for chosen in rigid:
            yield _least(sla.at(chosen), period, how)
    elif how.mode == "paper":
        plain = asked(sla)
        budget = paper_budget(plain, period)
        # The oracle has the last word on anything the theorems allow.
        if budget is not None and budget >= min_budget(plain, period, phase=how.phase):
            yield budget


def _least(sla: Sla, period: int, how: Rewriting) -> int:
    high = min_budget(sla, period, phase=how.phase)
    if not sla.misses or not high:
        return high
    low = -1  # never enough, high always
    # Tolerated misses hardly ever help a host that misses nothing: try one tick less
    # before searching.
    middle = high - 1
    while high - low > 1:
        offered = Sla(middle, period)
        missed = max_misses(offered, sla, window=how.window, phase=how.phase)
        if missed <= sla.misses:
            high = middle
        elif middle == high - 1:
            return high
        else:
            low = middle
        middle = (low + high) // 2
    return high


def _periods(sla: Sla, in_use: Iterable[int], how: Rewriting) -> set[int]:
    longest = max(sla.period, sla.period_high or 0)
    found = set(divisors(sla.period))
    for period in in_use:
        found.update(divisors(period))
        found.update(range(period, longest + 1, period))
    if sla.period_low is not None and sla.period_high is not None:
        found.update((sla.period_low, sla.period_high))
        if how.mode == "fluid":
            return {p for p in found if sla.period_low <= p <= sla.period_high}
    return {p for p in found if how.least_period <= p <= longest}


def _kept_periods(period: int, sla: Sla) -> Iterator[int]:
    yield sla.period
    if sla.period_low is not None and sla.period_high is not None:
        multiples = range(
            -(-sla.period_low // period) * period, sla.period_high + 1, period
        )
        yield from multiples[:1]
        yield from reversed(multiples[1:])
        yield from (sla.period_low, sla.period_high)


@lru_cache(maxsize=65_536)
def divisors(number: int) -> tuple[int, ...]:
    """Return the divisors of a number, ascending.

    >>> divisors(12)
    (1, 2, 3, 4, 6, 12)
    """
    low = [d for d in range(1, int(number**0.5) + 1) if number % d == 0]
    return tuple(low + [number // d for d in reversed(low) if d * d != number])
