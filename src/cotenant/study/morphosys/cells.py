"""Cells of the MorphoSys study: one load, one replica, all strategies of a part."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from cotenant.colocate.periodic.candidates import Rewriting
from cotenant.colocate.periodic.placer import SlaPlacer
from cotenant.colocate.periodic.policy import SlaPolicy
from cotenant.planning.sla.strategies import BASELINE, STRATEGIES
from cotenant.planning.sla.streams import made_streams, video_streams
from cotenant.sim.churn import churn
from cotenant.sim.requests import Load, Stream, draw_requests
from cotenant.traces.video import Video, read_videos

FILES = (
    "h264-asu/silenceOfTheLambs_verbose.gz",
    "h264-asu/starWars4_verbose.gz",
    "h264-asu/terminator2_verbose.gz",
    "mpeg4-tuberlin/Verbose_ARDTalk.dat.gz",
    "mpeg4-tuberlin/Verbose_Simpsons.dat.gz",
    "mpeg4-tuberlin/Verbose_SouthPark.dat.gz",
    "mpeg4-tuberlin/Verbose_StarWarsIV.dat.gz",
    "mpeg4-tuberlin/Verbose_silence.dat.gz",
)
HOUR = 3_600_000  # ms; the paper's streams last one
# Every title is scaled to the mean rate of the one HD trace; a disk then carries the
# mean of about 45 and the largest groups of about ten at once.
MEAN_RATE = 28_613_000 / 8  # bytes a second
DISK = 160e6  # bytes a second
LONGEST = 10
LEAST_PERIOD = 400

REWRITING = ("ff-nr", "bf-nr", "nm", "cm", "um")
EXACT = ("response-time", "edf", "exact")
FLUID = ("ff-fluid", "ff-nr", *EXACT)
EPSILONS = (0.3, 0.2, 0.1, 0.05, 0.0)
_OWN = SlaPolicy(
    rewriting=Rewriting("exact", LEAST_PERIOD), search_nodes=50, time_limit=None
)
# Beside the named strategies: fluid periods alone by the harmonic test, exact rewriting
# of the arriving task, the same with its host repacked, and constrained migration by
# its epsilon.
_POLICIES = {
    "ff-fluid": SlaPolicy(
        test="harmonic", rewriting=Rewriting("fluid", LEAST_PERIOD), time_limit=None
    ),
    "exact": _OWN,
    "exact-nm": replace(_OWN, repack="forced"),
    **{f"cm {e:g}": replace(STRATEGIES["cm"](_OWN), epsilon=e) for e in EPSILONS},
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One replica of one point of a figure.

    Parameters
    ----------
    part
        The experiment.
    at
        The value on its axis.
    load
        Fields of `Load` that differ from its defaults.
    strategies
        What is run beside Liu-Layland first fit.
    """

    part: str
    at: float
    load: Mapping[str, Any]
    strategies: Sequence[str]
    folder: str
    replica: int

    def text(self) -> str:
        """Return the cell as text, for a file of finished ones."""
        return json.dumps(asdict(self), sort_keys=True)


def cells_of(parts: Sequence[str], folder: str, replicas: int | None) -> Iterator[Cell]:
    """Yield the cells of the parts, all replicas of a point together.

    Parameters
    ----------
    replicas
        None for as many as make the intervals of a point readable. `scale` takes one.
    """
    for part in parts:
        for at, load, strategies, enough in _POINTS[part]:
            for replica in range(1 if part == "scale" else replicas or enough):
                yield Cell(part, at, load, strategies, folder, replica)


def run_cell(text: str) -> dict[str, dict[str, float]]:
    """Run a cell and return what was measured, by strategy."""
    cell = Cell(**json.loads(text))
    if cell.part == "scale":
        return {"exact": _grown(cell)}
    seed = np.random.SeedSequence((cell.replica, 2012))
    load = Load(**cell.load)
    start, end = float(HOUR), 2.0 * HOUR
    random = np.random.default_rng(seed)
    made = cell.part == "streams" and cell.at == MADE
    streams = made_streams(LONGEST) if made else _streams(cell.folder)
    requests = list(draw_requests(load, streams, end, random))
    found = {}
    for name in (BASELINE, *cell.strategies):
        measured = churn(requests, policy_of(name), start, end, time.monotonic)
        found[name] = asdict(measured)
    return found


