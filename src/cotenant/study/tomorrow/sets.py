"""The sets of the study of tomorrow: public traces laid out by day."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from cotenant.errors import SourceNotFound
from cotenant.sim.history import History, read_history
from cotenant.traces.collect import read_usage

AZURE_AVERAGES = "azure2017/microsoft_avg_100.csv.gz"
AZURE_MAXIMA = "azure2017/microsoft_max_100.csv.gz"
GOOGLE = "google2011/GCD_VMs.tar.gz"
ALIBABA = "alibaba2018/machine_usage.csv.gz"
BITBRAINS = ("bitbrains/rnd-2013-7", "bitbrains/opendc-bitbrains-small")


@dataclass(frozen=True, slots=True)
class Set:
    """One set: where it is read, how often it is repeated, how large machines are.

    Parameters
    ----------
    sources
        Inside the folder of the study. Several are laid over each other by time of day,
        the last day of each on the same day.
    capacity
        Of a machine, in units of the history.
    burn_in
        Days run but not counted.
    shifts
        Whole days by which copies of all tasks are set off; none wraps around.
    of_request
        Whether usage is taken as a share of what a task asked for.
    """

    sources: tuple[str, ...]
    capacity: float
    burn_in: int
    shifts: tuple[int, ...] = (0,)
    of_request: bool = False


THREE = (0, 3, 7)
SETS = {
    "azure averages": Set((AZURE_AVERAGES,), 2.12, 8),
    "azure maxima": Set((AZURE_MAXIMA,), 4.3, 8),
    "azure x3": Set((AZURE_AVERAGES,), 2.12, 8, THREE),
    "bitbrains": Set(BITBRAINS, 1 / 0.24, 8, of_request=True),
    "bitbrains x3": Set(BITBRAINS, 1 / 0.24, 8, THREE, of_request=True),
    "google job-days": Set((GOOGLE,), 3.5, 3),
    "alibaba x2": Set((ALIBABA,), 2.5, 3, (0, 3)),
}


@lru_cache(maxsize=2)
def history_of(folder: str, name: str) -> History:
    """Return the history of a set.

    Raises
    ------
    SourceNotFound
        If a source is missing.
    """
    chosen = SETS[name]
    parts = [_read(folder, source, chosen.of_request) for source in chosen.sources]
    return copied(overlaid(parts), chosen.shifts)


def _read(folder: str, source: str, of_request: bool) -> History:
    place = Path(folder) / source
    if not place.exists():
        raise SourceNotFound(f"there is no {source} in {folder}")
    history = whole_days(read_history(read_usage([str(place)], "auto")))
    if not of_request:
        return history
    share = history.usage / np.asarray(history.requests)[:, None, None]
    able = np.flatnonzero(np.asarray(history.requests) > 0)
    return replace(history, usage=share, requests=()).some(able)


def whole_days(history: History) -> History:
    """Return a history without a first day that the trace covers in part only."""
    first = int(history.present[:, 0].sum() < 0.5 * history.present.sum(axis=0).max())
    return _days(history, first, history.days)


def overlaid(parts: Sequence[History]) -> History:
    """Return the tasks of all parts, their last days taken as the same day."""
    days = min(part.days for part in parts)
    return _joined([_days(part, part.days - days, part.days) for part in parts])


def copied(history: History, shifts: Sequence[int]) -> History:
    """Return the tasks once for each shift, set off by so many days."""
    days = history.days - max(shifts)
    parts = [_days(history, shift, shift + days) for shift in shifts]
    return _joined(parts)


def _days(history: History, first: int, end: int) -> History:
    return replace(
        history,
        usage=history.usage[:, first:end],
        present=history.present[:, first:end],
    )


def _joined(parts: Sequence[History]) -> History:
    return History(
        [f"{at}/{name}" for at, part in enumerate(parts) for name in part.names],
        np.concatenate([part.usage for part in parts]),
        np.concatenate([part.present for part in parts]),
    )
