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
        self._capacity, self._mean, self._sums = Rows(), Rows(), Rows(width)
        self._held: list[list[Usage]] = []

    @abstractmethod
    def numbers(self, usage: Usage) -> FloatArray:
        """Return the numbers of a task: `(width,)`."""

    @abstractmethod
    def levels(self, numbers: FloatArray) -> FloatArray:
        """Return what each machine reaches with these numbers added: `(machines,)`."""

    @abstractmethod
    def words(self, level: float, limit: float) -> str:
        """Say a level and its limit."""

    def limits(self) -> FloatArray:
        """Return what each machine may reach: `(machines,)`."""
        return self._capacity.all

    def grow(self, capacity: float) -> None:
        for rows in (self._capacity, self._mean):
            rows.grow()
        self._sums.grow()
        self._capacity.all[-1] = capacity
        self._held.append([])

    def fits(self, demand: Usage) -> BoolArray:
        return np.asarray(self.levels(self.numbers(demand)) <= self.limits())

    def fullness(self) -> FloatArray:
        return self._mean.all / self._capacity.all

    def add(self, machine: int, demand: Usage) -> None:
        self._held[machine].append(demand)
        self._mean.all[machine] += demand.mean
        self._sums.all[machine] += self.numbers(demand)

    def remove(self, machine: int, demand: Usage) -> None:
        # Summed anew: subtraction would leave rounding behind.
        remaining = self._held[machine]
        remaining.remove(demand)
        self._held[machine] = []
        self._mean.all[machine] = 0.0
        self._sums.all[machine] = 0.0
        for usage in remaining:
            self.add(machine, usage)

    def verdict(self, machine: int, demand: Usage) -> Verdict:
        level = float(self.levels(self.numbers(demand))[machine])
        limit = float(self.limits()[machine])
        return Verdict("", level, limit, self.words(level, limit))
