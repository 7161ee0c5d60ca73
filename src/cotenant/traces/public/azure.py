"""Azure Public Dataset, readings of virtual machines (V1 2017 and V2 2019).

Readings have five columns and no header: time in seconds, VM, and the minimum, maximum
and average CPU of five minutes in percent of the VM. The VM table has eleven columns
and no header and tells cores and memory.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.cleaning import Cleaning
from cotenant.traces.lines import LINE, Field, read_rows
from cotenant.traces.public import azure_wide
from cotenant.traces.public.fixed import (
    first_row,
    is_number,
    named,
    note_unused,
    refuse_table_options,
    share_factor,
)
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

GIGABYTE = 1024.0**3  # the VM sizes (1.75, 3.5, 7, ...) are powers of two times 7
LABELS = {"subscription": 1, "deployment": 2, "category": 8}

_READING = (
    Field("time", 0, pl.Float64(), "a time in seconds"),
    Field("task", 1, pl.String(), "a VM"),
    Field("cpu_mean", 4, pl.Float64(), "an average CPU percentage"),
)
_SIZE = (
    Field("task", 0, pl.String(), "a VM"),
    Field("cores", 9, pl.String(), "a number of cores"),
    Field("memory", 10, pl.String(), "gigabytes of memory"),
)
_HASH = re.compile(r"[A-Za-z0-9+/=]{20,}")
_TABLES = ("readings", *azure_wide.MEASURES)


def recognise(members: list[Member]) -> str | None:
    """Recognise a hash and three percentages a row, or a wide table."""
    for member in members[:5]:
        cells = first_row(member)
        if azure_wide.is_header(cells):
            return "a column named row, then one column a VM"
        numbers = cells[:1] + cells[2:]
        if (
            len(cells) == 5
            and _HASH.fullmatch(cells[1])
            and all(map(is_number, numbers))
        ):
            return "five columns: time, hash of a VM, three percentages"
    return None


def read(reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield the readings, in cores where the VM table is given.

    Raises
    ------
    InvalidInput
        If the source holds the same VMs more than once, as averages and as maxima say,
        or an option does not suit it.
    TraceError
        If no file of the source holds readings.
    """
    refuse_table_options(reading.options, "azure2017", LABELS)
    files: dict[str, list[Member]] = {"sizes": [], "other": []}
    for member in reading.members:
        files.setdefault(_table(member), []).append(member)
    tables = [name for name in _TABLES if name in files]
    if not tables:
        raise TraceError(reading.members[0].name, "holds no readings of VMs")
    if len(tables) > 1:
        names = " and ".join(str(files[name][0].path) for name in tables)
        raise InvalidInput(f"{names} may measure the same VMs; give one of them")
    note_unused(reading, files["other"], "the table holds no readings of VMs")
    members = files[tables[0]]
    if tables == ["readings"]:
        yield from _readings(reading, members, files["sizes"])
    else:
        note_unused(reading, files["sizes"], "a wide table is not joined to sizes")
        yield from azure_wide.read(reading, members)


def _table(member: Member) -> str:
    cells = first_row(member)
    if azure_wide.is_header(cells):
        return azure_wide.measure(member)
    return {5: "readings", 11: "sizes"}.get(len(cells), "other")


def _readings(
    reading: Reading, members: list[Member], sizes: list[Member]
) -> Iterator[pl.DataFrame]:
    reading.cleaning.note("minimum and maximum of the five minutes are not used")
    vms = _sizes(reading, sizes) if sizes else None
    if vms is None and reading.options.keep is not None:
        raise InvalidInput(f"keep is {reading.options.keep!r}; expected a vmtable too")
    reading.unit = "cores" if sizes else reading.options.kind("percent")
    for member in members:
        for rows in read_rows(reading, member, _READING, width=5):
            batch = named(reading, rows.drop(LINE))
            yield (
                _in_shares(reading, batch)
                if vms is None
                else _in_cores(reading, batch, vms)
            )


def _in_shares(reading: Reading, rows: pl.DataFrame) -> pl.DataFrame:
    factor = reading.options.factor("percent")
    return rows.with_columns(pl.col("cpu_mean") * factor)


def _in_cores(reading: Reading, rows: pl.DataFrame, vms: pl.DataFrame) -> pl.DataFrame:
    share = share_factor(reading.options, "the VM table")
    joined = rows.join(vms, on="task", how="left", maintain_order="left")
    sized = joined.filter((pl.col("cores") > 0).fill_null(value=False))
    reading.cleaning.drop("no_cores", joined.height - sized.height)
    return sized.with_columns(
        cpu_mean=pl.col("cpu_mean") * share * pl.col("cores"),
        cpu_request=pl.col("cores") * reading.options.scale,
    ).drop("cores")


def _sizes(reading: Reading, members: list[Member]) -> pl.DataFrame:
    keep = reading.options.keep
    label = [Field(keep, LABELS[keep], pl.String(), "a label")] if keep else []
    aside = replace(reading, cleaning=Cleaning())
    sizes = [
        _numbers(reading, member, rows)
        for member in members
        for rows in read_rows(aside, member, (*_SIZE, *label), width=11)
    ]
    return pl.concat(sizes).unique("task", keep="last", maintain_order=True)


def _numbers(reading: Reading, member: Member, rows: pl.DataFrame) -> pl.DataFrame:
    """Turn cores and gigabytes into numbers; the open bucket ``>24`` becomes 24."""
    texts = pl.col("cores", "memory")
    open_ended = pl.any_horizontal(texts.str.starts_with(">"))
    if rows.select(open_ended.any()).item():
        reading.cleaning.note("an open bucket such as >24 is taken as its lower end")
    parsed = texts.str.strip_prefix(">").cast(pl.Float64, strict=False)
    wrong = rows.filter(pl.any_horizontal(parsed.is_null() & texts.is_not_null()))
    if wrong.height:
        line, _, cores, memory = wrong.row(0)[:4]
        problem = f'size is "{cores}" cores, "{memory}" GB; expected numbers'
        raise TraceError(member.name, problem, line)
    return (
        rows.drop(LINE)
        .with_columns(parsed)
        .select(pl.exclude("memory"), memory_request=pl.col("memory") * GIGABYTE)
    )
