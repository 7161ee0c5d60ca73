"""Random usage of a task, as a distribution of at most 512 weighted values."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from cotenant.arrays import FloatArray, IntArray
from cotenant.errors import InvalidInput
from cotenant.kernels.atoms import atoms, moments

ATOMS = 512


@dataclass(frozen=True, slots=True, eq=False)
class Hours:
    """Usage by time of day: one distribution for each of equally long slots.

    Parameters
    ----------
    offsets
        `(slots + 1,)`: slot s has `values[offsets[s]:offsets[s + 1]]`, at least one.
    values, weights
        Usages in ascending order within a slot; weights add to 1 in each.
    mean, variance
        `(slots,)` moments.
    """

    offsets: IntArray
    values: FloatArray
    weights: FloatArray
    mean: FloatArray
    variance: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Usage:
    """What a task uses of one resource at a moment, as a random variable.

    Parameters
    ----------
    mean, variance
        Moments of all samples (variance divides by their number); never negative.
    values
        Distinct usages in ascending order; empty where only moments are known. Beyond
        512 distinct samples, neighbours are merged into their mean: the smallest and
        the largest stay, and no value moves by more than 1/510 of their distance.
    weights
        Probability of each value; they add to 1.
    observations
        How many samples the values rest on.
    request
        What the owner asked for, same unit, if known.
    third, fourth
        Third and fourth cumulants: what a normal law has as 0.
    shared
        Covariance with the standardised total usage of the trace: how far the task
        moves with all others; 0 where the trace is not aligned.
    hours
        Usage by time of day, where it was asked for.
    series
        Usage moment by moment, aligned with that of other tasks, where it was asked
        for.

    Raises
    ------
    InvalidInput
        If a moment is negative or not finite, or the arrays do not match.

    Examples
    --------
    >>> usage = Usage.from_samples([0.1, 0.3, 0.3, 0.5])
    >>> round(usage.mean, 3), usage.maximum, usage.observations
    (0.3, 0.5, 4)
    """

    mean: float
    variance: float
    values: FloatArray
    weights: FloatArray
    observations: int
    request: float | None = None
    third: float = 0.0
    fourth: float = 0.0
    shared: float = 0.0
    hours: Hours | None = None
    series: FloatArray | None = None

    def __post_init__(self) -> None:
        for name in ("mean", "variance"):
            value = getattr(self, name)
            if not 0.0 <= value < np.inf:
                raise InvalidInput(f"usage {name} is {value}; expected 0 or more")
        if len(self.values) != len(self.weights):
            raise InvalidInput("usage values and weights differ in length")

    @classmethod
    def from_samples(
        cls, samples: ArrayLike, *, request: float | None = None
    ) -> "Usage":
        """Make a usage from observed samples, each of equal weight.

        Raises
        ------
        InvalidInput
            If there is no sample, or one is negative or not finite.
        """
        array = np.asarray(samples, dtype=np.float64).ravel()
        if not len(array):
            raise InvalidInput("usage has no samples; expected at least one")
        if not np.isfinite(array).all() or (array < 0).any():
            raise InvalidInput("usage has samples below 0 or not finite")
        offsets = np.array([0, len(array)], dtype=np.int64)
        made = usages(offsets, array, np.ones(len(array)))[0]
        return made if request is None else replace(made, request=request)

    @property
    def maximum(self) -> float:
        """The largest usage seen."""
        return float(self._known()[-1])

    def percentile(self, percent: float) -> float:
        """Return the smallest value that at least `percent` of the samples stay within.

        `percent` is in [0, 100].
        """
        values = self._known()
        at = int(np.searchsorted(self.weights.cumsum(), percent / 100.0 - 1e-12))
        return float(values[min(at, len(values) - 1)])

    def by_hour(self, slots: int) -> Hours:
        """Return usage in that many time-of-day slots; 1 is the whole day.

        Raises
        ------
        InvalidInput
            If it is not known in so many slots.
        """
        if slots > 1:
            if self.hours is None or len(self.hours.mean) != slots:
                raise InvalidInput(f"usage is not known in {slots} time-of-day slots")
            return self.hours
        return Hours(
            np.array([0, len(self.values)], dtype=np.int64),
            self.values,
            self.weights,
            np.array([self.mean]),
            np.array([self.variance]),
        )

    def _known(self) -> FloatArray:
        if not len(self.values):
            raise InvalidInput("usage knows its moments only; this needs its samples")
        return self.values


def usages(offsets: IntArray, samples: FloatArray, weights: FloatArray) -> list[Usage]:
    """Make the usages of many tasks at once.

    Parameters
    ----------
    offsets
        `(tasks + 1,)`: task i has `samples[offsets[i]:offsets[i + 1]]`, at least one.
    samples
        Usage, not negative.
    weights
        How long each sample stands for, any unit.
    """
    mean, variance, third, fourth = moments(offsets, samples, weights)
    starts, values, masses = atoms(offsets, samples, weights, ATOMS)
    return [
        Usage(
            mean=float(mean[i]),
            variance=float(variance[i]),
            values=values[starts[i] : starts[i + 1]],
            weights=masses[starts[i] : starts[i + 1]],
            observations=int(offsets[i + 1] - offsets[i]),
            third=float(third[i]),
            fourth=float(fourth[i]),
        )
        for i in range(len(offsets) - 1)
    ]
