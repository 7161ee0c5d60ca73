"""Pools of tasks: made where they are synthetic, else read once and kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.errors import InvalidInput
from cotenant.planning.problem import Selection, select
from cotenant.study.copies import Files
from cotenant.study.grid import PoolSpec
from cotenant.study.profile.readings import read_readings
from cotenant.traces.collect import LIVE, read_usage
from cotenant.traces.source import files_of
from cotenant.traces.synthetic import some_tasks
from cotenant.traces.trace import Series

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Samples:
    """Samples of some tasks, back to back.

    Parameters
    ----------
    offsets
        `(tasks + 1,)`: task i owns `instantaneous[offsets[i]:offsets[i + 1]]`.
    instantaneous, averages
        Of the same intervals; `averages` is None where there are none.
    """

    offsets: IntArray
    instantaneous: FloatArray
    averages: FloatArray | None

    def of(self, data: str) -> FloatArray:
        """Return samples by the name of their kind.

        Raises
        ------
        InvalidInput
            If the pool has no averages.
        """
        if data == "instantaneous":
            return self.instantaneous
        if self.averages is None:
            raise InvalidInput(
                "data is averages, and the pool has no averages beside its samples"
            )
        return self.averages


class Pool(Protocol):
    """Tasks to draw problems from, by number."""

    @property
    def size(self) -> int:
        """How many tasks there are."""

    @property
    def cleaning(self) -> Mapping[str, object]:
        """What was set aside when it was read."""

    def take(self, numbers: IntArray) -> Samples:
        """Return the samples of tasks, numbered from 0."""


@dataclass(frozen=True, slots=True)
class _Made:
    """A synthetic pool, of which only the tasks asked for are ever made."""

    name: str
    size: int
    seed: int
    cleaning: Mapping[str, object] = field(default_factory=dict)

    def take(self, numbers: IntArray) -> Samples:
        wanted, place = np.unique(numbers, return_inverse=True)
        rows = some_tasks(self.name, (wanted + 1).tolist(), self.seed, averages=True)
        owner = rows["task"].rle_id().to_numpy()
        bounds = np.searchsorted(owner, np.arange(len(wanted) + 1))
        made = _Read(bounds, rows["cpu"].to_numpy(), rows["cpu_mean"].to_numpy())
        return made.take(place)


@dataclass(frozen=True, slots=True)
class _Read:
    """A pool in memory."""

    offsets: IntArray
    instantaneous: FloatArray
    averages: FloatArray | None
    cleaning: Mapping[str, object] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(self.offsets) - 1

    def take(self, numbers: IntArray) -> Samples:
        sizes = np.diff(self.offsets)[numbers]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], sizes)
        index = np.repeat(self.offsets[numbers], sizes) + within
        averages = None if self.averages is None else self.averages[index]
        return Samples(offsets, self.instantaneous[index], averages)

    def scaled_to(self, mean: float) -> "_Read":
        sums = np.add.reduceat(self.instantaneous, self.offsets[:-1])
        factor = mean / float((sums / np.diff(self.offsets)).mean())
        averages = None if self.averages is None else self.averages * factor
        scaled = self.instantaneous * factor
        return _Read(self.offsets, scaled, averages, self.cleaning)


@lru_cache(maxsize=2)
def open_pool(spec: PoolSpec, seed: int) -> Pool:
    """Return a pool, the same one when asked again.

    Raises
    ------
    CotenantError
        If a source cannot be read, or leaves no task.
    """
    if spec.synthetic:
        return _Made(spec.source[0], spec.tasks, seed)
    trace = select(
        read_usage(spec.source, spec.format), Selection(min_samples=spec.min_samples)
    )
    readings = read_readings(trace, spec.min_samples, seed)
    kept, averages = readings.usage, None
    if len(readings.paired[0].codes) == len(kept.codes):
        kept, averages = readings.paired[0], readings.paired[1].values
    offsets = _days(kept) if spec.by_day else kept.offsets
    cleaning = readings.cleaning.to_dict()
    pool = _Read(offsets, kept.values, averages, cleaning)
    return pool if spec.mean is None else pool.scaled_to(spec.mean)


def _days(series: Series) -> IntArray:
    """Return where each day of each task starts, and the end of all."""
    day = np.floor(series.time / DAY_S)
    fresh = np.diff(day, prepend=np.nan) != 0
    fresh[series.offsets[:-1]] = True
    return np.append(np.flatnonzero(fresh), len(day))


def pool_files(spec: PoolSpec) -> Files:
    """Return the files of a pool; none where it is made, or asked of a live server."""
    names = [name for name in spec.source if not name.startswith(LIVE)]
    return {} if spec.synthetic else {name: files_of(name) for name in names}


def stamp_of(spec: PoolSpec) -> str:
    """Return size and time of the files of a pool: a changed one is run again."""
    if spec.synthetic:
        return ""
    facts = [Path(name).stat() for name in spec.source if Path(name).exists()]
    return ",".join(f"{fact.st_size}:{fact.st_mtime_ns}" for fact in facts)
