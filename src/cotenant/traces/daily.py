"""A time-aligned trace of our own: services with replicas, days, nights and weekends.

Replicas of a service share its rhythm and its surprises, services share the weather
of the whole site, bursts are a replica's own. Services and days draw from random
streams of their own, so fewer tasks or fewer days are a cut of the larger trace.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from cotenant.arrays import FloatArray
from cotenant.errors import InvalidInput

STEP_S = 300.0
SAMPLES_A_DAY = 288
START_S = 1_767_571_200.0  # Monday, 5 January 2026, 00:00 UTC
LARGEST_CPU = 2.0

_MIB = 2.0**20
# Second word of a random stream's seed: what the stream is for.
_TRAITS, _SURPRISES, _WEATHER, _NOISE = range(1, 5)


@dataclass(frozen=True, slots=True)
class _Kind:
    """What the last word of a service's name says about its usage."""

    replicas: tuple[int, int]
    cpu: float  # cores of a typical replica, on average
    memory_mib: float
    swing: float = 0.0  # by day against by night, in [0, 1)
    weekend: float = 1.0
    noise: float = 0.25  # sigma of the log
    burst_share: float = 0.0
    burst_factor: float = 1.0
    night_hours: float = 0.0  # length of a nightly run that does most of the work


_KINDS = {
    "web": _Kind((6, 18), 0.16, 240, swing=0.55, weekend=0.70, noise=0.35),
    "api": _Kind((6, 16), 0.18, 320, swing=0.50, weekend=0.75, noise=0.40),
    "cache": _Kind((3, 8), 0.06, 900, swing=0.30, weekend=0.85),
    "worker": _Kind((5, 14), 0.14, 200, burst_share=0.06, burst_factor=6.0),
    "search": _Kind((4, 10), 0.22, 600, swing=0.45, weekend=0.80, noise=0.45),
    "etl": _Kind((2, 4), 0.08, 400, weekend=0.90, night_hours=2.0),
    "queue": _Kind((3, 5), 0.05, 180, swing=0.20, weekend=0.85),
    "render": _Kind((3, 8), 0.12, 350, burst_share=0.03, burst_factor=12.0),
    "db": _Kind((2, 3), 0.25, 1400, swing=0.35, weekend=0.80),
    "report": _Kind((1, 3), 0.05, 260, weekend=0.25, night_hours=1.5),
    "canary": _Kind((1, 2), 0.003, 90, noise=0.80),
    "standby": _Kind((1, 1), 0.0, 120),
}
# As many areas as have no divisor in common with the kinds: names repeat after 204.
_AREAS = (
    *("shop", "billing", "media", "login", "maps", "mail", "stock", "price", "audit"),
    *("chat", "news", "video", "photo", "travel", "ticket", "sensor", "parcel"),
)
# Names that a table, a page or a shell may trip over, and that users do have.
_ODD_NAMES = {
    5: "größe-東京-café",
    29: 'reports <b>"weekly"</b> & more',
    47: "=total(a1;b2), draft",
    64: "named-by-a-committee-" + "with-every-owner-in-its-name-" * 5 + "web",
}
_CPU_REQUESTS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0)


def daily(tasks: int = 1000, days: int = 1, seed: int = 0) -> pl.DataFrame:
    """Make a trace with a sample every 5 minutes, from a Monday at midnight UTC.

    Its rows are canonical, all of a task together and in time order: `task`, `time`
    (UTC seconds), `cpu` (cores, in [0, 2]), `memory` (bytes), `cpu_request`,
    `memory_request`, and the label `service`.

    Parameters
    ----------
    tasks
        Number of tasks, at least 1; about a hundredth of them do nothing at all.
    days
        Whole days, at least 1; usage follows the hour and the day of the week.
    seed
        Not negative; the same seed gives the same trace.

    Raises
    ------
    InvalidInput
        If `tasks` or `days` is below 1 or `seed` below 0.

    Examples
    --------
    >>> daily(3, days=2).height
    1728
    """
    if tasks < 1 or days < 1 or seed < 0:
        raise InvalidInput(
            f"tasks is {tasks}, days {days} and seed {seed}; "
            "expected at least 1, 1 and 0"
        )
    services = []
    missing = tasks
    for service in _services(days, seed):
        services.append(service.cut(missing))
        missing -= services[-1].replicas
        if missing == 0:
            break
    return _frame(services, days)


@dataclass(frozen=True, slots=True)
class _Service:
    """A service: `cpu` and `memory` have the shape (replicas, samples)."""

    name: str
    cpu: FloatArray
    memory: FloatArray
    cpu_request: float
    memory_request: float

    @property
    def replicas(self) -> int:
        return len(self.cpu)

    def cut(self, most: int) -> "_Service":
        cpu, memory = self.cpu[:most], self.memory[:most]
        return _Service(self.name, cpu, memory, self.cpu_request, self.memory_request)


def _services(days: int, seed: int) -> Iterator[_Service]:
    weather = 0.05 * _hourly(days, seed, _WEATHER)
    number = 0
    while True:
        yield _service(number, days, seed, weather)
        number += 1


