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
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.clock import Clock
from cotenant.traces.counter import CounterWatch
from cotenant.traces.naming import Naming, name_columns
from cotenant.traces.rawtable import Cells, RawTable, open_table
from cotenant.traces.schema import Reading, ReadOptions, Unit
from cotenant.traces.source import Member

IMPLAUSIBLE = (
    1e10  # cores: an unsigned counter that went below zero, even in billionths
)
LIKE_PERCENT = {"cores": 64.0, "fraction": 2.0}
LIKE_MILLICORES = 1000.0
USAGE = ("cpu", "cpu_mean")
EXPECTED: dict[Unit, str] = {
    "percent": "a percentage",
    "fraction": "a fraction",
    "cores": "a number of cores such as 0.5 or 500m",
    "millicores": "a number of millicores",
}
BYTES = "a number of bytes such as 67108864 or 64Mi, or a machine fraction"


@dataclass(slots=True)
class _File:
    """One file while it is read; `options` hold the unit that was settled for it."""

    raw: RawTable
    naming: Naming
    options: ReadOptions
    unit: Unit
    clock: Clock
    watch: CounterWatch
    largest: float = 0.0


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


def _open(reading: Reading, member: Member, stated: Unit | None) -> _File:
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
    unit = stated or options.unit or naming.unit or usual
    if options.unit is None:
        note(f"cpu is taken as {unit}")
    options = replace(options, unit=unit)
    return _File(raw, naming, options, unit, Clock(reading.cleaning), CounterWatch())


def _read_file(reading: Reading, file: _File) -> Iterator[pl.DataFrame]:
    naming = file.naming
    asked = [p for p in (naming.cores, naming.keep) if p is not None]
    positions = [*naming.roles.values(), *naming.tasks, *asked]
    for cells in file.raw.batches(reading, positions):
        if naming.wide:
            rows = _wide(file, cells)
            reading.cleaning.rows += rows.height - cells.height
        else:
            rows = _long(file, cells)
        file.watch.observe(rows, next(name for name in USAGE if name in rows.columns))
        yield _usable(reading, naming, rows)
    file.watch.check(file.raw.member.name)
    suspicion = _suspicion(file)
    if suspicion and reading.options.unit is None:
        reading.cleaning.note(suspicion)


def _long(file: _File, cells: Cells) -> pl.DataFrame:
    roles, naming = file.naming.roles, file.naming
    stem = file.raw.member.stem.removesuffix(".parquet")
    columns = {
        "task": cells.text(roles["task"]) if "task" in roles else pl.lit(stem),
        "time": pl.lit(None, pl.Float64),
    }
    if "time" in roles:
        columns["time"] = cells.times(roles["time"], file.clock)
    for name in USAGE:
        if name in roles:
            columns[name] = _usage(file, cells, roles[name], name)
    factor = file.options.factor(file.unit)
    if naming.cores is not None:
        cores = cells.numbers(naming.cores, "cores", EXPECTED["cores"])
        columns |= {name: columns[name] * cores for name in USAGE if name in roles}
        columns["cpu_request"] = cores
        factor = 1.0
    if "cpu_request" in roles:
        request = cells.numbers(
            roles["cpu_request"], "cpu_request", EXPECTED[file.unit]
        )
        columns["cpu_request"] = request * factor
    for name in ("memory", "memory_request"):
        if name in roles:
            columns[name] = cells.numbers(roles[name], name, BYTES)
    if "failing" in roles:
        columns["failing"] = cells.flags(roles["failing"], "failing")
    if naming.keep is not None and file.options.keep:
        columns.setdefault(file.options.keep, cells.text(naming.keep))
    return pl.select(pl.repeat(0, cells.height)).select(**columns)


def _wide(file: _File, cells: Cells) -> pl.DataFrame:
    tasks, count = file.naming.tasks, len(file.naming.tasks)
    names = [file.raw.names[p] for p in tasks]
    if "time" in file.naming.roles:
        time = cells.times(file.naming.roles["time"], file.clock)
    else:
        time = pl.repeat(None, cells.height, dtype=pl.Float64, eager=True)
    return pl.DataFrame(
        {
            "task": pl.Series(names).gather(np.repeat(np.arange(count), cells.height)),
            "time": pl.concat([time] * count),
            "cpu": pl.concat(
                _usage(file, cells, p, name)
                for p, name in zip(tasks, names, strict=True)
            ),
        }
    )


def _usage(file: _File, cells: Cells, position: int, name: str) -> pl.Series:
    suffixes = file.unit == "cores"
    raw = cells.numbers(position, name, EXPECTED[file.unit], suffixes)
    credible = raw.filter(raw.is_finite() & (raw < IMPLAUSIBLE))
    file.largest = max(file.largest, float(credible.max() or 0.0))  # type: ignore
    return raw * file.options.factor(file.unit)


def _usable(reading: Reading, naming: Naming, rows: pl.DataFrame) -> pl.DataFrame:
    wrong = {"no_task": pl.col("task").is_null()}
    if "time" in naming.roles:
        wrong["no_time"] = pl.col("time").is_null()
    usage = [pl.col(name) for name in USAGE if name in rows.columns]
    wrong["implausible"] = pl.any_horizontal(
        (u.is_finite() & (u >= IMPLAUSIBLE)).fill_null(False) for u in usage
    )
    for reason, expression in wrong.items():
        kept = rows.filter(~expression)
        reading.cleaning.drop(reason, rows.height - kept.height)
        rows = kept
    return rows


def _suspicion(file: _File) -> str | None:
    """Say that the values look like another unit than the one assumed."""
    reach = f"cpu reaches {file.largest:g} {file.unit}"
    if file.unit == "cores" and file.largest > LIKE_MILLICORES:
        return f"{reach}; if these are thousandths of a core, say --unit millicores"
    if file.largest > LIKE_PERCENT.get(file.unit, float("inf")):
        return f"{reach}; if these are percentages, say --unit percent"
    return None
