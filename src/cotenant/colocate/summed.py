"""Admission tests that keep sums over a machine's tasks and nothing else."""

from abc import ABC, abstractmethod

import numpy as np

from cotenant.arrays import BoolArray, FloatArray
from cotenant.colocate.admission import Verdict
from cotenant.colocate.stacks import Rows
from cotenant.demand.usage import Usage
from cotenant.errors import InvalidInput


def check_rho(rho: float) -> float:
    """Return `rho` if it is a probability strictly between 0 and 1."""
    if not 0.0 < rho < 1.0:
        raise InvalidInput(f"rho is {rho}; expected a number between 0 and 1")
    return rho


def sign(value: float, limit: float) -> str:
    """Return the sign that stands truly between a value and its limit."""
    return "<=" if value <= limit else ">"


class SummedAdmission(ABC):
    """Admit while a level worked out from sums over the tasks is within a limit.

    A subclass says which numbers of a task are summed, and what level a machine reaches
    with a task on it. Its limit is the capacity unless it says otherwise.

    Parameters
    ----------
    width
        How many numbers of a task are summed.
    """

    def __init__(self, width: int) -> None:
        self._capacity, self._limit, self._mean = Rows(), Rows(), Rows()
        self._sums = Rows(width)
        self._parts = (self._capacity, self._limit, self._mean, self._sums)
        # Of each machine its tasks, and for each its mean and its numbers.
        self._held: list[list[Usage]] = []
        self._rows: list[list[FloatArray]] = []

    @abstractmethod
    def numbers(self, usage: Usage) -> FloatArray:
        """Return the numbers of a task: `(width,)`."""

    @abstractmethod
    def levels(self, numbers: FloatArray) -> FloatArray:
        """Return what each machine reaches with these numbers added: `(machines,)`."""

    def level(self, machine: int, numbers: FloatArray) -> float:
        """Return what one machine reaches with these numbers added."""
        return float(self.levels(numbers)[machine])

    @abstractmethod
    def words(self, level: float, limit: float) -> str:
        """Say a level and its limit."""

    def limit(self, capacity: float) -> float:
        """Return what a machine of that capacity may reach."""
        return capacity

    def grow(self, capacity: float) -> None:
        for rows in self._parts:
            rows.grow()
        self._capacity.all[-1] = capacity
        self._limit.all[-1] = self.limit(capacity)
        self._held.append([])
        self._rows.append([])

    def fits(self, demand: Usage) -> BoolArray:
        return np.asarray(self.levels(self.numbers(demand)) <= self._limit.all)

    def fullness(self) -> FloatArray:
        return self._mean.all / self._capacity.all

    def add(self, machine: int, demand: Usage) -> None:
        numbers = self.numbers(demand)
        self._held[machine].append(demand)
        self._rows[machine].append(np.array([demand.mean, *numbers]))
        self._mean.allocated[machine] += demand.mean
        self._sums.allocated[machine] += numbers

    def remove(self, machine: int, demand: Usage) -> None:
        # Summed anew: subtraction would leave rounding behind.
        at = self._held[machine].index(demand)
        del self._held[machine][at], self._rows[machine][at]
        self._mean.all[machine], self._sums.all[machine] = 0.0, 0.0
        if self._rows[machine]:
            total = np.cumsum(self._rows[machine], axis=0)[-1]
            self._mean.all[machine], self._sums.all[machine] = total[0], total[1:]

    def verdict(self, machine: int, demand: Usage) -> Verdict:
        level = self.level(machine, self.numbers(demand))
        limit = float(self._limit.all[machine])
        return Verdict("", level, limit, self.words(level, limit))
