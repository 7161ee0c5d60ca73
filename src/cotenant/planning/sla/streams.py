"""Streams to ask for: from video traces, or made up."""

import math
from collections.abc import Sequence

import numpy as np

from cotenant.errors import InvalidInput
from cotenant.sim.requests import Stream
from cotenant.traces.video import Video, sla_of

_GROUPS = (400, 480, 533)  # milliseconds
_STREAMS = 30
_HOUR = 3_600_000


def made_streams(longest_theta: int, length: int = _HOUR) -> list[Stream]:
    """Make 30 streams of three group lengths, always the same.

    Long runs of groups need 2 to 12 % of the disk, uniformly; single groups up to twice
    as much, and runs of n groups in between by one over the square root of n, as the
    largest of averages of n independent groups would.
    """
    random = np.random.default_rng(0)
    streams = []
    for number in range(_STREAMS):
        group = _GROUPS[number % len(_GROUPS)]
        share, burst = random.uniform(0.02, 0.12), random.uniform(0.0, 1.0)
        budgets = [
            math.ceil(theta * group * share * (1.0 + burst / math.sqrt(theta)))
            for theta in range(1, longest_theta + 1)
        ]
        streams.append(Stream(f"s-{number + 1:02d}", length, group, tuple(budgets)))
    return streams


def video_streams(
    videos: Sequence[Video],
    bandwidth: float,
    longest_theta: int,
    length: int | None = None,
) -> list[Stream]:
    """Make one stream of each video.

    Parameters
    ----------
    bandwidth
        What the disk reads, in bytes a second.
    length
        Ticks of a session: the video is looped or cut; None for as long as it plays.

    Raises
    ------
    InvalidInput
        If the bandwidth is not above 0, or too low for a video.
    """
    if not 0 < bandwidth < math.inf:
        raise InvalidInput(f"bandwidth is {bandwidth:g}; expected above 0")
    streams = []
    for video in videos:
        budgets = [
            sla_of(video, theta, bandwidth / 1000.0, 1.0).budget
            for theta in range(1, longest_theta + 1)
        ]
        # Whole ticks, rounded down, so that all periods of a stream are multiples.
        group = math.floor(video.group_ms + 1e-9)
        plays = round(len(video.sizes) * 1000.0 / video.frame_rate)
        streams.append(Stream(video.name, length or plays, group, tuple(budgets)))
    return streams
