"""Rules: which of the machines that fit takes the demand."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from cotenant.arrays import BoolArray, FloatArray

Rule: TypeAlias = Callable[[BoolArray, FloatArray], int | None]


def first_fit(fits: BoolArray, fullness: FloatArray) -> int | None:
    """Pick the lowest-numbered machine that fits.

    >>> first_fit(np.array([False, True, True]), np.array([0.9, 0.2, 0.7]))
    1
    """
    return int(fits.argmax()) if fits.any() else None


def best_fit(fits: BoolArray, fullness: FloatArray) -> int | None:
    """Pick the fullest machine that fits; the lowest-numbered one on a tie.

    >>> best_fit(np.array([True, True, False]), np.array([0.2, 0.7, 0.9]))
    1
    """
    return int(np.where(fits, fullness, -np.inf).argmax()) if fits.any() else None
