"""Chunks of a plain table as canonical rows, in the unit settled for the file."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from cotenant.traces.cleaning import Cleaning
from cotenant.traces.schema import Reading, ReadOptions, Unit
from cotenant.traces.tables.cells import Cells, Spelling
from cotenant.traces.tables.clock import OTHER_UNIT, Clock
from cotenant.traces.tables.counter import CounterWatch
from cotenant.traces.tables.naming import Naming
from cotenant.traces.tables.rawtable import RawTable

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
class TableFile:
    """One file while it is read.

    Parameters
    ----------
    options
        The options of the reading, with the unit that was settled for this file.
    assumed
        Whether nobody stated that unit.
    """

    raw: RawTable
    naming: Naming
    options: ReadOptions
    unit: Unit
    assumed: bool
    clock: Clock
    watch: CounterWatch
    cleaning: Cleaning
    spelling: Spelling


def long_rows(file: TableFile, cells: Cells) -> pl.DataFrame:
    """Return canonical rows of a chunk with one row a sample."""
    roles, naming = file.naming.roles, file.naming
    stem = file.raw.member.stem.removesuffix(".parquet")
    columns = {
        "task": cells.tasks(roles["task"], file.spelling)
        if "task" in roles
        else pl.lit(stem),
        "time": pl.lit(None, pl.Float64),
    }
    if "time" in roles:
        columns["time"] = cells.times(roles["time"], file.clock)
    for name in USAGE:
        if name in roles:
            columns[name] = _usage(file, cells, roles[name], name)
    unit, factor = file.unit, file.options.factor(file.unit)
    if naming.cores is not None:
        cores = _cpu(cells, naming.cores, "cores", "cores")
        columns |= {name: columns[name] * cores for name in USAGE if name in roles}
        unit, factor = "cores", file.options.scale
        columns["cpu_request"] = cores * factor
    if "cpu_request" in roles:
        position = roles["cpu_request"]
        columns["cpu_request"] = _cpu(cells, position, "cpu_request", unit) * factor
    for name in ("memory", "memory_request"):
        if name in roles:
            columns[name] = cells.numbers(roles[name], name, BYTES)
    if "failing" in roles:
        columns["failing"] = cells.flags(roles["failing"], "failing")
    if naming.keep is not None and file.options.keep:
        columns.setdefault(file.options.keep, cells.text(naming.keep))
    return pl.select(pl.repeat(0, cells.height)).select(**columns)


def wide_rows(file: TableFile, cells: Cells) -> pl.DataFrame:
    """Return canonical rows of a chunk with one column a task."""
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


def _usage(file: TableFile, cells: Cells, position: int, name: str) -> pl.Series:
    raw = _cpu(cells, position, name, file.unit)
    if file.assumed:
        credible = raw.filter(raw.is_finite() & (raw < IMPLAUSIBLE))
        largest = float(credible.max() or 0.0)  # type: ignore[arg-type]
        file.cleaning.largest = max(file.cleaning.largest, largest)
    return raw * file.options.factor(file.unit)


def _cpu(cells: Cells, position: int, name: str, unit: Unit) -> pl.Series:
    return cells.numbers(position, name, EXPECTED[unit], suffixes=unit == "cores")


def drop_unusable(reading: Reading, naming: Naming, rows: pl.DataFrame) -> pl.DataFrame:
    """Take out and count rows of no task or time, and counters gone below zero."""
    wrong = {"no_task": pl.col("task").is_null()}
    if "time" in naming.roles:
        wrong["no_time"] = pl.col("time").is_null()
        wrong[OTHER_UNIT] = pl.col("time").is_nan()
    usage = [pl.col(name) for name in USAGE if name in rows.columns]
    wrong["implausible"] = pl.any_horizontal(
        (u.is_finite() & (u >= IMPLAUSIBLE)).fill_null(False) for u in usage
    )
    if not rows.select(pl.any_horizontal(*wrong.values()).any()).item():
        return rows
    for reason, expression in wrong.items():
        kept = rows.filter(~expression)
        reading.cleaning.drop(reason, rows.height - kept.height)
        rows = kept
    return rows


def suspicion(largest: float, unit: Unit) -> str | None:
    """Say that the values look like another unit than the one assumed."""
    reach = f"cpu reaches {largest:g} {unit}"
    if unit == "cores" and largest > LIKE_MILLICORES:
        return f"{reach}; if these are thousandths of a core, say --unit millicores"
    if largest > LIKE_PERCENT.get(unit, float("inf")):
        return f"{reach}; if these are percentages, say --unit percent"
    return None
