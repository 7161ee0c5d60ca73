"""Seeded pools of tasks for tests, studies and demonstrations; no real data.

Every task draws from a random stream of its own, so the first tasks of a large pool
are those of a small one. `matched` is calibrated on published statistics of the Google
2011 cluster trace (mean, variance and their regression, of samples and of 5-minute
averages), `heavy` adds rare large bursts. The samples of a task are independent: their
order means nothing. `daily`, re-exported here, is the time-aligned trace.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from cotenant.arrays import FloatArray
from cotenant.errors import InvalidInput
from cotenant.traces.daily import daily
from cotenant.traces.shapes import (
    Shape,
    bimodal,
    burst,
    folded_normal,
    gamma,
    lognormal,
    spikes,
)

__all__ = ["daily", "heavy", "matched", "some_tasks"]


def matched(tasks: int, seed: int = 0, *, averages: bool = False) -> pl.DataFrame:
    """Make the pool whose moments match the Google 2011 trace.

    Its rows are canonical: `task`, `cpu` (machine fractions in [0, 0.35]) and, where
    asked for, `cpu_mean`; 24 to 2,000 rows a task, about 140 on average.

    Parameters
    ----------
    tasks
        Number of tasks, at least 1.
    seed
        Not negative; the same seed gives the same pool.
    averages
        Whether to add `cpu_mean`, what 5-minute averaging would have left of `cpu`.

    Raises
    ------
    InvalidInput
        If `tasks` is below 1 or `seed` below 0.

    Examples
    --------
    >>> matched(2)["task"].unique(maintain_order=True).to_list()
    ['task-00001', 'task-00002']
    """
    return some_tasks("matched", range(1, tasks + 1), seed, averages=averages)


def heavy(tasks: int, seed: int = 0, *, averages: bool = False) -> pl.DataFrame:
    """Make the stress pool: the load of `matched` with bursts up to a whole machine.

    Parameters, columns and errors are those of `matched`; `cpu` lies in [0, 1], and
    very few samples are exactly 1.
    """
    return some_tasks("heavy", range(1, tasks + 1), seed, averages=averages)


@dataclass(frozen=True, slots=True)
class _Recipe:
    """How the tasks of a pool are drawn; a median comes with the sigma of its log."""

    idle_share: float
    idle_mean: tuple[float, float]
    active_mean: tuple[float, float]
    largest_mean: float
    # Standard deviation = (slope * mean + offset) times a lognormal of this spread.
    slope: float
    offset: float
    spread: float
    # Tasks of a larger coefficient of variation than this are drawn as bursts.
    bursty_above: float
    burst: Shape
    # The others: probability of each shape.
    shapes: tuple[tuple[float, Shape], ...]
    # Samples are cut at ceiling[0] * mean + ceiling[1], and at a whole machine.
    ceiling: tuple[float, float]


def some_tasks(
    pool: str, numbers: Sequence[int], seed: int = 0, *, averages: bool = False
) -> pl.DataFrame:
    """Make some tasks of a pool without the others, in the order given.

    Parameters
    ----------
    pool
        `matched` or `heavy`.
    numbers
        Numbers of the tasks, from 1; each at most once.
    seed, averages
        As in `matched`.

    Raises
    ------
    InvalidInput
        If the pool is unknown, a number is below 1, none is given, or `seed` is below
        0.
    """
    if pool not in POOLS:
        raise InvalidInput(f"pool is {pool!r}; expected {' or '.join(POOLS)}")
    if min(numbers, default=0) < 1 or seed < 0:
        raise InvalidInput(
            f"tasks is {len(numbers)} and seed {seed}; expected at least 1 and at "
            "least 0"
        )
    recipe = POOLS[pool]
    cpu: list[FloatArray] = []
    cpu_mean: list[FloatArray] = []
    for number in numbers:
        rng = np.random.default_rng([seed, number])
        mean, samples = _task(recipe, rng)
        cpu.append(samples)
        if averages:
            # Drawn last, so that `cpu` is the same with and without averages.
            cpu_mean.append(_averaged(samples, mean, rng))
    names = pl.Series("task", [f"task-{number:05d}" for number in numbers])
    owner = np.repeat(np.arange(len(names)), [samples.size for samples in cpu])
    columns = {"task": names.gather(owner), "cpu": np.concatenate(cpu)}
    if averages:
        columns["cpu_mean"] = np.concatenate(cpu_mean)
    return pl.DataFrame(columns)


def _task(recipe: _Recipe, rng: np.random.Generator) -> tuple[float, FloatArray]:
    idle = rng.random() < recipe.idle_share
    median, sigma = recipe.idle_mean if idle else recipe.active_mean
    drawn = median * math.exp(sigma * rng.standard_normal())
    mean = min(max(drawn, 2e-4), recipe.largest_mean)
    line = recipe.slope * mean + recipe.offset
    deviation = line * float(lognormal(rng, 1.0, recipe.spread, 1)[0])
    size = round(min(max(70.0 * math.exp(1.2 * rng.standard_normal()), 24), 2000))
    bursty = deviation / mean > recipe.bursty_above
    shape = recipe.burst if bursty else _pick(recipe.shapes, rng.random())
    samples = shape(rng, mean, deviation, size)
    factor, offset = recipe.ceiling
    return mean, np.clip(samples, 0.0, min(1.0, factor * mean + offset))


def _pick(shapes: tuple[tuple[float, Shape], ...], uniform: float) -> Shape:
    for probability, shape in shapes[:-1]:
        uniform -= probability
        if uniform < 0:
            return shape
    return shapes[-1][1]


def _averaged(samples: FloatArray, mean: float, rng: np.random.Generator) -> FloatArray:
    """Mix each sample with another one of the task: variance shrinks, mean stays."""
    ratio = (0.31 * mean + 0.0105) / (0.36 * mean + 0.015)
    weight = 0.5 + 0.5 * math.sqrt(max(0.0, 2.0 * ratio**2 - 1.0))
    mixed = weight * samples + (1.0 - weight) * rng.permutation(samples)
    # Even weights leave half of the variance; what should go beyond that is scaled off.
    scale = min(1.0, ratio / math.sqrt(0.5))
    centre = mixed.mean()
    shrunk: FloatArray = centre + scale * (mixed - centre)
    return shrunk


_MATCHED = _Recipe(
    idle_share=0.25,
    idle_mean=(0.004, 1.0),
    active_mean=(0.0305, 0.55),
    largest_mean=0.15,
    slope=0.24,
    offset=0.027,
    spread=0.25,
    bursty_above=0.9,
    burst=burst(0.2),
    shapes=(
        (0.20, gamma),
        (0.40, bimodal),
        (0.02, spikes),
        (0.38, folded_normal),
    ),
    ceiling=(2.0, 0.05),
)
_HEAVY = _Recipe(
    idle_share=0.33,
    idle_mean=(0.0022, 1.0),
    active_mean=(0.0272, 0.80),
    largest_mean=0.20,
    slope=0.36,
    offset=0.0155,
    spread=0.38,
    bursty_above=1.15,
    burst=burst(0.6),
    shapes=(
        (0.42, gamma),
        (0.20, lognormal),
        (0.30, bimodal),
        (0.08, spikes),
    ),
    ceiling=(50.0, 1.0),
)
POOLS = {"matched": _MATCHED, "heavy": _HEAVY}
