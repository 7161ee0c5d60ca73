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
from functools import partial
from io import BytesIO

import polars as pl

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.cleaning import Cleaning
from cotenant.traces.schema import Reading, ReadOptions, Unit
from cotenant.traces.source import Member
from cotenant.traces.tables.cells import Spelling
from cotenant.traces.tables.clock import OTHER_UNIT, Clock
from cotenant.traces.tables.counter import CounterWatch
from cotenant.traces.tables.naming import Naming, name_columns
from cotenant.traces.tables.rawtable import RawTable, open_table
from cotenant.traces.tables.samples import (
    USAGE,
    TableFile,
    drop_unusable,
    long_rows,
    suspicion,
    wide_rows,
)

NUMBERS = {"time", "cpu", "cpu_mean", "memory", "cpu_request", "memory_request"}
OTHER_UNITS_AT_MOST = 0.01  # share of rows; more is no slip
_UNKNOWN = ("", None, "has times of several units")


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
        If the units of two files differ, or usage is a counter.
    """
    kinds = set()
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
            reading.cleaning.note(f"{member.name} holds a header but no rows")


def conclude(reading: Reading) -> None:
    """Say what only the whole source shows.

    Raises
    ------
    TraceError
        If it holds no rows, or times of more than one unit.
    """
    cleaning, options = reading.cleaning, reading.options
    if not cleaning.rows:
        problem = "holds a header but no rows; expected samples"
        raise TraceError(reading.members[0].name, problem)
    others = cleaning.dropped[OTHER_UNIT]
    if others > OTHER_UNITS_AT_MOST * cleaning.rows:
        file, line, words = cleaning.examples.get(OTHER_UNIT, _UNKNOWN)
        problem = f"{words}; expected one unit of time throughout"
        raise TraceError(file or reading.members[0].name, problem, line)
    doubt = suspicion(cleaning.largest, _usual(options))
    if doubt:
        cleaning.note(doubt)


def _usual(options: ReadOptions) -> Unit:
    return "fraction" if options.cores_column else "cores"


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
    known = stated or options.unit or naming.unit
    unit = known or _usual(options)
    if options.unit is None:
        note(f"cpu is taken as {unit}")
    return TableFile(
        raw,
        naming,
        replace(options, unit=unit),
        unit,
        assumed=known is None,
        clock=_clock(reading, raw, naming),
        watch=CounterWatch(),
        cleaning=reading.cleaning,
        spelling=Spelling(),
    )


def _clock(reading: Reading, raw: RawTable, naming: Naming) -> Clock:
    """Settle the unit of times by the top of the file, also for a later part of it."""
    clock, top = Clock(reading.cleaning), raw.member.top
    if top and "time" in naming.roles:
        member = replace(raw.member, open_raw=partial(BytesIO, top), top=b"")
        time = naming.roles["time"]
        aside = Reading([member], reading.options, Cleaning())
        for cells in replace(raw, member=member).batches(aside, [time], [time]):
            clock.seconds(cells.columns[time])
    return clock


def _read_file(reading: Reading, file: TableFile) -> Iterator[pl.DataFrame]:
    naming = file.naming
    asked = [p for p in (naming.cores, naming.keep) if p is not None]
    positions = [*naming.roles.values(), *naming.tasks, *asked]
    numbers = [p for role, p in naming.roles.items() if role in NUMBERS]
    numbers += [p for p in (*naming.tasks, naming.cores) if p is not None]
    task = naming.roles.get("task")
    for cells in file.raw.batches(reading, positions, numbers, task):
        if naming.wide:
            rows = wide_rows(file, cells)
            reading.cleaning.rows += rows.height - cells.height
        else:
            rows = long_rows(file, cells)
        if not file.raw.member.start:
            usage = next(name for name in USAGE if name in rows.columns)
            file.watch.observe(rows, usage)
        yield drop_unusable(reading, naming, rows)
    file.watch.check(file.raw.member.name)