def _service(number: int, days: int, seed: int, weather: FloatArray) -> _Service:
    kind = list(_KINDS.values())[number % len(_KINDS)]
    rng = np.random.default_rng([seed, _TRAITS, number])
    replicas = int(rng.integers(kind.replicas[0], kind.replicas[1], endpoint=True))
    level = kind.cpu * math.exp(0.4 * rng.standard_normal())
    memory = kind.memory_mib * _MIB * math.exp(0.3 * rng.standard_normal())
    rhythm = _rhythm(kind, replicas, days, rng)
    # Owners ask for a few times of what they use, in round numbers.
    wish = level * rng.uniform(2.0, 5.0)
    request = next((r for r in _CPU_REQUESTS if r >= wish), LARGEST_CPU)

    surprises = 0.08 * _hourly(days, seed, _SURPRISES, number)
    shared = rhythm * np.exp(weather + surprises)
    own, noise = _own(kind, replicas, days, [seed, _NOISE, number])
    cpu: FloatArray = np.clip(level * shared * own, 0.0, LARGEST_CPU)
    used: FloatArray = memory * np.clip(0.9 + 0.1 * shared + 0.01 * noise, 0.5, 1.9)
    asked = 64 * _MIB * math.ceil(2 * memory / (64 * _MIB))
    return _Service(_name(number), cpu.round(5), used.round(), request, asked)


def _name(number: int) -> str:
    area = _AREAS[number % len(_AREAS)]
    kind = list(_KINDS)[number % len(_KINDS)]
    rounds = number // (len(_AREAS) * len(_KINDS))
    plain = f"{area}-{kind}" if rounds == 0 else f"{area}-{kind}-{rounds + 1}"
    return _ODD_NAMES.get(number, plain)


def _rhythm(
    kind: _Kind, replicas: int, days: int, rng: np.random.Generator
) -> FloatArray:
    """Give activity by hour and weekday, 1 on an average weekday."""
    hours = _hours(days)
    peak = 14.0 + rng.normal(0.0, 1.5)
    # Replicas run one after the other at night.
    start = rng.uniform(0.0, 5.0) + kind.night_hours * np.arange(replicas)[:, None]
    activity: FloatArray = 1.0 + kind.swing * np.cos((hours - peak) * math.pi / 12)
    if kind.night_hours:
        share = kind.night_hours / 24
        running = ((hours - start) % 24 < kind.night_hours).astype(np.float64)
        activity = 0.2 / (1 - share) + running * (0.8 / share - 0.2 / (1 - share))
    weekend = ((hours // 24) % 7 >= 5).astype(np.float64)
    return activity * (1.0 + weekend * (kind.weekend - 1.0))


def _hourly(days: int, seed: int, *stream: int) -> FloatArray:
    """Give standard normal values at full hours, joined by straight lines."""
    # One day more than asked: the last hour leads to the next midnight.
    knots = np.concatenate(
        [
            np.random.default_rng([seed, *stream, day]).standard_normal(24)
            for day in range(days + 1)
        ]
    )
    line: FloatArray = np.interp(_hours(days), np.arange(knots.size), knots)
    return line


def _hours(days: int) -> FloatArray:
    return np.linspace(0.0, 24.0 * days, days * SAMPLES_A_DAY, endpoint=False)


def _own(
    kind: _Kind, replicas: int, days: int, stream: list[int]
) -> tuple[FloatArray, FloatArray]:
    """Give each replica's own factor, 1 on average, and the noise inside it."""
    factors, noises = [], []
    for day in range(days):
        rng = np.random.default_rng([*stream, day])
        noise = rng.standard_normal((replicas, SAMPLES_A_DAY))
        # Bursts last a quarter of an hour: three samples.
        burst = rng.random((replicas, SAMPLES_A_DAY // 3)) < kind.burst_share
        size = kind.burst_factor * rng.gamma(4.0, 0.25, burst.shape)
        bursts = np.repeat(np.where(burst, size, 1.0), 3, axis=1)
        expected = 1 + kind.burst_share * (kind.burst_factor - 1)
        quiet = np.exp(kind.noise * noise - kind.noise**2 / 2)
        factors.append(quiet * bursts / expected)
        noises.append(noise)
    return np.concatenate(factors, axis=1), np.concatenate(noises, axis=1)


def _frame(services: list[_Service], days: int) -> pl.DataFrame:
    samples = days * SAMPLES_A_DAY
    owner = np.repeat(np.arange(len(services)), [s.replicas for s in services])
    table = pl.DataFrame(
        {
            "task": [f"{s.name}-{k + 1}" for s in services for k in range(s.replicas)],
            "cpu_request": [services[i].cpu_request for i in owner],
            "memory_request": [services[i].memory_request for i in owner],
            "service": [services[i].name for i in owner],
        }
    )
    rows = table.select(pl.all().gather(np.repeat(np.arange(owner.size), samples)))
    return rows.select(
        "task",
        time=np.tile(START_S + STEP_S * np.arange(samples), owner.size),
        cpu=np.concatenate([s.cpu for s in services]).ravel(),
        memory=np.concatenate([s.memory for s in services]).ravel(),
        cpu_request="cpu_request",
        memory_request="memory_request",
        service="service",
    )
