"""Admission tests for random usage that need sums only: Gaussian and fixed sizes."""

import math
from collections.abc import Callable, Iterable
from typing import TypeAlias

from scipy.special import ndtri

from cotenant.arrays import BoolArray, FloatArray
from cotenant.colocate.admission import Verdict
from cotenant.colocate.stacks import Rows
from cotenant.demand.usage import Usage
from cotenant.errors import InvalidInput
from cotenant.kernels.gaussian import levels

Size: TypeAlias = Callable[[Usage], float]


def check_rho(rho: float) -> float:
    """Return `rho` if it is a probability strictly between 0 and 1."""
    if not 0.0 < rho < 1.0:
        raise InvalidInput(f"rho is {rho}; expected a number between 0 and 1")
    return rho


class GaussianAdmission:
    """Admit while mean + z standard deviations stay within capacity: the paper's GPA.

    The usage of a machine is taken as normal with the means and the variances of its
    tasks summed, which supposes that tasks are independent; z is the standard normal
    quantile of 1 - rho (Janus and Rzadca, SoCC 2017).

    Parameters
    ----------
    rho
        Largest accepted probability that usage exceeds capacity, in (0, 1).

    Raises
    ------
    InvalidInput
        If `rho` is outside (0, 1).

    Notes
    -----
    Known bias: for small rho real tails are heavier than the normal one, so machines
    are overloaded more often than promised. `cotenant compare` shows by how much.
    """

    def __init__(self, rho: float) -> None:
        self._z = float(-ndtri(check_rho(rho)))
        self._capacity, self._mean, self._variance = Rows(), Rows(), Rows()
        self._held: list[list[Usage]] = []

    def grow(self, capacity: float) -> None:
        for rows in (self._capacity, self._mean, self._variance):
            rows.grow()
        self._capacity.all[-1] = capacity
        self._held.append([])

    def fits(self, demand: Usage) -> BoolArray:
        return self._levels(demand) <= self._capacity.all

    def fullness(self) -> FloatArray:
        return self._mean.all / self._capacity.all

    def add(self, machine: int, demand: Usage) -> None:
        self._held[machine].append(demand)
        self._mean.all[machine] += demand.mean
        self._variance.all[machine] += demand.variance

    def remove(self, machine: int, demand: Usage) -> None:
        # Summed anew: subtraction would leave rounding behind.
        self._held[machine].remove(demand)
        self._mean.all[machine] = _total(u.mean for u in self._held[machine])
        self._variance.all[machine] = _total(u.variance for u in self._held[machine])

    def verdict(self, machine: int, demand: Usage) -> Verdict:
        level = float(self._levels(demand)[machine])
        limit = float(self._capacity.all[machine])
        words = (
            f"mean + {self._z:.2f} sd = {level:.4g} {_sign(level, limit)} {limit:.4g}"
        )
        return Verdict("", level, limit, words)

    def _levels(self, demand: Usage) -> FloatArray:
        mean, variance = self._mean.all, self._variance.all
        return levels(mean, variance, demand.mean, demand.variance, self._z)


class SizedAdmission:
    """Admit while the fixed sizes of the tasks add up to at most capacity.

    Parameters
    ----------
    size
        Gives the size of a usage, in its unit.
    name
        What the size is, for people: "95th percentile".
    """

    def __init__(self, size: Size, name: str) -> None:
        self._size, self._name = size, name
        self._capacity, self._mean, self._filled = Rows(), Rows(), Rows()
        self._held: list[list[Usage]] = []

    def grow(self, capacity: float) -> None:
        for rows in (self._capacity, self._mean, self._filled):
            rows.grow()
        self._capacity.all[-1] = capacity
        self._held.append([])

    def fits(self, demand: Usage) -> BoolArray:
        # The slack is rounding of sums: ten times 0.1 fills a machine of 1 exactly.
        limit = self._capacity.all * (1.0 + 1e-12)
        return self._filled.all + self._size(demand) <= limit

    def fullness(self) -> FloatArray:
        return self._mean.all / self._capacity.all

    def add(self, machine: int, demand: Usage) -> None:
        self._held[machine].append(demand)
        self._mean.all[machine] += demand.mean
        self._filled.all[machine] += self._size(demand)

    def remove(self, machine: int, demand: Usage) -> None:
        self._held[machine].remove(demand)
        self._mean.all[machine] = _total(u.mean for u in self._held[machine])
        self._filled.all[machine] = _total(map(self._size, self._held[machine]))

    def verdict(self, machine: int, demand: Usage) -> Verdict:
        total = float(self._filled.all[machine]) + self._size(demand)
        limit = float(self._capacity.all[machine])
        sign = _sign(total, limit * (1.0 + 1e-12))
        words = f"sum of {self._name} = {total:.4g} {sign} {limit:.4g}"
        return Verdict("", total, limit * (1.0 + 1e-12), words)


def mean_size(factor: float) -> Size:
    """Size a task by `factor` times its mean."""
    return lambda usage: factor * usage.mean


def percentile_size(percent: float) -> Size:
    """Size a task by a percentile of its samples."""
    return lambda usage: usage.percentile(percent)


def maximum_size(usage: Usage) -> float:
    """Size a task by the most it was seen to use."""
    return usage.maximum


def cantelli_size(deviations: float) -> Size:
    """Size a task by its mean plus some standard deviations.

    With sqrt(1/rho - 1) deviations Cantelli's inequality bounds by rho the probability
    that one task exceeds its size, whatever its distribution.
    """
    return lambda usage: usage.mean + deviations * math.sqrt(usage.variance)


def request_size(usage: Usage) -> float:
    """Size a task by what its owner asked for.

    Raises
    ------
    InvalidInput
        If the source gave no request.
    """
    if usage.request is None:
        raise InvalidInput(
            "method requests needs what each task asked for; "
            "the source has no cpu_request"
        )
    return usage.request


def _total(values: Iterable[float]) -> float:
    # From the left like repeated addition, so that removal restores the bits of add.
    result = 0.0
    for value in values:
        result += value
    return result


def _sign(value: float, limit: float) -> str:
    return "<=" if value <= limit else ">"
