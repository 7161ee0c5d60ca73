"""The margin that keeps a promise tomorrow: fitted by backtest, corrected by feedback.

Gibbs and Candes (2021) in one-sided form: the correction grows when measured overload
was above the promise and shrinks, never below zero, when it was not.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.errors import InvalidInput

GRID = (1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.5, 1.65, 1.85, 2.1, 2.5, 3.0)


@dataclass(frozen=True, slots=True)
class MarginRule:
    """How the margin is found.

    Parameters
    ----------
    window
        Days of history that are replayed.
    memory
        Backtest curves that are kept, one a day.
    first
        Margin while there is no curve.
    step, cap, highest
        Of the feedback: step size, most overload over rho that counts for a day, and
        largest correction.
    conservative
        Take the largest margin that any of the last `memory` days needed, instead of
        the one that keeps their average.
    grid
        Margins that the backtest tries, ascending from 1.
    """

    window: int = 14
    memory: int = 28
    first: float = 1.2
    step: float = 0.03
    cap: float = 8.0
    highest: float = 1.0
    conservative: bool = False
    grid: tuple[float, ...] = GRID

    @classmethod
    def cautious(cls) -> "MarginRule":
        """Return the rule of ``--conservative``: the worst of seven days."""
        return cls(memory=7, step=0.02, conservative=True)

    def fit(self, curves: Sequence[FloatArray], rho: float) -> float:
        """Return the margin that past days ask for.

        Parameters
        ----------
        curves
            For each day the overload it would have had at each margin of the grid; the
            last `memory` of them count.
        rho
            The promise.
        """
        recent = [np.asarray(curve) for curve in curves[-self.memory :]]
        if not recent:
            return self.first
        if self.conservative:
            return max(self._least(curve, rho, exact=False) for curve in recent)
        return self._least(np.mean(recent, axis=0), rho, exact=True)

    def correct(self, correction: float, overload: float, rho: float) -> float:
        """Return the correction after a day that had this overload."""
        excess = min(overload / rho, self.cap) - 1.0
        return min(max(correction + self.step * excess, 0.0), self.highest)

    def margin(self, fitted: float, correction: float) -> float:
        """Return the margin in force."""
        return max(1.0, fitted) * math.exp(correction)

    def _least(self, curve: FloatArray, rho: float, exact: bool) -> float:
        if len(curve) != len(self.grid):
            raise InvalidInput(
                f"a backtest curve has {len(curve)} margins; expected {len(self.grid)}"
            )
        # From the safe side: an overload that rises again at a larger margin counts.
        safe = np.maximum.accumulate(curve[::-1])[::-1]
        kept = np.flatnonzero(safe <= rho)
        if not len(kept):
            return self.grid[-1]
        i = int(kept[0])
        if i == 0 or not exact:
            return self.grid[i]
        share = float((safe[i - 1] - rho) / (safe[i - 1] - safe[i]))
        low, high = math.log(self.grid[i - 1]), math.log(self.grid[i])
        return math.exp(low + share * (high - low))
