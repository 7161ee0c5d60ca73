"""Admission tests by a normal law and its corrections: all O(1) a machine."""

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.colocate.indexed import IndexedSums
from cotenant.colocate.summed import SummedAdmission, check_rho, sign
from cotenant.demand.usage import Usage
from cotenant.kernels import gaussian as kernel
from cotenant.kernels.summed import CUMULANTS, NORMAL


class GaussianAdmission(IndexedSums):
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
        super().__init__(NORMAL, _deviations(rho))

    def numbers(self, usage: Usage) -> FloatArray:
        return np.array([usage.mean, usage.variance])

    def words(self, level: float, limit: float) -> str:
        way = f"mean + {self._deviations:.2f} sd"
        return f"{way} = {level:.4g} {sign(level, limit)} {limit:.4g}"


class GaussianSlotsAdmission(SummedAdmission):
    """Admit while the normal tail beyond capacity, mean over slots, is at most `rho`.

    Parameters
    ----------
    rho
        As in `GaussianAdmission`.
    slots
        Time-of-day slots; tasks are independent within one.
    """

    def __init__(self, rho: float, slots: int) -> None:
        super().__init__(2 * slots)
        self._rho, self._slots = check_rho(rho), slots

    def numbers(self, usage: Usage) -> FloatArray:
        hours = usage.by_hour(self._slots)
        return np.concatenate([hours.mean, hours.variance])

    def levels(self, numbers: FloatArray) -> FloatArray:
        return kernel.overloads(self._sums.all, self._capacity.all, numbers)

    def limit(self, capacity: float) -> float:
        return self._rho

    def words(self, level: float, limit: float) -> str:
        sd = f"normal Pr[over], mean of {self._slots} slots"
        return f"{sd} = {level:.3g} {sign(level, limit)} {limit:.3g}"


class CumulantAdmission(IndexedSums):
    """Admit by a normal law corrected for skew and kurtosis.

    The first four cumulants of independent tasks add up. The standard deviations that
    are kept free are the larger of two quantiles: Cornish and Fisher's expansion, made
    monotone, and the gamma law of the same skew by Wilson and Hilferty's cube root.

    Parameters
    ----------
    rho
        As in `GaussianAdmission`.

    Notes
    -----
    Unsafe where a machine holds few tasks, or tasks with rare peaks as large as the
    machine: below rho = 0.001 single machines then exceed it several times over. Where
    one correction is too cautious (the gamma law on machines of few tasks), so is this.
    """

    def __init__(self, rho: float) -> None:
        super().__init__(CUMULANTS, _deviations(rho))

    def numbers(self, usage: Usage) -> FloatArray:
        return np.array([usage.mean, usage.variance, usage.third, usage.fourth])

    def words(self, level: float, limit: float) -> str:
        return f"corrected peak = {level:.4g} {sign(level, limit)} {limit:.4g}"


class OneFactorAdmission(SummedAdmission):
    """Admit by a normal law in which tasks share one factor, the total usage.

    The variance of a machine is what its tasks have of their own, summed, plus the
    square of the summed covariances with the standardised total. With nothing shared it
    is GPA.

    Parameters
    ----------
    rho
        As in `GaussianAdmission`.
    """

    def __init__(self, rho: float) -> None:
        super().__init__(3)
        self._z = _deviations(rho)

    def numbers(self, usage: Usage) -> FloatArray:
        own = max(usage.variance - usage.shared**2, 0.0)
        return np.array([usage.mean, own, usage.shared])

    def levels(self, numbers: FloatArray) -> FloatArray:
        return kernel.one_factor_levels(self._sums.all, numbers, self._z)

    def words(self, level: float, limit: float) -> str:
        way = f"mean + {self._z:.2f} sd with one factor"
        return f"{way} = {level:.4g} {sign(level, limit)} {limit:.4g}"


class WelchAdmission(SummedAdmission):
    """Admit by GPA with what few observations leave open.

    Each variance grows by k / (k - 1) * (1 + 1 / k) for k observations, and z becomes
    the quantile of Student's t with the degrees of freedom of Welch and Satterthwaite.
    A task seen once has no variance to go by and is taken to vary as much as its mean.

    Parameters
    ----------
    rho
        As in `GaussianAdmission`.

    Notes
    -----
    Not monotone: with degrees of freedom near 1, a well-known task more on a machine
    adds freedom, and the quantile may fall by more than the mean rises.
    """

    def __init__(self, rho: float) -> None:
        super().__init__(3)
        self._rho = check_rho(rho)

    def numbers(self, usage: Usage) -> FloatArray:
        k = usage.observations
        if k < 2:
            return np.array([usage.mean, usage.mean**2, usage.mean**4])
        variance = usage.variance * k / (k - 1) * (1.0 + 1.0 / k)
        return np.array([usage.mean, variance, variance**2 / (k - 1)])

    def levels(self, numbers: FloatArray) -> FloatArray:
        # Imported here, as below.
        from scipy.special import stdtrit

        mean, variance, fourth = (self._sums.all + numbers).T
        freedom = np.full(len(mean), 1e9)
        np.divide(variance**2, fourth, out=freedom, where=fourth > 0)
        t = stdtrit(np.maximum(freedom, 1.0), 1.0 - self._rho)
        return np.asarray(mean + t * np.sqrt(variance), dtype=np.float64)

    def words(self, level: float, limit: float) -> str:
        return f"mean + t sd = {level:.4g} {sign(level, limit)} {limit:.4g}"


def _deviations(rho: float) -> float:
    # Imported here: it takes a quarter of a second, and the exact test has no need.
    from scipy.special import ndtri

    return float(-ndtri(check_rho(rho)))
