"""What a reader of job logs yields: records as the file has them, unjudged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.demand.job import UNKNOWN
from cotenant.traces.source import Member


@dataclass(frozen=True, slots=True, eq=False)
class JobRecords:
    """The records of one file, in its order; one array a column.

    Seconds that a log does not know are NaN, numbers that it does not know are -1;
    `cleaned` decides what can be used.

    Parameters
    ----------
    id, submit_s, waited_s, runtime_s, estimate_s, requested, allocated
        As in `Jobs`, but anything may be there: 0, negative values, wrong order.
    cpu_s
        Average CPU time of a processor.
    user, group, queue, partition, status
        As in `Jobs`.
    set_aside
        By reason, the records that the format itself says are no finished jobs.
    names
        By column, the texts that its numbers stand for.
    origin_s
        Unix time of second 0; None where the file has no calendar.
    processors
        Size of the machine the log comes from; 0 where the file does not say.
    notes
        Sentences about the file: what was assumed.
    """

    id: IntArray
    submit_s: FloatArray
    waited_s: FloatArray
    runtime_s: FloatArray
    estimate_s: FloatArray
    cpu_s: FloatArray
    requested: IntArray
    allocated: IntArray
    user: IntArray
    group: IntArray
    queue: IntArray
    partition: IntArray
    status: IntArray
    set_aside: Mapping[str, BoolArray] = field(default_factory=dict)
    names: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    origin_s: float | None = None
    processors: int = 0
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.id)

    def first(self, count: int) -> "JobRecords":
        """Return the first records of the file."""
        cut = {name: getattr(self, name)[:count] for name in SECONDS + NUMBERS}
        aside = {reason: mask[:count] for reason, mask in self.set_aside.items()}
        return replace(self, **cut, set_aside=aside)


@dataclass(frozen=True, slots=True)
class JobReader:
    """One format of job logs; its module is imported when a file is shown to it.

    Parameters
    ----------
    module
        Name of a module with two functions of a `Member`, `recognise` and `read`.
    """

    module: str

    def recognise(self, member: Member) -> str | None:
        """Say why a file is of this format, by its head; None when it is not."""
        found: str | None = import_module(self.module).recognise(member)
        return found

    def read(self, member: Member) -> JobRecords:
        """Return all records of a file; a damaged line is a `TraceError`."""
        records: JobRecords = import_module(self.module).read(member)
        return records


SECONDS = ("submit_s", "waited_s", "runtime_s", "estimate_s", "cpu_s")
NUMBERS = (
    "id",
    "requested",
    "allocated",
    "user",
    "group",
    "queue",
    "partition",
    "status",
)


def records_of(
    count: int, columns: Mapping[str, FloatArray | IntArray], **about: Any
) -> JobRecords:
    """Make records from the columns a file has; the others are unknown."""
    full: dict[str, Any] = {name: np.full(count, np.nan) for name in SECONDS}
    full |= {name: np.full(count, UNKNOWN, dtype=np.int64) for name in NUMBERS}
    return JobRecords(**(full | dict(columns)), **about)


def joined(parts: Sequence[JobRecords]) -> JobRecords:
    """Return the records of several files as one, on one clock.

    Texts are numbered anew where files number them differently. Files with calendars
    are put on the clock of the earliest.
    """
    if len(parts) == 1:
        return parts[0]
    origins = [part.origin_s for part in parts if part.origin_s is not None]
    origin = min(origins) if len(origins) == len(parts) else None
    columns: dict[str, Any] = {}
    names: dict[str, dict[int, str]] = {}
    for name in SECONDS + NUMBERS:
        pieces = [getattr(part, name) for part in parts]
        if name == "submit_s" and origin is not None:
            pieces = [
                piece + ((part.origin_s or 0.0) - origin)
                for piece, part in zip(pieces, parts, strict=True)
            ]
        if any(name in part.names for part in parts):
            pieces, names[name] = _renumbered(name, pieces, parts)
        columns[name] = np.concatenate(pieces)
    return JobRecords(
        **columns,
        set_aside={
            reason: np.concatenate(
                [p.set_aside.get(reason, np.zeros(len(p), np.bool_)) for p in parts]
            )
            for reason in {r for part in parts for r in part.set_aside}
        },
        names=names,
        origin_s=origin,
        processors=max(part.processors for part in parts),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def _renumbered(
    name: str, pieces: Sequence[IntArray], parts: Sequence[JobRecords]
) -> tuple[list[IntArray], dict[int, str]]:
    known: dict[str, int] = {}
    result = []
    for piece, part in zip(pieces, parts, strict=True):
        codes, inverse = np.unique(piece, return_inverse=True)
        texts = part.names.get(name, {})
        fresh = [
            UNKNOWN
            if code == UNKNOWN
            else known.setdefault(texts.get(int(code), str(code)), len(known) + 1)
            for code in codes
        ]
        result.append(np.array(fresh, dtype=np.int64)[inverse])
    return result, {number: text for text, number in known.items()}
