"""SLAs for a file of `sla place` from frame-size traces."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from cotenant.errors import InvalidInput
from cotenant.planning.results import API_VERSION, Json
from cotenant.traces.sla_file import COLUMNS
from cotenant.traces.video import Video, sla_of


@dataclass(frozen=True, slots=True)
class VideoSla:
    """The SLA of one video, and what it was read from."""

    task: str
    sla: str
    theta: int
    frames: int
    frame_rate: float
    group: int
    largest_bytes: int
    utilization: float


@dataclass(frozen=True, slots=True)
class SlaFromVideo:
    """SLAs from frame-size traces.

    Parameters
    ----------
    columns
        Values of an SLA file, a row a task.
    """

    bandwidth_bytes_per_s: float
    tick_ms: float
    videos: tuple[VideoSla, ...]
    columns: Mapping[str, list[Any]]

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        return {
            "apiVersion": API_VERSION,
            "kind": "SlaFromVideo",
            "bandwidth_bytes_per_s": self.bandwidth_bytes_per_s,
            "tick_ms": self.tick_ms,
            "videos": [asdict(video) for video in self.videos],
        }

    def to_frame(self) -> pl.DataFrame:
        """Return an SLA file that `sla place` reads."""
        schema = {name: pl.Int64 for name in self.columns} | {"task": pl.String}
        return pl.DataFrame(self.columns, schema=schema)


def slas_from_video(
    videos: Sequence[Video],
    thetas: Sequence[int],
    bandwidth: float,
    *,
    tick_ms: float = 1.0,
    sigma: int = 0,
) -> SlaFromVideo:
    """Make one SLA for each video and theta.

    Parameters
    ----------
    thetas
        Groups of pictures in a period. With several, tasks are called ``video@theta``.
    bandwidth
        What the disk reads, in bytes a second.
    tick_ms
        How long a tick is.
    sigma
        How many groups the period may be shorter or longer.

    Raises
    ------
    InvalidInput
        If a value is outside its range, two videos have one name, or the disk is too
        slow for one.
    """
    for name, value in (("bandwidth", bandwidth), ("tick", tick_ms)):
        if not 0 < value < float("inf"):
            raise InvalidInput(f"{name} is {value:g}; expected above 0")
    names = [video.name for video in videos]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput(f"two traces are called {twice!r}; rename one of the files")
    per_tick = bandwidth * tick_ms / 1000.0
    columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    rows = []
    for video in videos:
        for theta in thetas:
            task = video.name if len(thetas) == 1 else f"{video.name}@{theta}"
            sla = sla_of(video, theta, per_tick, tick_ms, sigma)
            columns["task"].append(task)
            for name in COLUMNS[1:]:
                columns[name].append(getattr(sla, name))
            rows.append(
                VideoSla(
                    task=task,
                    sla=str(sla),
                    theta=theta,
                    frames=len(video.sizes),
                    frame_rate=video.frame_rate,
                    group=video.group,
                    largest_bytes=video.largest(theta * video.group),
                    utilization=sla.utilization,
                )
            )
    return SlaFromVideo(bandwidth, tick_ms, tuple(rows), columns)
