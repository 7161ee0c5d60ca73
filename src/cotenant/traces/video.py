"""Frame-size traces of videos, and the SLAs that serve them from a disk."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.source import Member, open_source

_REFERENCES = ("I", "IDR")
_TYPES = (*_REFERENCES, "P", "B")


@dataclass(frozen=True, slots=True, eq=False)
class Video:
    """Frame sizes of one video, in the order of its file.

    Parameters
    ----------
    name
        File name without endings.
    sizes
        Bytes of each frame.
    frame_rate
        Frames a second.
    group
        Frames from one I frame to the next: the most common distance, since spliced
        files and the end of a file hold others.
    """

    name: str
    sizes: IntArray
    frame_rate: float
    group: int

    @property
    def group_ms(self) -> float:
        """How long a group of pictures plays, in milliseconds."""
        return self.group * 1000.0 / self.frame_rate

    def largest(self, frames: int) -> int:
        """Return the bytes of the largest run of so many frames.

        Runs start at any frame, so that the bound holds for a stream that is cut or
        spliced anywhere. A video shorter than that counts whole.
        """
        sums = np.concatenate([[0], np.cumsum(self.sizes)])
        frames = min(frames, len(self.sizes))
        return int((sums[frames:] - sums[: len(sums) - frames]).max())


def read_videos(
    names: Sequence[str], frame_rate: float | None = None, group: int | None = None
) -> list[Video]:
    """Read traces of four layouts, told apart by their columns.

    ``number type time bytes`` (MPEG-4, TU Berlin), ``number time type bits`` and more
    (H.264, Arizona State), and ``bits quality`` (its terse form). Frames stay in file
    order: in spliced files times go back and repeat, so sorting by time would be wrong.

    Parameters
    ----------
    frame_rate, group
        For files without times and types; they override what the others say.

    Raises
    ------
    InvalidInput
        If a file says neither and they are not given.
    TraceError
        If a line is damaged.
    """
    with open_source(names) as members:
        return [_read(member, frame_rate, group) for member in members]


def sla_of(
    video: Video, theta: int, bytes_per_tick: float, tick_ms: float, sigma: int = 0
) -> Sla:
    """Return the SLA that serves a video from a disk.

    The budget is the ticks that the disk needs for the largest run of `theta` groups,
    rounded up. The period is how long they play, rounded down to whole ticks: the disk
    may be a little early, so a client that buffers one period never waits.

    Parameters
    ----------
    theta
        Groups of pictures in a period, from 1.
    bytes_per_tick
        What the disk reads in one tick of its time.
    sigma
        The period may be so many groups shorter or longer; 0 for a rigid SLA.

    Raises
    ------
    InvalidInput
        If the disk is too slow for the video, or sigma is outside 0 to theta.
    """
    if theta < 1 or not 0 <= sigma <= theta:
        raise InvalidInput(
            f"theta is {theta} and sigma {sigma}; expected theta from 1 and sigma from "
            "0 to theta"
        )
    period = math.floor(theta * video.group_ms / tick_ms + 1e-9)
    budget = math.ceil(video.largest(theta * video.group) / bytes_per_tick)
    if budget > period:
        raise InvalidInput(
            f"video {video.name!r} needs {budget} ticks of disk in every {period}; "
            "expected a bandwidth that serves it alone"
        )
    if not sigma:
        return Sla(budget, period)
    low = max(1, math.floor((theta - sigma) * video.group_ms / tick_ms + 1e-9))
    high = math.floor((theta + sigma) * video.group_ms / tick_ms + 1e-9)
    return Sla(budget, period, period_low=low, period_high=high)


def _read(member: Member, frame_rate: float | None, group: int | None) -> Video:
    sizes: list[int] = []
    times: list[float] = []
    starts: list[int] = []
    for line, cells in _lines(member):
        size, time, kind = _frame(member.name, line, cells)
        if kind in _REFERENCES:
            starts.append(len(sizes))
        if time is not None:
            times.append(time)
        sizes.append(size)
    if not sizes:
        raise TraceError(member.name, "holds no frame; expected one a line")
    frame_rate = frame_rate or _rate(np.array(times))
    group = group or _group(starts)
    if frame_rate is None or group is None:
        missing = "frame times" if frame_rate is None else "I frames"
        raise InvalidInput(
            f"{member.name} has no {missing} to tell by; give --frame-rate and --group"
        )
    name = member.stem
    return Video(name, np.array(sizes, dtype=np.int64), frame_rate, group)


def _lines(member: Member) -> Iterator[tuple[int, list[str]]]:
    try:
        with member.open() as stream:
            for number, raw in enumerate(stream, start=1):
                cells = raw.decode("utf-8", errors="replace").split()
                if cells and not cells[0].startswith(("#", "%")):
                    yield number, cells
    except (OSError, EOFError) as error:
        raise TraceError(member.name, f"cannot be read to its end ({error})") from error


def _frame(file: str, line: int, cells: list[str]) -> tuple[int, float | None, str]:
    """Return bytes, time in milliseconds and type of one frame."""
    try:
        if len(cells) == 2:
            return _bytes(cells[0]), None, ""
        if cells[1] in _TYPES:
            return int(cells[3]), float(cells[2]), cells[1]
        if cells[2] in _TYPES:
            return _bytes(cells[3]), float(cells[1]), cells[2]
    except (ValueError, IndexError):
        pass
    expected = "number, type, time, bytes; number, time, type, bits; or bits, quality"
    raise TraceError(file, f'has "{" ".join(cells)[:40]}"; expected {expected}', line)


def _bytes(bits: str) -> int:
    return -(-int(bits) // 8)


def _rate(times: FloatArray) -> float | None:
    # Times of a spliced file repeat and skip, but most steps are one frame.
    steps = np.diff(np.unique(times))
    return round(1000.0 / float(np.median(steps)), 3) if len(steps) else None


def _group(starts: Sequence[int]) -> int | None:
    distances = Counter(np.diff(starts).tolist())
    return int(distances.most_common(1)[0][0]) if distances else None
