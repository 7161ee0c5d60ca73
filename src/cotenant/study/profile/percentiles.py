"""Sums of tasks: how well a Gaussian tells their high percentiles."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from cotenant.arrays import FloatArray, IntArray
from cotenant.study.profile.parts import Absent, Part, Quantiles
from cotenant.study.profile.sums import GROUPS, Realised, draw_groups, too_few

SIZES = (10, 20, 30, 40, 50)
PERCENTILES = (90.0, 99.0, 99.9)


@dataclass(frozen=True, slots=True)
class PercentileRow:
    """Relative error of a Gaussian percentile of the sum of `tasks` tasks.

    Parameters
    ----------
    error
        Percentiles over groups of (Gaussian - drawn) / drawn: below 0 where the
        Gaussian promises too much.
    mean
        Its average over groups.
    """

    tasks: int
    percentile: float
    groups: int
    mean: float
    error: Quantiles


@dataclass(frozen=True, slots=True)
class PercentileError(Part[PercentileRow]):
    """How well a Gaussian tells the high percentiles of sums."""

    realisations: int


def percentile_error(
    realised: Realised,
    sizes: Sequence[int] = SIZES,
    percentiles: Sequence[float] = PERCENTILES,
    groups: int = GROUPS,
    seed: int = 0,
) -> PercentileError | Absent:
    """Compare Gaussian percentiles of sums with those of all realisations.

    The Gaussian has the summed means and variances of the tasks' samples. Sizes above
    half of all tasks are left out.
    """
    rng = np.random.default_rng([seed, 6])
    z, rows = ndtri(np.array(percentiles) / 100.0), []
    for size in sizes:
        if 2 * size > len(realised.usage):
            continue
        picked = draw_groups(len(realised.usage), size, groups, rng)
        errors = np.array(
            [_errors(realised, tasks, percentiles, z) for tasks in picked]
        )
        for column, percentile in enumerate(percentiles):
            known = errors[:, column][np.isfinite(errors[:, column])]
            if len(known):
                quantiles = Quantiles.of(known)
                mean = float(known.mean())
                rows.append(
                    PercentileRow(size, percentile, len(known), mean, quantiles)
                )
    if not rows:
        return too_few(len(realised.usage), sizes)
    return PercentileError(tuple(rows), realised.usage.shape[1])


def _errors(
    realised: Realised, tasks: IntArray, percentiles: Sequence[float], z: FloatArray
) -> FloatArray:
    total = realised.usage[tasks].sum(axis=0, dtype=np.float64)
    drawn = np.percentile(total, percentiles)
    deviation = np.sqrt(realised.variance[tasks].sum())
    gaussian = realised.mean[tasks].sum() + z * deviation
    # A group that is idle nearly always may have a percentile of 0.
    safe = np.where(drawn > 0, drawn, np.nan)
    return np.asarray(gaussian / safe - 1.0, np.float64)
