"""Bitbrains traces of virtual machines, GWA-T-12 of the Grid Workloads Archive.

One file a VM, columns split by ``;`` and a tab, with a header. CPU is given in percent
of the cores of the VM (and again in MHz), memory in KB. Memory and CPU values are
fifteenths almost everywhere: means of the fifteen 20 second readings of five minutes,
so they are read as averages.

Published by Bitbrains; Shen, van Beek and Iosup, CCGrid 2015.
"""

from collections.abc import Iterator

import polars as pl

from cotenant.traces.lines import Field, read_rows
from cotenant.traces.public.fixed import refuse_table_options, share_factor
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

KILOBYTE = 1024.0
# In seconds this is the year 5138, in milliseconds 1973: no recording fits both.
MILLISECONDS_FROM = 1e11

_FIELDS = (
    Field("stamp", 0, pl.Float64(), "a time stamp"),
    Field("cores", 1, pl.Float64(), "a number of cores"),
    Field("capacity", 2, pl.Float64(), "a CPU capacity in MHz"),
    Field("usage", 4, pl.Float64(), "a CPU percentage"),
    Field("memory_capacity", 5, pl.Float64(), "a memory capacity in KB"),
    Field("memory_usage", 6, pl.Float64(), "a memory usage in KB"),
)


def recognise(members: list[Member]) -> str | None:
    """Recognise the header, from the time stamp to the cores."""
    heads = [m.head(64).removeprefix(b"\xef\xbb\xbf") for m in members[:3]]
    if heads and all(h.startswith(b"Timestamp [ms];\tCPU cores;") for h in heads):
        return 'a header that starts "Timestamp [ms]; CPU cores", one file a VM'
    return None


def read(reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield the average usage in cores; the name of the file is the task.

    Rows without cores or CPU capacity tell nothing about usage: they are dropped and
    counted. Cores may change over time, usage may pass 100 %.

    Raises
    ------
    InvalidInput
        If an option chooses columns, or the unit is an absolute one.
    """
    refuse_table_options(reading.options, "bitbrains")
    share = share_factor(reading.options, "bitbrains")
    reading.unit = "cores"
    reading.cleaning.note("readings are means of five minutes, cpu_mean")
    for member in reading.members:
        for rows in read_rows(
            reading, member, _FIELDS, width=11, header=True, separator=";", remove=b"\t"
        ):
            _note_seconds(reading, rows)
            yield _on_cores(reading, rows).select(
                task=pl.lit(member.stem),
                time=_seconds(),
                cpu_mean=pl.col("usage") * share * pl.col("cores"),
                memory=pl.col("memory_usage") * KILOBYTE,
                cpu_request=pl.col("cores") * reading.options.scale,
                memory_request=pl.col("memory_capacity") * KILOBYTE,
            )


def _on_cores(reading: Reading, rows: pl.DataFrame) -> pl.DataFrame:
    usable = (pl.col("cores") > 0) & (pl.col("capacity") > 0)
    kept = rows.filter(usable.fill_null(value=False))
    reading.cleaning.drop("no_cores", rows.height - kept.height)
    return kept


def _seconds() -> pl.Expr:
    stamp = pl.col("stamp")
    return pl.when(stamp < MILLISECONDS_FROM).then(stamp).otherwise(stamp / 1e3)


def _note_seconds(reading: Reading, rows: pl.DataFrame) -> None:
    if rows.select((pl.col("stamp") < MILLISECONDS_FROM).any()).item():
        reading.cleaning.note("time stamps are seconds, though the header says ms")
