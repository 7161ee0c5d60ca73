"""Canonical columns, reading options and the reader protocol.

Every reader turns its source into batches with these columns and units:

========  =========  =================================================================
column    type       meaning
========  =========  =================================================================
task      String     name of the task, also as Categorical; rows of one task may lie
                     anywhere in the source
time      Float64    start of the measurement, seconds since 1970 UTC or since the
                     start of the trace; null where the source has no time
cpu       Float64    instantaneous usage, in cores or in machine fractions
cpu_mean  Float64    average over the measurement interval, same unit
memory    Float64    bytes, or machine fractions
========  =========  =================================================================

`task` and `cpu` or `cpu_mean` must be there, the others may. A null means *not
measured*. Columns that describe the task rather than a moment may follow:
`cpu_request` and `memory_request` (Float64, the units above), `failing` (Boolean), and
the label asked for by `ReadOptions.keep` (String).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import polars as pl

from cotenant.errors import InvalidInput
from cotenant.traces.cleaning import Cleaning
from cotenant.traces.source import Member

SAMPLES: dict[str, pl.DataType] = {
    "task": pl.String(),
    "time": pl.Float64(),
    "cpu": pl.Float64(),
    "cpu_mean": pl.Float64(),
    "memory": pl.Float64(),
}
ATTRIBUTES: dict[str, pl.DataType] = {
    "cpu_request": pl.Float64(),
    "memory_request": pl.Float64(),
    "failing": pl.Boolean(),
}

Unit: TypeAlias = Literal["percent", "fraction", "cores", "millicores"]
UNITS: dict[str, float] = {
    "percent": 0.01,
    "fraction": 1.0,
    "cores": 1.0,
    "millicores": 0.001,
}


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read a usage source.

    Parameters
    ----------
    unit
        Unit of the CPU column, where the source does not fix it itself.
    scale
        Factor on every CPU value, after the unit.
    cores_column
        Column with the cores of a task; CPU is then a share of them.
    keep
        Column with a label a task (a service name, say) to keep beside the samples.
    """

    unit: Unit | None = None
    scale: float = 1.0
    cores_column: str | None = None
    keep: str | None = None

    def __post_init__(self) -> None:
        if self.unit is not None and self.unit not in UNITS:
            raise InvalidInput(
                f"unit is {self.unit!r}; expected one of {', '.join(UNITS)}"
            )
        if not 0 < self.scale < float("inf"):
            raise InvalidInput(f"scale is {self.scale}; expected a positive number")

    def factor(self, default: Unit) -> float:
        """Multiply raw CPU values by this; `default` is the unit of the source."""
        return UNITS[self.unit or default] * self.scale

    def kind(self, default: Unit) -> Literal["cores", "fraction"]:
        """Say what the canonical values then are: cores or machine fractions."""
        if self.cores_column is not None:
            return "cores"
        return (
            "cores" if (self.unit or default) in ("cores", "millicores") else "fraction"
        )


@dataclass(slots=True)
class Reading:
    """What a reader is given and what it reports back while it reads.

    Parameters
    ----------
    members
        The files of the source, in name order, archives opened.
    options
        How to read.
    cleaning
        Where every dropped or repaired row is counted. Readers count only what they
        alone can know; NaN, negative, infinite and missing values, duplicates and
        order are handled for all readers by `collect`.
    unit
        Set by the reader: the unit of the canonical CPU values it yields.
    advance
        Called with the number of source bytes just consumed, for progress.
    lines
        Lines of text read, headers too.
    """

    members: list[Member]
    options: ReadOptions
    cleaning: Cleaning
    unit: Literal["cores", "fraction"] = "fraction"
    advance: Callable[[int], None] = field(default=lambda _bytes: None)
    lines: int = 0


@dataclass(frozen=True, slots=True)
class Reader:
    """One usage format: how to recognise it and how to read it.

    Parameters
    ----------
    recognise
        Given the members, says in words why the source is of this format ("one integer
        a line, 288 lines"), or None when it is not. Looks at a few heads only.
    read
        Yields canonical batches of bounded size.
    cut
        Cuts the members into groups, or parts of a file, that `read` understands
        apart from each other.
    conclude
        Says what only the whole source shows, once all of it is read; may raise.
    """

    recognise: Callable[[list[Member]], str | None]
    read: Callable[[Reading], Iterator[pl.DataFrame]]
    cut: Callable[[list[Member]], list[list[Member]]] = field(
        default=lambda members: [members]
    )
    conclude: Callable[[Reading], None] = field(default=lambda _reading: None)
