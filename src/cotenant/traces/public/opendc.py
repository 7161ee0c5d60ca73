"""Traces of the OpenDC simulator: two Parquet files, of machines and of their usage.

Older pairs are called ``meta`` and ``trace``, newer ones ``tasks`` and ``fragments``;
columns decide, not names, and the pairs of several folders may be read together. A
fragment is a stretch of constant usage in MHz. The capacity of a machine is the sum of
its cores, so usage over capacity times cores is usage in cores, an average over the
fragment. The request is the number of cores.

A `trace` dates the end of a fragment; newer fragments carry no time and follow each
other from the submission of their task. Stretches of equal usage were merged, hence
fragments of unequal length: each is one sample.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from cotenant.errors import TraceError
from cotenant.traces.public.fixed import refuse_table_options
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member
from cotenant.traces.tables.parquet import (
    is_parquet,
    read_batches,
    read_schema,
    read_whole,
)

DAY_MS = 86_400_000
_USAGE = ["id", "duration", "cpu_count", "cpu_usage"]
_MACHINE = ["id", "cpu_count", "cpu_capacity"]


@dataclass(frozen=True, slots=True)
class _Pair:
    usage: Member
    machines: Member
    dated: bool


def recognise(members: list[Member]) -> str | None:
    """Recognise Parquet with usage in MHz, or with capacities."""
    for member in members[:2]:
        if not is_parquet(member):
            return None
        names = set(read_schema(member))
        if names >= {*_USAGE} or names >= {*_MACHINE}:
            return f"Parquet with {', '.join(_USAGE)}, and machines beside it"
    return None


def read(reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield batches in cores; machines without a core or an entry are counted."""
    refuse_table_options(reading.options, "an OpenDC trace")
    reading.unit = "cores"
    for pair in _pairs(reading.members):
        machines = _machines(pair.machines, timed=not pair.dated)
        elapsed = pl.DataFrame(schema={"task": pl.String, "elapsed": pl.Float64})
        columns = [*_USAGE, "timestamp"] if pair.dated else _USAGE
        for raw in read_batches(reading, pair.usage, columns):
            rows = raw.rename({"id": "task"}).cast({"task": pl.String})
            if pair.dated:
                end = _milliseconds(rows["timestamp"])
                rows = rows.with_columns(time=(end - rows["duration"]) / 1000.0)
            else:
                rows, elapsed = _follow(rows, machines, elapsed)
            yield _in_cores(reading, rows, machines)


def _pairs(members: list[Member]) -> list[_Pair]:
    usage: dict[str, tuple[Member, bool]] = {}
    machines: dict[str, Member] = {}
    for member in members:
        if not is_parquet(member):
            raise TraceError(member.name, "is no Parquet file; expected a pair of them")
        names = set(read_schema(member))
        if names >= {*_USAGE}:
            usage[str(member.path.parent)] = member, "timestamp" in names
        elif names >= {*_MACHINE}:
            machines[str(member.path.parent)] = member
    for folder, (member, _) in usage.items():
        if folder not in machines:
            problem = "has usage in MHz but no machines beside it"
            expected = f"meta or tasks with {', '.join(_MACHINE)}"
            raise TraceError(member.name, f"{problem}; expected {expected}")
    if not usage:
        problem = f"has no usage beside it; expected trace or fragments with {_USAGE}"
        raise TraceError(members[0].name, problem)
    return [_Pair(m, machines[f], dated) for f, (m, dated) in usage.items()]


def _machines(member: Member, *, timed: bool) -> pl.DataFrame:
    """Return task, cores and MHz a core; and the start in ms where it is needed."""
    columns = [*_MACHINE, "submission_time"] if timed else _MACHINE
    missing = {*columns} - read_schema(member).keys()
    if missing:
        problem = f"has no {min(missing)}; expected it where fragments have no time"
        raise TraceError(member.name, problem)
    table = read_whole(member, columns)
    core = pl.col("cpu_capacity") / pl.col("cpu_count")
    machines = table.select(
        task=pl.col("id").cast(pl.String),
        cpu_request=pl.col("cpu_count").cast(pl.Float64),
        mhz=pl.when(core.is_finite() & (core > 0)).then(core),
    )
    if timed:
        start = _milliseconds(table["submission_time"])
        machines = machines.with_columns(start.alias("start"))
    return machines.unique("task", keep="last")


def _milliseconds(times: pl.Series) -> pl.Series:
    if times.dtype.is_temporal():
        times = times.cast(pl.Datetime("ms")).dt.epoch("ms")
    return times.cast(pl.Float64)


def _follow(
    rows: pl.DataFrame, machines: pl.DataFrame, elapsed: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Date fragments one after the other; return them and what has elapsed by task."""
    own = pl.col("duration").cast(pl.Float64)
    rows = rows.join(elapsed, on="task", how="left", maintain_order="left").join(
        machines.select("task", "start"), on="task", how="left", maintain_order="left"
    )
    past = pl.col("elapsed").fill_null(0.0) + own.cum_sum().over("task")
    rows = rows.with_columns(past=past, time=(pl.col("start") + past - own) / 1000.0)
    newest = rows.group_by("task").agg(elapsed=pl.col("past").last())
    return rows, pl.concat([elapsed, newest]).unique("task", keep="last")


def _in_cores(
    reading: Reading, rows: pl.DataFrame, machines: pl.DataFrame
) -> pl.DataFrame:
    known = machines.select("task", "cpu_request", "mhz", known=pl.lit(True))
    rows = rows.join(known, on="task", how="left", maintain_order="left")
    longest = rows["duration"].cast(pl.Float64).max()
    if isinstance(longest, float) and longest > DAY_MS:
        reading.cleaning.note(f"a fragment lasts {longest:g} ms, more than a day")
    orphans = pl.col("known").is_null()
    idle = (pl.col("cpu_count") <= 0) | pl.col("mhz").is_null()
    reading.cleaning.drop("no_machine", rows.filter(orphans).height)
    reading.cleaning.drop("no_cores", rows.filter(~orphans & idle).height)
    return rows.filter(~orphans & ~idle).select(
        "task",
        pl.col("time").cast(pl.Float64),
        cpu_mean=pl.col("cpu_usage").cast(pl.Float64)
        / pl.col("mhz")
        * reading.options.scale,
        cpu_request=pl.col("cpu_request") * reading.options.scale,
    )
