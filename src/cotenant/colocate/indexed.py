"""Tests of sums that find a machine through the index instead of asking all."""

from collections.abc import Sequence

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.colocate.rules import Rule, best_fit
from cotenant.colocate.stacks import Rows
from cotenant.colocate.summed import SummedAdmission
from cotenant.demand.usage import Usage
from cotenant.kernels import summed as kernel
from cotenant.kernels.corrected import steady_skew
from cotenant.kernels.index import EVERY, Index, make_index


class IndexedSums(SummedAdmission):
    """Admit by sums under a law of `kernels/summed.py`.

    Parameters
    ----------
    law
        Which law; it also says how many numbers of a task are summed.
    deviations
        How many standard deviations are kept free.
    """

    def __init__(self, law: int, deviations: float = 0.0) -> None:
        super().__init__(law)
        self._law, self._deviations = law, deviations
        self._steady = steady_skew(deviations)
        self._seen, self._total = 0, np.zeros(law)  # of the numbers of tasks seen
        self._last_run = (np.zeros((0, law)), np.zeros(0), np.zeros(0, np.int64))
        self._index: Index | None = None
        self._load = self._arrays()

    def levels(self, numbers: FloatArray) -> FloatArray:
        return kernel.levels(self._load, len(self._held), numbers)

    def level(self, machine: int, numbers: FloatArray) -> float:
        return kernel.level(self._load, machine, numbers)

    def numbers_of(self, usages: Sequence[Usage]) -> FloatArray:
        """Return the numbers of many tasks: `(tasks, width)`."""
        return np.array([self.numbers(usage) for usage in usages])

    def grow(self, capacity: float) -> None:
        super().grow(capacity)
        if self._load.mean is not self._mean.allocated:
            self._load, self._index = self._arrays(), None
        self._note(len(self._held) - 1)

    def add(self, machine: int, demand: Usage) -> None:
        super().add(machine, demand)
        self._seen += 1
        self._total += self._rows[machine][-1][1:]
        self._note(machine)

    def remove(self, machine: int, demand: Usage) -> None:
        super().remove(machine, demand)
        self._note(machine)

    def pick(
        self, demand: Usage, rule: Rule, allowed: BoolArray | None = None
    ) -> int | None:
        index, numbers = self._indexed(rule), self.numbers(demand)
        mask = EVERY if allowed is None else allowed
        machine = kernel.choose(index, self._load, numbers, mask)
        return None if machine < 0 else int(machine)

    def run(self, demands: Sequence[Usage], rule: Rule, capacity: float) -> IntArray:
        where = np.empty(len(demands), np.int64)
        numbers = self.numbers_of(demands)
        means = np.array([demand.mean for demand in demands])
        self._seen += len(numbers)
        self._total += numbers.sum(axis=0)
        first = 0
        while first < len(demands):
            if len(self._held) == len(self._load.mean):
                self._double()
            opened = len(self._held)
            self._load.capacity[opened:] = capacity
            self._load.limit[opened:] = self.limit(capacity)
            first, machines = kernel.place(
                self._indexed(rule), self._load, opened, first, numbers, means, where
            )
            for _ in range(machines - opened):
                SummedAdmission.grow(self, capacity)
        self._last_run = numbers, means, where
        rows = np.column_stack([means, numbers])
        for machine, demand, row in zip(where.tolist(), demands, rows, strict=True):
            if machine >= 0:
                self._held[machine].append(demand)
                self._rows[machine].append(row)
        return where

    def rebalanced(self) -> IntArray:
        numbers, means, where = self._last_run
        last, after = len(self._held) - 1, where.copy()
        alone = self._arrays(slice(last, last + 1))
        kernel.rebalance(alone, last, numbers, means, after)
        return after

    def _indexed(self, rule: Rule) -> Index:
        """Return the index in the order of a rule, made anew where that changed."""
        if self._index is None or self._index.best_fit != (rule is best_fit):
            self._load = self._arrays()
            self._index = make_index(len(self._load.mean), rule is best_fit)
            kernel.note_all(self._index, self._load, len(self._held))
        return self._index

    def _note(self, machine: int) -> None:
        if self._index is not None:
            kernel.note(self._index, self._load, machine)

    def _double(self) -> None:
        for rows in self._parts:
            rows.double()
        self._load, self._index = self._arrays(), None

    def _arrays(self, row: slice | None = None) -> kernel.Load:
        """Return what kernels work on: all rows, or a copy of some."""

        def of(rows: Rows) -> FloatArray:
            return rows.allocated if row is None else rows.allocated[row].copy()

        return kernel.Load(
            law=self._law,
            z=self._deviations,
            steady=self._steady,
            nothing=np.zeros(self._law),
            most=4.0 * self._total / max(self._seen, 1),
            capacity=of(self._capacity),
            limit=of(self._limit),
            mean=of(self._mean),
            sums=of(self._sums),
        )
