"""Admission by fixed sizes that add up: one class, many ways to size tasks."""

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.colocate.indexed import IndexedSums
from cotenant.colocate.summed import sign
from cotenant.demand.usage import Usage
from cotenant.errors import InvalidInput
from cotenant.kernels.summed import SIZES

Sizes: TypeAlias = Callable[[Sequence[Usage]], FloatArray]


class SizedAdmission(IndexedSums):
    """Admit while the sizes of the tasks add up to at most capacity.

    Parameters
    ----------
    sizes
        Gives the sizes of usages, in their unit.
    name
        What the sizes are, for people: "percentiles (95 %)".
    extra
        Added to every capacity; may be negative.
    """

    def __init__(self, sizes: Sizes, name: str, extra: float = 0.0) -> None:
        super().__init__(SIZES)
        self._sizes, self._name, self._extra = sizes, name, extra

    def numbers(self, usage: Usage) -> FloatArray:
        return self._sizes([usage])

    def numbers_of(self, usages: Sequence[Usage]) -> FloatArray:
        return self._sizes(usages)[:, None]

    def limit(self, capacity: float) -> float:
        # The slack is rounding of sums: ten times 0.1 fills a machine of 1 exactly.
        return capacity * (1.0 + 1e-12) + self._extra

    def words(self, level: float, limit: float) -> str:
        total = f"sum of {self._name} = {level:.4g}"
        return f"{total} {sign(level, limit)} {limit:.4g}"


def mean_sizes(factor: float) -> Sizes:
    """Size tasks by `factor` times their mean."""
    return lambda usages: np.array([factor * usage.mean for usage in usages])


def percentile_sizes(percent: float) -> Sizes:
    """Size tasks by a percentile of their samples."""
    return lambda usages: np.array([usage.percentile(percent) for usage in usages])


def maximum_sizes(usages: Sequence[Usage]) -> FloatArray:
    """Size tasks by the most they were seen to use."""
    return np.array([usage.maximum for usage in usages])


def cantelli_sizes(deviations: float) -> Sizes:
    """Size tasks by their mean plus some standard deviations.

    With sqrt(1/rho - 1) deviations Cantelli's inequality bounds by rho the probability
    that one task exceeds its size, whatever its distribution.
    """
    return lambda usages: np.array(
        [usage.mean + deviations * math.sqrt(usage.variance) for usage in usages]
    )


def request_sizes(usages: Sequence[Usage]) -> FloatArray:
    """Size tasks by what their owners asked for.

    Raises
    ------
    InvalidInput
        If the source gave no request.
    """
    if any(usage.request is None for usage in usages):
        raise InvalidInput(
            "method requests needs what each task asked for; "
            "the source has no cpu_request"
        )
    return np.array([usage.request for usage in usages], dtype=np.float64)
