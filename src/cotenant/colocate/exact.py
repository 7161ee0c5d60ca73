"""Admission by the exact distribution of machine load, by convolution on a grid."""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.colocate.admission import Verdict
from cotenant.colocate.stacks import Rows
from cotenant.colocate.summed import check_rho, sign
from cotenant.demand.usage import Usage
from cotenant.errors import InvalidInput
from cotenant.kernels import exact as kernel

CELLS = 500

Cells: TypeAlias = tuple[IntArray, IntArray, FloatArray, FloatArray]
"""A usage on a grid, as `kernels.exact.to_cells` returns it."""


def grid(capacity: float, least: int = CELLS) -> int:
    """Return into how many cells to cut a capacity: at least `least`.

    A round cell width (1, 2 or 5 times a power of ten) is taken where it divides the
    capacity, since traces print round decimals: their values then lie on cells and
    need no splitting. Otherwise exactly `least`.

    >>> grid(1.0), grid(4.0), grid(64.0), grid(1 / 3)
    (500, 800, 640, 500)
    """
    power = math.floor(math.log10(capacity / least))
    for factor in (5.0, 2.0, 1.0):
        width = factor * 10.0**power
        cells = round(capacity / width)
        if cells >= least and math.isclose(cells * width, capacity, rel_tol=1e-9):
            return cells
    return least


class _Pool:
    """All machines of one capacity: load, tail and pinned load on one grid."""

    def __init__(self, capacity: float, least: int, slots: int) -> None:
        self.capacity, self.slots = capacity, slots
        self.limit = capacity * (1.0 + 1e-12)
        size = grid(capacity, least)
        self.width = capacity / size
        self.load, self.tail = Rows(slots, size + 1), Rows(slots, size + 1)
        self.pinned, self.above = Rows(slots, size + 1), Rows(slots)
        self.mean, self.count, self.peak = Rows(), Rows(), Rows()
        self.full = Rows()  # mean over capacity
        self.held: list[list[Usage]] = []
        self._latest: tuple[Usage, Cells] | None = None  # asked first, then added

    def grow(self) -> None:
        for rows in (self.load, self.tail, self.pinned, self.above):
            rows.grow()
        for numbers in (self.mean, self.count, self.peak, self.full):
            numbers.grow()
        self.held.append([])
        self.rebuild(len(self.held) - 1)

    def cells(self, usage: Usage) -> Cells:
        if self._latest is None or self._latest[0] is not usage:
            self._latest = usage, kernel.to_cells(*self.laid(usage), self.width)
        return self._latest[1]

    def laid(self, usage: Usage) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return offsets of slots, values and weights, as in `Hours`."""
        if not len(usage.values):
            raise InvalidInput(
                "method exact needs the samples of a task, not its moments alone; "
                "use --method gaussian"
            )
        if self.slots == 1:
            return np.array([0, len(usage.values)]), usage.values, usage.weights
        hours = usage.by_hour(self.slots)
        return hours.offsets, hours.values, hours.weights

    def overload_with(self, usage: Usage, rows: slice = slice(None)) -> FloatArray:
        cells = self.cells(usage)
        result = kernel.overload_with(
            self.tail.all[rows], self.pinned.all[rows], *cells
        )
        empty = self.count.all[rows] == 0
        if empty.any():
            # Alone on a machine nothing needs a grid.
            result[empty] = self.alone(usage)
        result[self.never_over(usage, rows)] = 0.0
        return result

    def never_over(self, usage: Usage, rows: slice = slice(None)) -> BoolArray:
        """Say where all peaks together fit: no grid can put usage above capacity."""
        return np.asarray(self.peak.all[rows] + usage.maximum <= self.limit)

    def alone(self, usage: Usage) -> float:
        return kernel.overload_alone(*self.laid(usage), self.capacity)

    def overload(self, row: int) -> float:
        if len(self.held[row]) == 1:
            return self.alone(self.held[row][0])
        if self.peak.all[row] <= self.limit:
            return 0.0
        return kernel.overload_of(
            self.load.all[row], self.pinned.all[row], self.above.all[row]
        )

    def add(self, row: int, usage: Usage) -> None:
        self._join(row, usage)
        self.held[row].append(usage)
        kernel.tail_of(self.load.all[row], self.above.all[row], self.tail.all[row])

    def rebuild(self, row: int) -> None:
        for rows in (self.load, self.pinned):
            rows.all[row] = 0.0
            rows.all[row, :, 0] = 1.0
        for numbers in (self.above, self.mean, self.count, self.peak, self.full):
            numbers.all[row] = 0.0
        for usage in self.held[row]:
            self._join(row, usage)
        kernel.tail_of(self.load.all[row], self.above.all[row], self.tail.all[row])

    def _join(self, row: int, usage: Usage) -> None:
        cells = self.cells(usage)
        kernel.join(
            self.load.all[row], self.pinned.all[row], self.above.all[row], *cells
        )
        self.count.all[row] += 1
        self.mean.all[row] += usage.mean
        self.peak.all[row] += usage.maximum
        self.full.all[row] = self.mean.all[row] / self.capacity

    def note(self, rows: IntArray, usages: Sequence[Usage]) -> None:
        """Hold tasks on machines, one after the other, without joining their load."""
        for row, usage in zip(rows.tolist(), usages, strict=True):
            self.held[row].append(usage)
        np.add.at(self.count.all, rows, 1.0)
        np.add.at(self.mean.all, rows, [usage.mean for usage in usages])
        np.add.at(self.peak.all, rows, [usage.maximum for usage in usages])
        self.full.all[:] = self.mean.all / self.capacity


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
        self._pools: dict[float, _Pool] = {}
        self._place: list[tuple[_Pool, int]] = []
        self._numbers: dict[float, list[int]] = {}

    def grow(self, capacity: float) -> None:
        if capacity not in self._pools:
            self._pools[capacity] = _Pool(capacity, self._least, self._slots)
        pool = self._pools[capacity]
        self._numbers.setdefault(capacity, []).append(len(self._place))
        self._place.append((pool, len(pool.held)))
        pool.grow()

    def fits(self, demand: Usage) -> BoolArray:
        return self._gather(lambda pool: pool.overload_with(demand)) <= self._rho

    def fullness(self) -> FloatArray:
        return self._gather(lambda pool: pool.full.all)

    def add(self, machine: int, demand: Usage) -> None:
        pool, row = self._place[machine]
        pool.add(row, demand)

    def remove(self, machine: int, demand: Usage) -> None:
        pool, row = self._place[machine]
        pool.held[row].remove(demand)
        pool.rebuild(row)

    def verdict(self, machine: int, demand: Usage) -> Verdict:
        pool, row = self._place[machine]
        value = float(pool.overload_with(demand, slice(row, row + 1))[0])
        odds = f"{value:.3g} {sign(value, self._rho)} {self._rho:.3g}"
        words = f"Pr[use > {pool.capacity:.4g}] = {odds}"
        return Verdict("", value, self._rho, words)

    def overload(self, machine: int) -> float:
        """Return the probability that the machine, as it is, is above capacity."""
        pool, row = self._place[machine]
        return pool.overload(row)

    def _gather(self, answer: Callable[[_Pool], FloatArray]) -> FloatArray:
        if len(self._pools) == 1:
            return answer(next(iter(self._pools.values())))
        result = np.zeros(len(self._place))
        for capacity, pool in self._pools.items():
            result[self._numbers[capacity]] = answer(pool)
        return result
