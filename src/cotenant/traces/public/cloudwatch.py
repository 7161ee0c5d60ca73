"""CPU metrics of Amazon CloudWatch: CSV, or the JSON that its command line prints.

Three layouts, told apart by their first characters:

- CSV with the header ``timestamp,value``, as in the Numenta Anomaly Benchmark; the file
  is the task. Values are averages over 5 minutes, which is what basic monitoring gives.
- ``get-metric-statistics``: one metric a file; the file is the task, because the label
  only repeats the name of the metric. Averages and maxima are both used where present.
- ``get-metric-data``: the label of a result is the task, or its Id where labels repeat.
  It does not say which statistic it holds, so values are averages unless the label
  says maximum.

An average becomes `cpu_mean`. A maximum becomes `cpu`: it is no random instant but the
peak of its period, so demands read from it are on the safe side. Values are percent of
the instance.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import polars as pl

from cotenant.errors import TraceError
from cotenant.traces.lines import Field, read_rows
from cotenant.traces.public.fixed import refuse_table_options
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member
from cotenant.traces.tables.cells import Cells
from cotenant.traces.tables.clock import Clock

AVERAGES = "values are averages over a period: peaks within it are not seen"
_HEADER = rb"(\xef\xbb\xbf)?\"?timestamp\"?,\"?value\"?\r?\n"
_DATE = rb"\"?\d{4}-\d\d-\d\d[ T]\d\d:\d\d"
_COLUMNS = {"Average": "cpu_mean", "Maximum": "cpu"}

Point: TypeAlias = Mapping[str, Any]
Result: TypeAlias = Mapping[str, Any]


def recognise(members: list[Member]) -> str | None:
    """Recognise the header with a date below it, or the keys of the JSON answers."""
    head = members[0].head(4096) if members else b""
    if re.match(_HEADER + _DATE, head):
        return "CSV with timestamp,value"
    for key in (b"Datapoints", b"MetricDataResults"):
        if head.lstrip().startswith(b"{") and b'"%s"' % key in head:
            return f"JSON with {key.decode()}"
    return None


def read(reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield one batch or more a file."""
    refuse_table_options(reading.options, "a CloudWatch series")
    reading.unit = reading.options.kind("percent")
    for member in reading.members:
        is_json = member.head(512).lstrip().startswith(b"{")
        yield from (_read_json if is_json else _read_csv)(reading, member)


def _read_csv(reading: Reading, member: Member) -> Iterator[pl.DataFrame]:
    reading.cleaning.note(AVERAGES)
    clock, factor = Clock(reading.cleaning), reading.options.factor("percent")
    fields = [
        Field("timestamp", 0, pl.String(), "a time"),
        Field("value", 1, pl.Float64(), "a percentage"),
    ]
    for rows in read_rows(reading, member, fields, width=2, header=True):
        cells = Cells(member, rows["line"], {0: rows["timestamp"]})
        batch = pl.DataFrame({"time": cells.times(0, clock), "cpu_mean": rows["value"]})
        kept = batch.filter(pl.col("time").is_not_null())
        reading.cleaning.drop("no_time", batch.height - kept.height)
        task = pl.lit(member.stem).alias("task")
        yield kept.select(task, "time", pl.col("cpu_mean") * factor)


def _read_json(reading: Reading, member: Member) -> list[pl.DataFrame]:
    with member.open() as stream:
        text = stream.read()
    reading.advance(len(text))
    try:
        answer = json.loads(text)
        if "Datapoints" in answer:
            return [_statistics(reading, member, answer["Datapoints"])]
        return _metric_data(reading, answer["MetricDataResults"])
    except ValueError as error:
        problem = f"is damaged JSON ({error}); expected a complete answer"
        raise TraceError(member.name, problem) from error
    except (KeyError, TypeError, AttributeError, pl.exceptions.PolarsError) as error:
        problem = f"is not as CloudWatch answers ({type(error).__name__}: {error})"
        expected = "expected Datapoints or MetricDataResults"
        raise TraceError(member.name, f"{problem}; {expected}") from error


def _statistics(reading: Reading, member: Member, points: list[Point]) -> pl.DataFrame:
    units = {point.get("Unit") for point in points}
    if units - {"Percent"}:
        unit = min(str(unit) for unit in units if unit != "Percent")
        problem = f"has values in {unit}; expected Unit Percent, as of CPUUtilization"
        raise TraceError(member.name, problem)
    held = {key for point in points for key in point}
    found = [statistic for statistic in _COLUMNS if statistic in held]
    if points and not found:
        keys = ", ".join(sorted(held - {"Timestamp", "Unit"}))
        raise TraceError(member.name, f"has {keys}; expected Average or Maximum")
    if "Average" in found:
        reading.cleaning.note(AVERAGES)
    times = [str(point["Timestamp"]) for point in points]
    values = {s: [point.get(s) for point in points] for s in found or ["Average"]}
    return _rows(reading, member.stem, times, values)


def _metric_data(reading: Reading, results: list[Result]) -> list[pl.DataFrame]:
    labels = Counter(result["Label"] for result in results)
    batches = []
    for result in results:
        label = str(result["Label"])
        task = label if labels[label] == 1 else str(result["Id"])
        statistic = "Maximum" if "maximum" in label.lower() else "Average"
        if statistic == "Average":
            reading.cleaning.note(f"{AVERAGES} (no statistic is stated)")
        times = [str(time) for time in result["Timestamps"]]
        batches.append(_rows(reading, task, times, {statistic: result["Values"]}))
    return batches


def _rows(
    reading: Reading, task: str, times: list[str], values: Mapping[str, list[Any]]
) -> pl.DataFrame:
    reading.cleaning.rows += len(times)
    factor = reading.options.factor("percent")
    seconds = Clock(reading.cleaning).seconds(pl.Series(times, dtype=pl.String))
    if seconds.has_nulls():
        raise ValueError(f'time "{times[seconds.is_null().arg_max() or 0]}"')
    columns = {
        _COLUMNS[statistic]: pl.Series(column, dtype=pl.Float64) * factor
        for statistic, column in values.items()
    }
    return pl.DataFrame({"time": seconds, **columns}).select(
        pl.lit(task).alias("task"), "time", *columns
    )
