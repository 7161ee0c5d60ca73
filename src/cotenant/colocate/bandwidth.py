"""Effective bandwidth: sizes that add up and still meet the SLO.

One tilt theta serves the whole population. The size of a task is K(theta) / theta with
K its log moment generating function. Chernoff's bound would make that a guarantee at
the price of 14 to 25 % more machines; the Esscher prefactor, the normal tail under the
tilted law, corrects capacity instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.colocate.summed import check_rho
from cotenant.demand.usage import Usage
from cotenant.errors import InvalidInput
from cotenant.kernels.bandwidth import log_mgf

STEEPEST = 1e9  # tilt times capacity at which a size is the maximum for all it matters


@dataclass(frozen=True, slots=True)
class Tilt:
    """The tilt of a population at a capacity and a promise.

    Parameters
    ----------
    theta
        Above 0, in 1 / unit of usage.
    extra
        Added to a capacity before sizes are compared with it; may be negative.
    """

    theta: float
    extra: float

    def sizes(self, usages: Sequence[Usage]) -> FloatArray:
        """Return the effective bandwidth of tasks: from their mean to their maximum."""
        return bandwidths(usages, self.theta)


def find_tilt(population: Sequence[Usage], capacity: float, rho: float) -> Tilt:
    """Find the tilt at which machines full of average tasks meet the promise exactly.

    Tasks that never vary are sized by their maxima. The tilt suits machines full of
    average tasks: on a machine of unlike ones a stricter promise, with its steeper
    tilt, may admit what a looser one refuses.

    Raises
    ------
    InvalidInput
        If the population is empty or has no samples.
    """
    # Imported here: it takes a third of a second, and only this method needs it.
    from scipy.optimize import brentq
    from scipy.special import log_ndtr

    check_rho(rho)
    atoms = _atoms(population)
    target = np.log(rho)

    def at(theta: float) -> tuple[float, float]:
        k, first, second = log_mgf(*atoms, theta)
        tasks = capacity / first.mean()
        spread = theta * np.sqrt(tasks * second.mean())
        prefactor = spread**2 / 2 + log_ndtr(-spread)
        return tasks * k.mean() - theta * capacity + prefactor, prefactor

    low, high = 1e-6 / capacity, 1.0 / capacity
    while at(high)[0] > target and high * capacity < STEEPEST:
        high *= 4.0
    theta = high
    if at(high)[0] <= target:
        theta = float(brentq(lambda t: at(t)[0] - target, low, high, rtol=1e-7))
    return Tilt(theta, (target - at(theta)[1]) / theta)


def bandwidths(usages: Sequence[Usage], theta: float) -> FloatArray:
    """Return the effective bandwidth of each task at one tilt: `(tasks,)`."""
    k, _, _ = log_mgf(*_atoms(usages), theta)
    return k / theta


def skewness(usages: Sequence[Usage], capacity: float, rho: float) -> FloatArray:
    """Return effective bandwidth over mean: how much dearer than its mean a task is.

    Tasks of like ratio share machines well: steady ones need little headroom, and
    wild ones share theirs.
    """
    means = np.array([u.mean for u in usages])
    if not len(means) or not means.any():
        return np.ones(len(means))
    sizes = bandwidths(usages, find_tilt(usages, capacity, rho).theta)
    ratio: FloatArray = np.ones(len(means))
    np.divide(sizes, means, out=ratio, where=means > 0)
    return ratio


def _atoms(usages: Sequence[Usage]) -> tuple[IntArray, FloatArray, FloatArray]:
    if not usages or any(not len(u.values) for u in usages):
        raise InvalidInput("effective bandwidth needs the samples of every task")
    lengths = [len(u.values) for u in usages]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    values = np.concatenate([u.values for u in usages])
    return starts, values, np.concatenate([u.weights for u in usages])