def _grown(cell: Cell) -> dict[str, float]:
    """Let so many tasks arrive that stay, and count what the last tenth tried."""
    load, count = Load(**cell.load), int(cell.at)
    # Arrivals are a Poisson stream: a third more time than needed is enough.
    end = 80_000.0 * count / load.arrival_rate
    random = np.random.default_rng(np.random.SeedSequence((cell.replica, 2012)))
    requests = draw_requests(load, _streams(cell.folder), end, random)
    placer = SlaPlacer(policy_of("exact"))
    tried, late = 0, 0
    for number, request in enumerate(islice(requests, count)):
        placer.place(request.task, request.sla)
        if number >= 0.9 * count:
            tried, late = tried + placer.rewrites_tried, late + 1
    return {"machines": float(placer.machines), "tried": tried, "arrivals": late}


def policy_of(name: str) -> SlaPolicy:
    """Return a strategy by name."""
    return _POLICIES[name] if name in _POLICIES else STRATEGIES[name](_OWN)


@lru_cache(maxsize=1)
def _streams(folder: str) -> tuple[Stream, ...]:
    videos = read_videos([str(Path(folder) / file) for file in FILES])
    return tuple(video_streams(list(map(_scaled, videos)), DISK, LONGEST, HOUR))


def _scaled(video: Video) -> Video:
    rate = float(video.sizes.mean()) * video.frame_rate
    sizes = np.ceil(video.sizes * (MEAN_RATE / rate)).astype(np.int64)
    return Video(video.name, sizes, video.frame_rate, video.group)


# The value on the axis, fields of the load, strategies, and replicas: more where fleets
# are small, since intervals are wide and cells cheap there.
Point = tuple[float, dict[str, Any], tuple[str, ...], int]

_RATES: list[Point] = [
    (
        rate,
        {"arrival_rate": rate},
        ("best-fit", *REWRITING, *EXACT, "exact-nm"),
        replicas,
    )
    for rate, replicas in ((1.0, 30), (2.0, 20), (4.0, 8))
]
_EPSILON: list[Point] = [
    (
        4.0,
        {"arrival_rate": 4.0},
        ("nm", *(f"cm {epsilon:g}" for epsilon in EPSILONS), "um"),
        5,
    )
]
_FLUID: list[Point] = [
    (share, {"arrival_rate": 2.0, "fluid_share": share}, FLUID, 20)
    for share in (0.0, 0.25, 0.5, 0.75, 1.0)
]
_SIGMA: list[Point] = [
    (
        float(sigma),
        {"arrival_rate": 2.0, "fluid_share": 0.5, "sigma": sigma},
        FLUID,
        20,
    )
    for sigma in (0, 1, 2, 3, 5)
]
_COMBINED: list[Point] = [
    (share, {"fluid_share": share, "sigma": 1}, ("ff-nr", "nm", "exact-nm", "edf"), 20)
    for share in (0.0, 0.5, 1.0)
]
_UPTIME: list[Point] = [
    (share, {"uptime": uptime, "uptime_share": share}, ("ff-nr", "exact"), 20)
    for uptime in (0.995, 0.999)
    for share in (0.0, 0.5, 1.0)
]
# The titles at hand, and made-up streams, as many as the paper had.
MADE = 30.0
_STREAMS: list[Point] = [
    (
        at,
        {"arrival_rate": 4.0},
        ("best-fit", "ff-nr", "nm", "um", "response-time", "edf", "exact"),
        5,
    )
    for at in (float(len(FILES)), MADE)
]
# Tasks that stay; the axis is their number. The last has more than 4,000 hosts.
_SCALE: list[Point] = [
    (float(count), {}, ("exact",), 1) for count in (1_000, 4_000, 16_000, 48_000)
]
_POINTS: dict[str, list[Point]] = {
    "rates": _RATES,
    "epsilon": _EPSILON,
    "fluid": _FLUID,
    "sigma": _SIGMA,
    "combined": _COMBINED,
    "uptime": _UPTIME,
    "streams": _STREAMS,
    "scale": _SCALE,
}
PARTS = tuple(_POINTS)
