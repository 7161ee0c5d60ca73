"""Admission by the exact distribution of machine load, by convolution on a grid."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.colocate.admission import Verdict
from cotenant.colocate.cells import CELLS
from cotenant.colocate.exact_pool import ExactPool
from cotenant.colocate.rules import Rule
from cotenant.colocate.summed import check_rho, sign
from cotenant.demand.usage import Usage


class ExactAdmission:
    """Admit while the exact probability of overload stays at or below `rho`.

    Machine load is the convolution of the tasks' empirical distributions, which
    supposes that tasks are independent and keeps what a normal law loses: skew, heavy
    tails, several modes. Usage strictly above capacity is overload.

    Parameters
    ----------
    rho
        Largest accepted probability that usage exceeds capacity, in (0, 1).
    cells
        Least number of grid cells a capacity is cut into. The error of the probability
        falls with its square: about +0.3 % of itself at 500, +0.1 % at 1,000, none
        where all usages lie on cells.

    slots
        Time-of-day slots: tasks are independent within a slot, and overload is the mean
        over slots, so that a common daily rhythm is kept. 1 for none.

    Raises
    ------
    InvalidInput
        If `rho` is outside (0, 1), or a usage has no samples or other slots.

    Notes
    -----
    A usage between two cells is split linearly between them, which keeps its mean; of
    the mass that splitting put onto capacity half counts as overload, while usage that
    lies on capacity exactly does not count. A task alone is judged by its samples, and
    tasks whose peaks fit together are never in overload.
    """

    def __init__(self, rho: float, cells: int = CELLS, slots: int = 1) -> None:
        # A sum of products that equals rho may come out a hair above it.
        self._rho = check_rho(rho) * (1.0 + 1e-9)
        self._least, self._slots = cells, slots
        self._pools: dict[float, ExactPool] = {}
        self._place: list[tuple[ExactPool, int]] = []
        self._numbers: dict[float, list[int]] = {}
        self._deferred: list[tuple[int, Usage]] | None = None

    def grow(self, capacity: float) -> None:
        if capacity not in self._pools:
            pool = ExactPool(capacity, self._rho, self._least, self._slots)
            self._pools[capacity], self._numbers[capacity] = pool, []
        pool = self._pools[capacity]
        self._numbers[capacity].append(len(self._place))
        self._place.append((pool, len(pool.held)))
        pool.grow()

    def fits(self, demand: Usage) -> BoolArray:
        return self._gather(lambda pool: pool.overload_with(demand)) <= self._rho

    def fullness(self) -> FloatArray:
        return self._gather(lambda pool: pool.mean.all / pool.capacity)

    def pick(
        self, demand: Usage, rule: Rule, allowed: BoolArray | None = None
    ) -> int | None:
        found = []
        for capacity, pool in self._pools.items():
            numbers = self._numbers[capacity]
            own = allowed
            if allowed is not None and len(self._pools) > 1:
                own = allowed[numbers]
            row = pool.pick(demand, rule, own)
            if row >= 0:
                found.append(numbers[row])
        if len(found) < 2:
            return found[0] if found else None
        # The rule decides among the picks of all capacities.
        found.sort()
        loads = np.array([self.load(machine) for machine in found])
        best = rule(np.ones(len(found), dtype=np.bool_), loads)
        return None if best is None else found[best]

    def run(self, demands: Sequence[Usage], rule: Rule, capacity: float) -> IntArray:
        if not self._place:
            self.grow(capacity)
        pool, opened = self._pools[capacity], len(self._place)
        where = pool.run(demands, rule)
        for row in range(opened, len(pool.held)):
            self._numbers[capacity].append(row)
            self._place.append((pool, row))
        return where

    def rebalanced(self) -> IntArray:
        return self._place[-1][0].rebalanced()

    def add(self, machine: int, demand: Usage) -> None:
        if self._deferred is not None:
            self._deferred.append((machine, demand))
            return
        pool, row = self._place[machine]
        pool.add(row, demand)

    def remove(self, machine: int, demand: Usage) -> None:
        pool, row = self._place[machine]
        pool.remove(row, demand)

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Gather what is added, and do it at once at the end.

        Nothing may be asked or removed in between. Machines get what they would have
        got one by one, bit for bit.
        """
        gathered: list[tuple[int, Usage]] = []
        self._deferred = gathered
        try:
            yield
        finally:
            self._deferred = None
            for pool in self._pools.values():
                own = [
                    (self._place[machine][1], usage)
                    for machine, usage in gathered
                    if self._place[machine][0] is pool
                ]
                if own:
                    own.sort(key=itemgetter(0))  # stable
                    pool.fill(*zip(*own, strict=True))

    def verdict(self, machine: int, demand: Usage) -> Verdict:
        return self.verdicts([machine], demand)[0]

    def verdicts(self, machines: Sequence[int], demand: Usage) -> list[Verdict]:
        """Return the verdict of each of some machines."""
        found: dict[int, Verdict] = {}
        for capacity, pool in self._pools.items():
            own = [m for m in machines if self._place[m][0] is pool]
            if own:
                rows = np.array([self._place[m][1] for m in own])
                odds = pool.overload_with(demand, rows).tolist()
                found |= zip(own, self._told(odds, capacity), strict=True)
        return [found[machine] for machine in machines]

    def overload(self, machine: int) -> float:
        """Return the probability that the machine, as it is, is above capacity."""
        pool, row = self._place[machine]
        return pool.overload(row)

    def load(self, machine: int) -> float:
        """Return mean load over capacity of one machine."""
        pool, row = self._place[machine]
        return float(pool.mean.all[row]) / pool.capacity

    def _told(self, odds: Sequence[float], capacity: float) -> Iterator[Verdict]:
        what, rho = f"Pr[use > {capacity:.4g}] =", f"{self._rho:.3g}"
        for value in odds:
            words = f"{what} {value:.3g} {sign(value, self._rho)} {rho}"
            yield Verdict("", value, self._rho, words)

    def _gather(self, answer: Callable[[ExactPool], FloatArray]) -> FloatArray:
        if len(self._pools) == 1:
            return answer(next(iter(self._pools.values())))
        result = np.zeros(len(self._place))
        for capacity, pool in self._pools.items():
            result[self._numbers[capacity]] = answer(pool)
        return result
