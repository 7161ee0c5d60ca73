"""Admission by fixed sizes that add up: one class, many ways to size a task."""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.colocate.summed import SummedAdmission, sign
from cotenant.demand.usage import Usage
from cotenant.errors import InvalidInput

Size: TypeAlias = Callable[[Usage], float]


class SizedAdmission(SummedAdmission):
    """Admit while the sizes of the tasks add up to at most capacity.

    Parameters
    ----------
    size
        Gives the size of a usage, in its unit.
    name
        What the sizes are, for people: "percentiles (95 %)".
    extra
        Added to every capacity; may be negative.
    """

    def __init__(self, size: Size, name: str, extra: float = 0.0) -> None:
        super().__init__(1)
        self._size, self._name, self._extra = size, name, extra

    def numbers(self, usage: Usage) -> FloatArray:
        return np.array([self._size(usage)])

    def levels(self, numbers: FloatArray) -> FloatArray:
        return np.asarray(self._sums.all[:, 0] + numbers[0], dtype=np.float64)

    def limits(self) -> FloatArray:
        # The slack is rounding of sums: ten times 0.1 fills a machine of 1 exactly.
        return self._capacity.all * (1.0 + 1e-12) + self._extra

    def words(self, level: float, limit: float) -> str:
        total = f"sum of {self._name} = {level:.4g}"
        return f"{total} {sign(level, limit)} {limit:.4g}"


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
