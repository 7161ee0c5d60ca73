"""Machines of one capacity under the exact test: their loads on one grid, indexed."""

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.colocate.cells import cut, grid
from cotenant.colocate.kept import KeptTasks
from cotenant.colocate.rules import Rule, best_fit
from cotenant.colocate.stacks import Rows
from cotenant.demand.usage import Usage
from cotenant.kernels import exact, exact_index
from cotenant.kernels.index import EVERY, NO_INDEX, Index, make_index

THREADS = 2
FIRST = np.zeros(1, np.int64)  # the only task of those asked
BLOCK = 500  # tasks filled at a time: while one thread cuts, the other may fill


class ExactPool:
    """All machines of one capacity, numbered in the order they were opened.

    Parameters
    ----------
    rho
        Largest accepted probability that usage exceeds capacity.
    least
        Least number of grid cells.
    slots
        Time-of-day slots, 1 for none.
    """

    def __init__(self, capacity: float, rho: float, least: int, slots: int) -> None:
        self.capacity, self._rho, self._slots = capacity, rho, slots
        self._top = grid(capacity, least)
        row = (slots, self._top + 1)
        self.load, self.pinned = Rows(*row), Rows(*row)
        self.pins, self.above, self.tasks = Rows(slots), Rows(slots), Rows()
        self.mean, self.peak = Rows(), Rows()
        self._clear(slice(None))
        self.held: list[list[Usage]] = []
        # Of each machine the numbers, in `_kept`, of its first tasks.
        self._numbers: list[list[int]] = []
        self._kept = KeptTasks(slots)
        self._last_run: tuple[exact_index.Asked, IntArray] | None = None
        self._last: tuple[Usage, exact_index.Asked] | None = None
        self._index = NO_INDEX
        self._machines = self._arrays()

    def grow(self) -> None:
        """Open one more machine, empty."""
        if len(self.held) == len(self._machines.tasks):
            self._double()
        self._open(1)
        exact_index.note(self._index, self._machines, len(self.held) - 1)

    def overload_with(self, usage: Usage, rows: IntArray | None = None) -> FloatArray:
        """Return the overload of some machines, or of all, with one task more."""
        asked = self._cut(usage)
        cells = (asked.starts[0], asked.cells, asked.mass, asked.pinned)
        rows = np.arange(len(self.held)) if rows is None else rows
        loads = (self.load.all, self.pinned.all, self.pins.all, self.above.all)
        result = exact.overload_with(*loads, rows, *cells)
        # Alone on a machine nothing needs a grid; nor where all peaks together fit.
        result[self.tasks.all[rows] == 0] = asked.alone[0]
        result[self.peak.all[rows] + usage.maximum <= self._machines.most] = 0.0
        return result

    def overload(self, row: int) -> float:
        """Return the overload of a machine as it is."""
        if len(self.held[row]) == 1:
            return float(self._cut(self.held[row][0]).alone[0])
        if self.peak.all[row] <= self._machines.most:
            return 0.0
        loads = self.load.all[row], self.pinned.all[row], self.above.all[row]
        return exact.overload_of(*loads)

    def pick(self, usage: Usage, rule: Rule, allowed: BoolArray | None) -> int:
        """Return the machine the rule picks, -1 if none fits."""
        index, mask = self._indexed(rule), EVERY if allowed is None else allowed
        asked = self._cut(usage)
        return int(exact_index.choose(index, self._machines, asked, 0, mask))

    def run(self, usages: Sequence[Usage], rule: Rule) -> IntArray:
        """Put tasks where the rule picks, opening machines as they are needed."""
        where = np.empty(len(usages), np.int64)
        asked, first = cut(usages, self.capacity, self._top, self._slots), 0
        while first < len(usages):
            opened = len(self.held)
            if opened == len(self._machines.tasks):
                self._double()
            first, machines = exact_index.place(
                self._indexed(rule), self._machines, opened, asked, first, where
            )
            self._open(machines - opened)
        self._last_run = asked, where
        for row, usage in zip(where.tolist(), usages, strict=True):
            if row >= 0:
                self.held[row].append(usage)
        return where

    def rebalanced(self) -> IntArray:
        """Return where tasks of the last run are once the last machine is filled."""
        assert self._last_run is not None
        asked, where = self._last_run
        last, after = len(self.held) - 1, where.copy()
        alone = self._arrays(slice(last, last + 1))
        exact_index.rebalance(alone, last, asked, after)
        return after

    def add(self, row: int, usage: Usage) -> None:
        """Put a task on a machine."""
        asked = self._cut(usage)
        if len(self._numbers[row]) == len(self.held[row]):
            self._numbers[row].append(self._kept.add(asked, 0))
        self.held[row].append(usage)
        one = np.array([row]), asked, FIRST
        exact_index.fill(self._index, self._machines, *one)

    def remove(self, row: int, usage: Usage) -> None:
        """Take a task off a machine, which is filled anew with the others."""
        held, numbers = self.held[row], self._numbers[row]
        late = held[len(numbers) :]
        if late:
            asked = cut(late, self.capacity, self._top, self._slots)
            numbers += [self._kept.add(asked, task) for task in range(len(late))]
        at = held.index(usage)
        del held[at]
        self._kept.drop(numbers.pop(at))
        others = self._kept.asked, np.array(numbers, dtype=np.int64)
        exact_index.refill(self._index, self._machines, row, *others)

    def fill(self, rows: Sequence[int], usages: Sequence[Usage]) -> None:
        """Put many tasks on machines; rows ascend."""
        for row, usage in zip(rows, usages, strict=True):
            self.held[row].append(usage)
        # Cut between machines; each machine is filled by one thread, in order.
        cuts = np.searchsorted(rows, np.linspace(0, rows[-1] + 1, THREADS + 1))

        def part(low: int, high: int) -> None:
            for first in range(low, high, BLOCK):
                own = slice(first, min(first + BLOCK, high))
                asked = cut(usages[own], self.capacity, self._top, self._slots)
                some = np.array(rows[own]), asked, np.arange(len(asked.mean))
                exact_index.fill(NO_INDEX, self._machines, *some)

        with ThreadPoolExecutor(THREADS) as threads:
            for job in [threads.submit(part, *ends) for ends in pairwise(cuts)]:
                job.result()
        self._index = NO_INDEX

    def _cut(self, usage: Usage) -> exact_index.Asked:
        # One is asked about, picked for and put on in turn: it is cut once.
        if self._last is None or self._last[0] is not usage:
            asked = cut([usage], self.capacity, self._top, self._slots)
            self._last = usage, asked
        return self._last[1]

    def _indexed(self, rule: Rule) -> Index:
        """Return the index in the order of a rule, made anew where that is due."""
        fresh = len(self._index.level) == len(self._machines.tasks)
        if not fresh or self._index.best_fit != (rule is best_fit):
            self._machines = self._arrays()
            self._index = make_index(len(self._machines.tasks), rule is best_fit)
            exact_index.note_all(self._index, self._machines, len(self.held))
        return self._index

    @property
    def _rows(self) -> tuple[Rows, ...]:
        loads = (self.load, self.pinned, self.pins, self.above)
        return (*loads, self.tasks, self.mean, self.peak)

    def _open(self, count: int) -> None:
        for rows in self._rows:
            rows.use(len(self.held) + count)
        self.held += [[] for _ in range(count)]
        self._numbers += [[] for _ in range(count)]

    def _double(self) -> None:
        before = len(self._machines.tasks)
        for rows in self._rows:
            rows.double()
        self._clear(slice(before, None))
        self._machines, self._index = self._arrays(), NO_INDEX

    def _clear(self, row: int | slice) -> None:
        for rows in self._rows:
            rows.allocated[row] = 0.0
        self.pins.allocated[row] = 1.0
        for rows in (self.load, self.pinned):
            rows.allocated[row, ..., 0] = 1.0

    def _arrays(self, row: slice | None = None) -> exact_index.Pool:
        """Return what kernels work on: all rows, or a copy of some."""
        theta, reach = self._tuned()

        def of(rows: Rows) -> FloatArray:
            return rows.allocated if row is None else rows.allocated[row].copy()

        return exact_index.Pool(
            load=of(self.load),
            pinned=of(self.pinned),
            pins=of(self.pins),
            above=of(self.above),
            tasks=of(self.tasks),
            mean=of(self.mean),
            peak=of(self.peak),
            capacity=self.capacity,
            most=self.capacity * (1.0 + 1e-12),
            rho=self._rho,
            theta=theta,
            tilted=np.exp(theta * np.arange(reach + 1)),
        )

    def _tuned(self) -> tuple[float, int]:
        """Return theta and reach that spare most tests on the machines as they are."""
        # Half the mean maximum of tasks, and 0.85 of how fast the tails of full
        # machines rise: found by trial on PlanetLab and matched tasks.
        theta, reach = -2.5 * math.log(self._rho) / self._top, self._top // 16
        tasks = self.tasks.all.sum()
        if tasks:
            peak = self.peak.all.sum() / tasks / self.capacity * self._top
            reach = int(np.clip(0.5 * peak, 4, self._top // 4))
        end = self.load.all[:, :, self._top - reach :].mean(axis=1)
        over = self.above.all.mean(axis=1) + 0.5 * end[:, -1]
        full = over > 0.3 * self._rho
        if full.any():
            more = end[full, 1:].sum(axis=1) + 0.5 * (end[full, 0] - end[full, -1])
            theta = 0.85 * float(np.log1p(more / over[full]).mean()) / reach
        return max(theta, 1e-3 / self._top), reach
