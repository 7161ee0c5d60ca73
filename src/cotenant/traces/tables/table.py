"""Plain tables of usage: CSV or Parquet, one row a sample or one column a task.

A long table has a header with the task, the time and the CPU usage, by these or other
usual names; without a task column every file is one task. A wide table has times (or
row numbers) in its first column and one column a task.

CPU is in cores unless `ReadOptions.unit` or the name of the column says otherwise.
With a column of cores it is a fraction of them, and they are the request of the task
where the table states no other. Cells may be quantities such as ``500m`` and ``64Mi``.
Requests of CPU are in the unit of the usage, or in cores beside a column of cores.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import polars as pl

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.schema import Reading, ReadOptions, Unit
from cotenant.traces.source import Member
from cotenant.traces.tables.clock import Clock
from cotenant.traces.tables.counter import CounterWatch
from cotenant.traces.tables.naming import name_columns
from cotenant.traces.tables.rawtable import open_table
from cotenant.traces.tables.samples import (
    USAGE,
    TableFile,
    drop_unusable,
    long_rows,
    suspicion,
    wide_rows,
)


def recognise(members: list[Member]) -> str | None:
    """Recognise a header that names the CPU usage, or times and one column a task."""
    if not members:
        return None
    try:
        raw = open_table(members[0])
        naming = name_columns(raw.member.name, raw.names, raw.dated, ReadOptions())
    except TraceError:
        return None
    if naming.wide:
        return f"a first column of times or row numbers, {len(naming.tasks)} others"
    said = (f"{role} ({raw.names[p]})" for role, p in naming.roles.items())
    return f"a header with {', '.join(said)}"


def read(reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield batches in the order of the files."""
    return read_files(reading, lambda _member: None)


def read_files(
    reading: Reading, stated: Callable[[Member], Unit | None]
) -> Iterator[pl.DataFrame]:
    """Yield batches of all files; `stated` tells a unit that a file fixes itself.

    Raises
    ------
    TraceError
        If no file holds rows, the units of two files differ, or usage is a counter.
    """
    empty, kinds = [], set()
    for member in reading.members:
        file = _open(reading, member, stated(member))
        reading.unit = file.options.kind(file.unit)
        kinds.add(reading.unit)
        if len(kinds) > 1:
            problem = f"holds {reading.unit}, the files before it do not; expected one"
            raise TraceError(member.name, f"{problem} unit in a source")
        before = reading.cleaning.rows
        yield from _read_file(reading, file)
        if reading.cleaning.rows == before:
            empty.append(member.name)
            reading.cleaning.note(f"{member.name} holds a header but no rows")
    if len(empty) == len(reading.members):
        raise TraceError(empty[0], "holds a header but no rows; expected samples")


def _open(reading: Reading, member: Member, stated: Unit | None) -> TableFile:
    options, note = reading.options, reading.cleaning.note
    if options.cores_column and options.unit in ("cores", "millicores"):
        problem = f"with a column of cores, cpu is a share of them, not {options.unit}"
        raise InvalidInput(f"{problem}; expected unit percent or fraction")
    raw = open_table(member)
    naming = name_columns(member.name, raw.names, raw.dated, options)
    for sentence in naming.notes:
        note(sentence)
    if not naming.wide and "task" not in naming.roles:
        note("there is no task column: every file is one task")
    usual: Unit = "fraction" if options.cores_column else "cores"
    known = stated or options.unit or naming.unit
    unit = known or usual
    if options.unit is None:
        note(f"cpu is taken as {unit}")
    return TableFile(
        raw,
        naming,
        replace(options, unit=unit),
        unit,
        assumed=known is None,
        clock=Clock(reading.cleaning),
        watch=CounterWatch(),
    )


def _read_file(reading: Reading, file: TableFile) -> Iterator[pl.DataFrame]:
    naming = file.naming
    asked = [p for p in (naming.cores, naming.keep) if p is not None]
    positions = [*naming.roles.values(), *naming.tasks, *asked]
    for cells in file.raw.batches(reading, positions):
        if naming.wide:
            rows = wide_rows(file, cells)
            reading.cleaning.rows += rows.height - cells.height
        else:
            rows = long_rows(file, cells)
        file.watch.observe(rows, next(name for name in USAGE if name in rows.columns))
        yield drop_unusable(reading, naming, rows)
    file.watch.check(file.raw.member.name)
    doubt = suspicion(file)
    if doubt:
        reading.cleaning.note(doubt)
