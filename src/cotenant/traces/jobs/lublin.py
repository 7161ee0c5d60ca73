"""Jobs of the Lublin-Feitelson model, drawn by our own code.

U. Lublin and D. G. Feitelson, "The workload on parallel supercomputers: modeling the
characteristics of rigid jobs", J. Parallel Distrib. Comput. 63 (2003) 1105-1122. The
parameters are those its authors published for jobs of one type (batch and interactive
together), fitted to logs of 128 processors:

========== ===================================================================
sizes      a job is serial with probability 0.244; else log2 of its size is
           uniform in two stages, and rounded with probability 0.576 of all jobs
run times  log of the seconds is a mixture of two gamma distributions; large
           jobs draw the longer one more often
arrivals   log of the points between jobs is gamma distributed; a half hour of
           the day costs more or fewer points, by another gamma distribution
========== ===================================================================
"""

import math

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.demand.job import Jobs
from cotenant.errors import InvalidInput

SERIAL, POWER_OF_TWO = 0.244, 0.576
LOWEST, KNEE_BELOW_TOP, LOWER_STAGE = 0.8, 2.5, 0.86
SHORT, LONG = (4.2, 0.94), (312.0, 0.03)  # shape and scale of log seconds
SHORT_SLOPE, SHORT_AT_ZERO = -0.0054, 0.78
GAP = (10.2303 * 1.0225, 0.4871)  # shape times the ratio of all day to rush hour
CYCLE = (8.1737, 3.9631)
LONGEST_RUN, LONGEST_GAP = 12.0, 13.0  # log seconds: two days, five days
BUCKETS, BUCKET_S, DAY_STARTS = 48, 1800.0, 11


def lublin(count: int, processors: int = 128, seed: int = 0) -> Jobs:
    """Draw jobs of the model, in order of submission from midnight on.

    Parameters
    ----------
    count
        Number of jobs, at least 1.
    processors
        Size of the machine and of the largest jobs, at least 2; a power of two keeps
        the largest jobs exact. The knee of the sizes stays 2.5 powers of two below.
    seed
        Not negative; the same seed gives the same jobs.

    Raises
    ------
    InvalidInput
        If a number is out of its range.

    Examples
    --------
    >>> jobs = lublin(1000, processors=256, seed=1)
    >>> int(jobs.processors.max()) <= 256
    True
    """
    for name, value, least in (
        ("count", count, 1),
        ("processors", processors, 2),
        ("seed", seed, 0),
    ):
        if value < least:
            raise InvalidInput(f"{name} is {value}; expected {least} or more")
    streams = [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3)]
    sizes = _sizes(streams[0], count, processors)
    return Jobs.of(
        submit_s=np.floor(_arrivals(streams[1], count)),
        processors=sizes,
        runtime_s=np.maximum(np.floor(_runtimes(streams[2], sizes)), 1.0),
        status=np.ones(count),
        requested=sizes,
    )


def _sizes(rng: np.random.Generator, count: int, processors: int) -> IntArray:
    kind = rng.random(count)
    top = math.log2(processors)
    knee = max(top - KNEE_BELOW_TOP, LOWEST)
    low = rng.uniform(LOWEST, knee, count)
    high = rng.uniform(knee, top, count)
    power = np.where(rng.random(count) <= LOWER_STAGE, low, high)
    whole = kind <= SERIAL + POWER_OF_TWO
    power = np.where(whole, np.floor(power + 0.5), power)
    sizes = np.where(kind <= SERIAL, 1.0, np.floor(2.0**power + 0.5))
    return np.minimum(sizes, processors).astype(np.int64)


def _runtimes(rng: np.random.Generator, sizes: IntArray) -> FloatArray:
    short = np.clip(SHORT_SLOPE * sizes + SHORT_AT_ZERO, 0.0, 1.0)
    log = np.full(len(sizes), np.inf)
    while (over := log > LONGEST_RUN).any():
        drawn = rng.random(over.sum()) <= short[over]
        shape, scale = (np.where(drawn, s, o) for s, o in zip(SHORT, LONG, strict=True))
        log[over] = rng.gamma(shape, scale)
    seconds: FloatArray = np.exp(log)
    return seconds


def _arrivals(rng: np.random.Generator, count: int) -> FloatArray:
    """Return seconds since midnight: points add up, and a day of half hours buys them.

    The clock of points runs at the weight of each half hour, so a moment is where the
    sum of the points so far falls on it.
    """
    log = np.full(count, np.inf)
    while (over := log > LONGEST_GAP).any():
        log[over] = rng.gamma(*GAP, over.sum())
    points = np.cumsum(np.exp(log) / BUCKET_S)
    clock = np.concatenate([[0.0], np.cumsum(_weights())])
    day, rest = np.divmod(points, clock[-1])
    return (day * BUCKETS + np.interp(rest, clock, np.arange(BUCKETS + 1))) * BUCKET_S


def _weights() -> FloatArray:
    """Return what each half hour of the day costs, 1 on average."""
    from scipy.special import gammainc

    shape, scale = CYCLE
    half_hours = np.arange(DAY_STARTS, DAY_STARTS + BUCKETS)
    edges = np.append(half_hours - 0.5, half_hours[-1] + 0.5)
    share = np.diff(gammainc(shape, edges / scale))
    weights: FloatArray = np.empty(BUCKETS)
    weights[(half_hours - 1) % BUCKETS] = share
    weights /= weights.mean()
    return weights
