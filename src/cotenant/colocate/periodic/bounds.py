"""Utilization bounds for a unit host, all of one form: prod(1 + part) <= 2."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import truediv
from typing import Any, TypeAlias

import numpy as np

from cotenant.arrays import BoolArray, FloatArray
from cotenant.colocate.admission import Verdict
from cotenant.colocate.periodic.chains import chain_cover
from cotenant.colocate.periodic.loads import Hosts
from cotenant.demand.sla import Sla

Divide: TypeAlias = Callable[[int, int], Any]

_SURE = 1e-9  # beyond this distance from 2 floating sums decide; closer, rationals


@dataclass(frozen=True, slots=True)
class Bound:
    """One bound.

    Parameters
    ----------
    parts
        The parts of a list of SLAs, whose sum is its utilization, in the numbers that
        the given division makes: floats or rationals.
    even
        Whether all parts are equal, so that the bound is one on utilization.
    products
        The rounded product of every host with an SLA on it.
    """

    parts: Callable[[Sequence[Sla], Divide], list[Any]]
    even: bool
    products: Callable[[Hosts, Sla], FloatArray]

    def keeps(self, slas: Sequence[Sla]) -> bool:
        """Say whether the bound admits the SLAs together, in exact arithmetic."""
        product = self.product(slas)
        if abs(product - 2.0) > _SURE:
            return product < 2.0
        return bool(math.prod(1 + part for part in self.parts(slas, Fraction)) <= 2)

    def product(self, slas: Sequence[Sla]) -> float:
        """Return prod(1 + part), rounded."""
        return float(math.prod(1.0 + part for part in self.parts(slas, truediv)))


def utilization(slas: Sequence[Sla]) -> Fraction:
    """Return the exact sum of budget over period."""
    return sum((Fraction(sla.budget, sla.period) for sla in slas), Fraction())


def chains_of(slas: Sequence[Sla]) -> tuple[tuple[int, ...], ...]:
    """Return the fewest harmonic chains that cover the periods of the SLAs."""
    return chain_cover(tuple(sorted({sla.period for sla in slas})))


def _single(slas: Sequence[Sla], divide: Divide) -> list[Any]:
    return [divide(sla.budget, sla.period) for sla in slas]


def _evenly(slas: Sequence[Sla], divide: Divide, parts: int) -> list[Any]:
    return [sum(_single(slas, divide)) / parts] * parts if parts else []


def _by_chain(slas: Sequence[Sla], divide: Divide) -> list[Any]:
    number = {p: i for i, chain in enumerate(chains_of(slas)) for p in chain}
    sums = [divide(0, 1)] * len(set(number.values()))
    for sla in slas:
        sums[number[sla.period]] += divide(sla.budget, sla.period)
    return sums


def _even_products(hosts: Hosts, sla: Sla, parts: FloatArray) -> FloatArray:
    total = hosts.filled.all + sla.utilization
    return np.asarray((1.0 + total / parts) ** parts)


@lru_cache(maxsize=65_536)
def _chains_with(periods: frozenset[int], period: int) -> tuple[tuple[int, ...], ...]:
    return chain_cover(tuple(sorted(periods | {period})))


def _chain_counts(hosts: Hosts, sla: Sla) -> FloatArray:
    found = [len(_chains_with(frozenset(s), sla.period)) for s in hosts.shares]
    return np.array(found, dtype=np.float64)


def _chain_products(hosts: Hosts, sla: Sla) -> FloatArray:
    result = np.full(len(hosts.held), np.inf)
    for host in np.flatnonzero(hosts.filled.all + sla.utilization <= 1.0 + _SURE):
        shares = dict(hosts.shares[host])
        shares[sla.period] = shares.get(sla.period, 0.0) + sla.utilization
        chains = _chains_with(frozenset(shares), sla.period)
        sums = (sum(shares[period] for period in chain) for chain in chains)
        result[host] = math.prod(1.0 + total for total in sums)
    return result


# Sources: Liu and Layland 1973; Bini, Buttazzo and Buttazzo 2003; Kuo and Mok 1991 for
# one part a chain. Merging tasks of one chain into one part is sound because a chain
# behaves like one task at full utilization; that the product form may then be used was
# checked on 238,540 random sets on the boundary and is not proved here.
BOUNDS: dict[str, Bound] = {
    "liu-layland": Bound(
        lambda slas, divide: _evenly(slas, divide, len(slas)),
        True,
        lambda hosts, sla: _even_products(hosts, sla, hosts.count.all + 1.0),
    ),
    "hyperbolic": Bound(
        _single,
        False,
        lambda hosts, sla: hosts.product.all * (1.0 + sla.utilization),
    ),
    "harmonic": Bound(
        lambda slas, divide: _evenly(slas, divide, len(chains_of(slas))),
        True,
        lambda hosts, sla: _even_products(hosts, sla, _chain_counts(hosts, sla)),
    ),
    "chain-hyperbolic": Bound(_by_chain, False, _chain_products),
    "edf": Bound(
        lambda slas, divide: _evenly(slas, divide, min(1, len(slas))),
        True,
        lambda hosts, sla: 1.0 + hosts.filled.all + sla.utilization,
    ),
}


class BoundAdmission:
    """Admit while a utilization bound holds on the host with the demand on it.

    Parameters
    ----------
    bound
        A bound of the table.

    Notes
    -----
    The chain-hyperbolic bound depends on which of the smallest chain covers is taken;
    it is always the same for the same periods, but a larger set may be covered more
    favourably than a part of it.
    """

    def __init__(self, bound: Bound) -> None:
        self._bound, self._hosts = bound, Hosts()

    def grow(self, capacity: object) -> None:
        self._hosts.grow()

    def fits(self, demand: Sla) -> BoolArray:
        products = self._bound.products(self._hosts, demand)
        result = products < 2.0
        for host in np.flatnonzero(np.abs(products - 2.0) <= _SURE):
            result[host] = self._bound.keeps([*self._hosts.held[host], demand])
        return result

    def fullness(self) -> FloatArray:
        return self._hosts.filled.all.copy()

    def add(self, machine: int, demand: Sla) -> None:
        self._hosts.add(machine, demand)

    def remove(self, machine: int, demand: Sla) -> None:
        self._hosts.remove(machine, demand)

    def verdict(self, machine: int, demand: Sla) -> Verdict:
        slas = [*self._hosts.held[machine], demand]
        fits, parts = self._bound.keeps(slas), len(self._bound.parts(slas, truediv))
        if self._bound.even:
            value, limit = float(utilization(slas)), parts * (2.0 ** (1 / parts) - 1)
            name = "utilization"
        else:
            value, limit, name = self._bound.product(slas), 2.0, "prod(1 + utilization)"
        # Rounding must not contradict what rationals decided.
        value = min(value, limit) if fits else max(value, math.nextafter(limit, 3.0))
        words = f"{name} = {value:.4g} {'<=' if fits else '>'} {limit:.4g}"
        return Verdict("", value, limit, words)
