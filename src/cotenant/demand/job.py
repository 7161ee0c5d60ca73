"""Rigid parallel jobs: one as a row, many as arrays."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.demand.job_checks import check_columns
from cotenant.errors import InvalidInput

UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Job:
    """A rigid parallel job: it holds all its processors from start to finish.

    Parameters
    ----------
    id
        Number of the job in its log; unique.
    submit_s
        When it enters the queue, seconds since the start of its log.
    processors
        How many it holds, at least 1, all in one cluster.
    runtime_s
        How long it runs at speed 1; above 0.
    estimate_s
        What its user asked for at speed 1; NaN where unknown.
    """

    id: int
    submit_s: float
    processors: int
    runtime_s: float
    estimate_s: float = float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class Jobs:
    """Many jobs as arrays of equal length, in order of submission.

    Jobs submitted at one moment stay in the order of their log. Numbers that a log does
    not know are -1. The arrays are not to be changed.

    Parameters
    ----------
    id
        Unique.
    submit_s
        Ascending seconds.
    processors
        At least 1.
    runtime_s
        Seconds at speed 1, above 0.
    estimate_s
        What the user asked for, above 0; NaN where unknown. It may be below the run
        time: whether such a job is killed is not decided here.
    user, group, queue, partition
        Numbers of the log; `names` may tell what they stand for.
    status
        1 done, 0 failed, 5 cancelled, -1 unknown, as in Standard Workload Format.
    requested, allocated
        Processors asked for and processors held, as the log has them.
    waited_s
        Wait that the log itself recorded; NaN where unknown.
    names
        By field, the texts that its numbers stand for.
    origin_s
        Unix time of second 0; None where the log has no calendar.

    Raises
    ------
    InvalidInput
        If lengths differ, or a value is out of its range; it names the job.

    Examples
    --------
    >>> jobs = Jobs.of(submit_s=[0, 5, 9], processors=[2, 8, 1], runtime_s=[30, 20, 60])
    >>> len(jobs.first(2)), jobs[1].processors
    (2, 8)
    """

    id: IntArray
    submit_s: FloatArray
    processors: IntArray
    runtime_s: FloatArray
    estimate_s: FloatArray
    user: IntArray
    group: IntArray
    queue: IntArray
    partition: IntArray
    status: IntArray
    requested: IntArray
    allocated: IntArray
    waited_s: FloatArray
    names: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    origin_s: float | None = None

    def __post_init__(self) -> None:
        columns = {name: getattr(self, name) for name in _COLUMNS}
        check_columns(columns, len(self.id))

    @classmethod
    def of(
        cls,
        *,
        submit_s: ArrayLike,
        processors: ArrayLike,
        runtime_s: ArrayLike,
        names: Mapping[str, Mapping[int, str]] | None = None,
        origin_s: float | None = None,
        **known: ArrayLike,
    ) -> "Jobs":
        """Make jobs from what is known, sorted stably by submission.

        Jobs without an `id` are numbered from 1 in the order given; other columns that
        are left out are unknown.
        """
        given = {
            "submit_s": submit_s,
            "processors": processors,
            "runtime_s": runtime_s,
            **known,
        }
        strange = set(given) - set(_COLUMNS)
        if strange:
            raise InvalidInput(f"jobs have no column {min(strange)!r}")
        count = np.size(submit_s)
        given.setdefault("id", np.arange(1, count + 1))
        columns: dict[str, NDArray[Any]] = {}
        for name, kind in _COLUMNS.items():
            missing = np.nan if kind is np.float64 else UNKNOWN
            column = given.get(name)
            columns[name] = (
                np.full(count, missing, dtype=kind)
                if column is None
                else np.array(column, dtype=kind).reshape(-1)
            )
        order = np.argsort(columns["submit_s"], kind="stable")
        if all(len(column) == count for column in columns.values()):
            columns = {name: column[order] for name, column in columns.items()}
        return cls(**columns, names=names or {}, origin_s=origin_s)

    def __len__(self) -> int:
        return len(self.id)

    def __getitem__(self, index: int) -> Job:
        return Job(
            id=int(self.id[index]),
            submit_s=float(self.submit_s[index]),
            processors=int(self.processors[index]),
            runtime_s=float(self.runtime_s[index]),
            estimate_s=float(self.estimate_s[index]),
        )

    def __iter__(self) -> Iterator[Job]:
        return (self[index] for index in range(len(self)))

    def select(self, which: BoolArray | IntArray | slice) -> "Jobs":
        """Return some of the jobs, by mask, ascending indices or slice."""
        return replace(
            self, **{name: getattr(self, name)[which].copy() for name in _COLUMNS}
        )

    def first(self, count: int) -> "Jobs":
        """Return the first jobs submitted, all if there are fewer than `count`."""
        if count < 0:
            raise InvalidInput(f"first is {count}; expected 0 or more")
        return self.select(slice(count))

    def submitted_at(self, submit_s: FloatArray) -> "Jobs":
        """Return the jobs with new times of submission, sorted again, stably."""
        columns = {name: getattr(self, name) for name in _COLUMNS}
        columns["submit_s"] = submit_s
        return Jobs.of(**columns, names=self.names, origin_s=self.origin_s)

    @property
    def work(self) -> float:
        """Processor seconds of all jobs at speed 1."""
        return float(self.processors @ self.runtime_s)

    @property
    def span_s(self) -> float:
        """Seconds from the first submission to the last; 0 without jobs."""
        return float(self.submit_s[-1] - self.submit_s[0]) if len(self) else 0.0


_COLUMNS: dict[str, type[np.float64] | type[np.int64]] = {
    f.name: np.float64 if f.name.endswith("_s") else np.int64
    for f in fields(Jobs)
    if f.name not in ("names", "origin_s")
}
