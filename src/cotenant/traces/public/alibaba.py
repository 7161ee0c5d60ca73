"""Alibaba cluster trace v2018: usage of machines, or of the containers on them.

Tables without headers: `machine_usage` (9 columns), `machine_meta` (7),
`container_usage` (11) and `container_meta` (8). Usage is in whole percent: of the
machine, or of what the container requested, as the publishers say. -1 and 101 stand for
readings that failed.
"""

import re
from collections.abc import Iterator

import polars as pl

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.lines import LINE, Field, read_rows
from cotenant.traces.public.alibaba_containers import LABELS, read_requests, to_cores
from cotenant.traces.public.fixed import (
    first_row,
    named,
    note_unused,
    refuse_table_options,
)
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

FAILED = (-1.0, 101.0)

_WIDTHS = {
    "machine_usage": 9,
    "container_usage": 11,
    "machine_meta": 7,
    "container_meta": 8,
}
_NAME = re.compile(r"([mc])_\d+")


def recognise(members: list[Member]) -> str | None:
    """Recognise the names of machines and containers and the widths of the tables."""
    for member in members[:5]:
        cells = first_row(member)
        if _by_width(cells).endswith("_usage"):
            return f"{len(cells)} columns that start with a name such as {cells[0]}"
    return None


def read(reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield the usage of the machines, or of the containers.

    Containers come in cores where `container_meta` tells their requests, else as shares
    of a request that is not known.

    Raises
    ------
    InvalidInput
        If the source holds both, which would count the load twice, or an option does
        not suit it.
    TraceError
        If no file of the source holds usage.
    """
    refuse_table_options(reading.options, "alibaba2018", LABELS)
    files: dict[str, list[Member]] = {table: [] for table in (*_WIDTHS, "other")}
    for member in reading.members:
        files[_table(member)].append(member)
    note_unused(reading, files["other"], "the table holds no usage")
    note_unused(reading, files["machine_meta"], "usage is a share of each machine")
    machines, containers = files["machine_usage"], files["container_usage"]
    if machines and containers:
        raise InvalidInput(
            "machine_usage holds the load of container_usage again; give one of them"
        )
    if not machines and not containers:
        raise TraceError(reading.members[0].name, "holds no usage of the trace v2018")
    if machines:
        yield from _shares(reading, machines, "machine_usage")
    else:
        yield from _containers(reading, containers, files["container_meta"])


def _table(member: Member) -> str:
    by_name = (table for table in _WIDTHS if table in member.path.name)
    return next(by_name, None) or _by_width(first_row(member))


def _by_width(cells: list[str]) -> str:
    name = _NAME.fullmatch(cells[0]) if cells else None
    kind = {"m": "machine", "c": "container"}[name[1]] if name else "none"
    tables = (t for t, w in _WIDTHS.items() if w == len(cells) and t.startswith(kind))
    return next(tables, "other")


def _containers(
    reading: Reading, members: list[Member], metas: list[Member]
) -> Iterator[pl.DataFrame]:
    if not metas:
        reading.cleaning.note(
            "no container_meta: usage is a share of what each container requested, "
            "not of a machine"
        )
        yield from _shares(reading, members, "container_usage")
        return
    requests = read_requests(reading, metas, _WIDTHS["container_meta"])
    reading.unit = "cores"
    for rows in _percents(reading, members, "container_usage"):
        yield to_cores(reading, rows, requests)


def _shares(
    reading: Reading, members: list[Member], table: str
) -> Iterator[pl.DataFrame]:
    if reading.options.keep is not None:
        raise InvalidInput(f"keep is {reading.options.keep!r}; {table} has no label")
    reading.unit = reading.options.kind("percent")
    factor = reading.options.factor("percent")
    for rows in _percents(reading, members, table):
        yield rows.with_columns(pl.col("cpu") * factor, pl.col("memory") * 0.01)


def _percents(
    reading: Reading, members: list[Member], table: str
) -> Iterator[pl.DataFrame]:
    """Yield named rows in raw percent, without failed readings."""
    # The machine of a container stands between its name and the time.
    first = 2 if table == "container_usage" else 1
    fields = (
        Field("task", 0, pl.String(), "a name"),
        Field("time", first, pl.Float64(), "a time in seconds"),
        Field("cpu", first + 1, pl.Float64(), "a CPU percentage"),
        Field("memory", first + 2, pl.Float64(), "a memory percentage"),
    )
    for member in members:
        for rows in read_rows(reading, member, fields, width=_WIDTHS[table]):
            yield _without_failed(reading, named(reading, rows.drop(LINE)))


def _without_failed(reading: Reading, rows: pl.DataFrame) -> pl.DataFrame:
    cpu_failed, memory_failed = (
        pl.col(column).is_in(FAILED).fill_null(value=False)
        for column in ("cpu", "memory")
    )
    good = rows.filter(~cpu_failed)
    reading.cleaning.drop("sentinel", rows.height - good.height)
    reading.cleaning.repair("sentinel", good.filter(memory_failed).height)
    return good.with_columns(memory=pl.when(~memory_failed).then(pl.col("memory")))
