"""Google cluster trace 2011: task usage, with the facts of the task events.

Tables as published in ``clusterdata-2011-2``: `task_usage` has 20 columns,
`task_events` 13, neither has a header. Usage is normalised to the largest machine.
Column 20 is a one second sample taken at random within the five minutes and is the
instantaneous usage; column 6 is the average.
"""

from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from cotenant.errors import TraceError
from cotenant.traces.cleaning import Cleaning
from cotenant.traces.lines import Field, read_rows
from cotenant.traces.public import google_series
from cotenant.traces.public.fixed import (
    first_row,
    is_number,
    named,
    note_unused,
    refuse_table_options,
)
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

MICROSECONDS = 1e6
AFTER_TRACE = 2.0**63 - 1  # the time that stands for "after the end of the trace"
MERGE_FROM = 1_000_000  # rows of events held before they are merged
GONE_WRONG = (2, 3, 5, 6)  # evicted, failed, killed, lost

_JOB = Field("job", 2, pl.Int64(), "a job ID")
_INDEX = Field("index", 3, pl.Int64(), "the index of a task in its job")
_USAGE = (
    Field("start", 0, pl.Float64(), "a time in microseconds"),
    _JOB,
    _INDEX,
    Field("cpu_mean", 5, pl.Float64(), "an average CPU rate"),
    Field("memory", 6, pl.Float64(), "a share of memory"),
    Field("cpu", 19, pl.Float64(), "a sampled CPU rate"),
)
_EVENTS = (
    _JOB,
    _INDEX,
    Field("event", 5, pl.Int64(), "an event type"),
    Field("cpu_request", 9, pl.Float64(), "a CPU request"),
    Field("memory_request", 10, pl.Float64(), "a memory request"),
)
_TASK = ["job", "index"]
_FACTS = {
    "job": pl.Int64(),
    "index": pl.Int64(),
    "failing": pl.Boolean(),
    "cpu_request": pl.Float64(),
    "memory_request": pl.Float64(),
}
_REASONS = {
    "usage": "task usage rows of 20 columns",
    "series": "rows of 18 columns, the sums over one job of the Google trace",
    "machines": "the header mID,moment,CPU",
}


def recognise(members: list[Member]) -> str | None:
    """Recognise a usage table by its path, or by its columns in the first files."""
    tables = {_by_path(m) for m in members} | {_table(m) for m in members[:3]}
    return next((why for table, why in _REASONS.items() if table in tables), None)


def read(reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield usage batches; the events of all tasks are read before the first one.

    Raises
    ------
    TraceError
        If no file of the source holds usage.
    InvalidInput
        If an option chooses columns.
    """
    refuse_table_options(reading.options, "google2011")
    reading.unit = reading.options.kind("fraction")
    tables: dict[str, list[Member]] = {"events": [], "other": []}
    for member in reading.members:
        tables.setdefault(_table(member), []).append(member)
    if not tables.keys() & _REASONS.keys():
        raise TraceError(
            reading.members[0].name, "holds no usage; expected a task_usage table"
        )
    note_unused(reading, tables["other"], "the table holds no usage of tasks")
    if "usage" in tables:
        facts = _facts(reading, tables["events"])
        for member in tables["usage"]:
            yield from _usage(reading, member, facts)
    for member in tables.get("series", []):
        yield from google_series.read_job(reading, member)
    for member in tables.get("machines", []):
        yield from google_series.read_machines(reading, member)


def _by_path(member: Member) -> str | None:
    path = str(member.path).replace("-", "_")
    if "task_usage" in path:
        return "usage"
    return "events" if "task_events" in path else None


def _table(member: Member) -> str:
    if table := _by_path(member):
        return table
    cells = first_row(member)
    if cells == google_series.MACHINES_HEADER:
        return "machines"
    if len(cells) == 13 and all(c.isdigit() for c in (cells[0], cells[2], cells[5])):
        return "events"
    widths = {20: "usage", google_series.WIDTH: "series"}
    if all(is_number(cell) for cell in cells):
        return widths.get(len(cells), "other")
    return "other"


def _usage(
    reading: Reading, member: Member, facts: pl.DataFrame | None
) -> Iterator[pl.DataFrame]:
    factor = reading.options.factor("fraction")
    task = pl.concat_str(_TASK, separator="-")
    for rows in read_rows(reading, member, _USAGE, width=20):
        batch = named(reading, rows.with_columns(task=task))
        inside = batch.filter((pl.col("start") < AFTER_TRACE).fill_null(value=True))
        reading.cleaning.drop("after_trace", batch.height - inside.height)
        usage = _repair_averages(reading, inside)
        if facts is not None:
            usage = usage.join(facts, on=_TASK, how="left", maintain_order="left")
            usage = usage.with_columns(pl.col("failing").fill_null(value=False))
        yield usage.select(
            "task",
            pl.col("start").alias("time") / MICROSECONDS,
            pl.col("cpu", "cpu_mean", "^cpu_request$") * factor,
            "memory",
            pl.col("^(memory_request|failing)$"),
        )


def _repair_averages(reading: Reading, rows: pl.DataFrame) -> pl.DataFrame:
    # No task uses more than the largest machine; a one second sample cannot be spoiled
    # by the division through a tiny interval that makes these averages.
    average, sample = pl.col("cpu_mean"), pl.col("cpu")
    wrong = average.is_not_nan() & (average > 1.0) & sample.is_not_null()
    reading.cleaning.repair("average_above_one", rows.filter(wrong).height)
    repaired = pl.when(wrong).then(sample).otherwise(average)
    return rows.with_columns(cpu_mean=repaired)


def _facts(reading: Reading, members: list[Member]) -> pl.DataFrame | None:
    """Read the events once and keep one row a task."""
    if not members:
        reading.cleaning.note("no task_events: requests and failures are not known")
        return None
    aside = replace(reading, cleaning=Cleaning())
    facts, waiting = pl.DataFrame(schema=_FACTS), list[pl.DataFrame]()
    for member in members:
        for rows in read_rows(aside, member, _EVENTS, width=13):
            failing = pl.col("event").is_in(GONE_WRONG)
            waiting.append(_one_a_task(rows.with_columns(failing=failing)))
            # Merged only when it pays: events outnumber tasks, batches are many.
            if sum(batch.height for batch in waiting) > max(facts.height, MERGE_FROM):
                facts, waiting = _one_a_task(pl.concat([facts, *waiting])), []
    return _one_a_task(pl.concat([facts, *waiting]))


def _one_a_task(events: pl.DataFrame) -> pl.DataFrame:
    return events.group_by(_TASK).agg(
        pl.col("failing").any(), pl.col("cpu_request", "memory_request").max()
    )
