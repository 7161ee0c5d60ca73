"""Requests for streams: who arrives when, and which SLA is asked."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput

UPTIME_MS = 300_000  # the window over which uptime is promised: five minutes
_DAY_MIN = 1440.0


@dataclass(frozen=True, slots=True)
class Stream:
    """What can be asked for; one tick is a millisecond.

    Parameters
    ----------
    length
        Ticks that a session lasts.
    group
        Ticks that a group of pictures plays: T' of the paper.
    budgets
        Ticks of disk for the largest run of 1, 2, ... groups.
    """

    name: str
    length: int
    group: int
    budgets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Load:
    """How requests arrive and what they ask.

    Parameters
    ----------
    arrival_rate
        Requests a minute, Poisson. The paper gives its rates without a unit.
    swing
        The rate rises and falls by this share over a day; 0 for a steady one.
    theta_low, theta_high
        Groups in a period, uniform over the integers between, both included.
    sigma
        A fluid request takes periods up to so many groups shorter or longer; never more
        groups than its own theta, and at least one tick.
    fluid_share, uptime_share
        Shares of requests that are fluid, and that ask for an uptime; independent.
    uptime
        Share of intervals in five minutes that must be met.
    literal
        Whether an uptime delta tolerates delta W misses, as the paper prints, instead
        of floor((1 - delta) W).
    popularity
        `uniform`, or `zipf`: the k-th stream is asked in proportion to 1 / k.

    Raises
    ------
    InvalidInput
        If a value is outside its range.
    """

    arrival_rate: float = 1.0
    swing: float = 0.0
    theta_low: int = 1
    theta_high: int = 10
    sigma: int = 1
    fluid_share: float = 0.0
    uptime: float = 0.999
    uptime_share: float = 0.0
    literal: bool = False
    popularity: str = "uniform"

    def __post_init__(self) -> None:
        if not 0 < self.arrival_rate < math.inf:
            raise InvalidInput(
                f"arrival rate is {self.arrival_rate:g}; expected requests a minute"
            )
        if not 1 <= self.theta_low <= self.theta_high:
            raise InvalidInput(
                f"theta is {self.theta_low}-{self.theta_high}; expected LOW-HIGH from 1"
            )
        if self.sigma < 0:
            raise InvalidInput(f"sigma is {self.sigma}; expected 0 or more groups")
        shares = ("swing", "fluid_share", "uptime_share", "uptime")
        for name in shares:
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                words = name.replace("_", " ")
                raise InvalidInput(f"{words} is {value:g}; expected 0 to 1")
        if self.popularity not in ("uniform", "zipf"):
            raise InvalidInput(
                f"popularity is {self.popularity!r}; expected uniform or zipf"
            )


@dataclass(frozen=True, slots=True)
class Request:
    """One session: it arrives, holds an SLA, and leaves; in milliseconds."""

    task: str
    arrives: float
    leaves: float
    sla: Sla


def draw_requests(
    load: Load, streams: Sequence[Stream], end: float, random: np.random.Generator
) -> Iterator[Request]:
    """Yield the requests that arrive before `end` milliseconds, in order of arrival.

    Raises
    ------
    InvalidInput
        If a stream has no budget for the largest theta, or one beyond its period.
    """
    if not streams:
        raise InvalidInput("there is no stream to ask for")
    for stream in streams:
        if len(stream.budgets) < load.theta_high:
            raise InvalidInput(
                f"stream {stream.name!r} has budgets up to theta {len(stream.budgets)};"
                f" expected up to {load.theta_high}"
            )
    weights = _weights(load, len(streams))
    for number, time in enumerate(_arrivals(load, end, random)):
        stream = streams[int(random.choice(len(streams), p=weights))]
        sla = _asked(load, stream, random)
        yield Request(f"r-{number + 1:06d}", time, time + stream.length, sla)


def _arrivals(load: Load, end: float, random: np.random.Generator) -> Iterator[float]:
    # Thinning (Lewis and Shedler, 1979): draw at the highest rate, keep in proportion.
    highest = load.arrival_rate * (1.0 + load.swing)
    minutes = 0.0
    while (minutes := minutes + random.exponential(1.0 / highest)) * 60_000.0 < end:
        phase = 2.0 * math.pi * minutes / _DAY_MIN
        rate = load.arrival_rate * (1.0 + load.swing * math.sin(phase))
        if random.random() * highest < rate:
            yield minutes * 60_000.0


def _weights(load: Load, streams: int) -> FloatArray:
    ranks = np.arange(1, streams + 1, dtype=np.float64)
    weights = 1.0 / ranks if load.popularity == "zipf" else np.ones(streams)
    return np.asarray(weights / weights.sum())


def _asked(load: Load, stream: Stream, random: np.random.Generator) -> Sla:
    theta = int(random.integers(load.theta_low, load.theta_high + 1))
    fluid = random.random() < load.fluid_share
    promised = random.random() < load.uptime_share
    period, budget = theta * stream.group, stream.budgets[theta - 1]
    low = high = None
    if fluid and load.sigma:
        sigma = min(load.sigma, theta)
        low, high = (
            max(1, (theta - sigma) * stream.group),
            (theta + sigma) * stream.group,
        )
    misses, window = _uptime(load, period) if promised else (0, 1)
    return Sla(budget, period, misses, window, low, high)


def _uptime(load: Load, period: int) -> tuple[int, int]:
    window = max(1, UPTIME_MS // period)
    share = load.uptime if load.literal else 1.0 - load.uptime
    # Decimals of a share are not exact in binary: 0.005 of 600 is 3, not 2.
    return math.floor(share * window + 1e-9), window
