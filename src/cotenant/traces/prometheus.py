"""Saved answers of Prometheus range queries (``/api/v1/query_range``).

One or more JSON files, each one answer with a matrix: the CPU of many series, a chunk
of a longer range, or their memory. Times and values of all files are held until the
last is read, because series of one task may lie anywhere.
"""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.prometheus_answer import (
    Floats,
    Series,
    read_answer,
    task_name,
)
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

Column: TypeAlias = Literal["cpu", "memory"]

ROWS = 1 << 18  # of a batch, where no single task has more
IMPLAUSIBLE = 1e15  # a counter that went below zero and wrapped around
_GROWING_POINTS = 24
_MOMENT = ("task", "time")


def recognise(members: list[Member]) -> str | None:
    """Recognise the envelope of an answer, whatever the answer says."""
    heads = [m.head(4096) for m in members[:3]]
    envelope = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"(status|data)"\s*:')
    content = re.compile(rb'"(resultType|errorType)"\s*:')
    if heads and all(envelope.match(h) and content.search(h) for h in heads):
        return "answers of a Prometheus query, one JSON object a file"
    return None


def read(reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield batches of whole tasks once all files are read.

    Raises
    ------
    TraceError
        On damaged JSON, an error or an empty result in any file, anything but a
        matrix, or raw counters.
    """
    samples = Samples(reading)
    for member in reading.members:
        with member.open() as stream:
            found = samples.add(member.name, stream, _column_of(member, reading))
        if not found:
            problem = "holds no series; expected at least one, check the metric name"
            raise TraceError(member.name, problem)
    yield from samples.batches()


def _column_of(member: Member, reading: Reading) -> Column:
    name = member.stem.lower()
    if "memory" not in name or "cpu" in name:
        return "cpu"
    reading.cleaning.note(f"{member.name} is read as memory, because of its name")
    return "memory"


class _Part(NamedTuple):
    """Points of one series out of one answer."""

    task: str
    series: int
    label: str | None
    times: Floats
    values: Floats


@dataclass(slots=True)
class Samples:
    """Series of one or more answers, brought together by task.

    A row is a moment of a series; memory measured at the moment of a CPU value goes
    into the same row, and a moment with memory alone has a null `cpu`.

    Parameters
    ----------
    reading
        Options in, counts out; `unit` is set.
    """

    reading: Reading
    _tasks: dict[str, dict[Column, list[_Part]]] = field(default_factory=dict)
    _series: dict[frozenset[tuple[str, str]], int] = field(default_factory=dict)
    _changing: int = 0
    _growing: int = 0

    def __post_init__(self) -> None:
        if self.reading.options.cores_column is not None:
            raise InvalidInput(
                "a cores column does not apply to Prometheus; expected a query whose "
                "result is in cores, or a unit"
            )
        self.reading.unit = self.reading.options.kind("cores")

    def add(self, name: str, stream: IO[bytes], column: Column) -> int:
        """Read one answer; return its number of series.

        Parameters
        ----------
        name
            The answer as errors name it.
        column
            What it measures; a metric with ``memory`` in its name is memory anyway.
        """
        count = 0
        for series in read_answer(name, stream, self.reading):
            count += 1
            metric = series.labels.get("__name__", "")
            if column == "memory" or "memory" in metric:
                self._keep("memory", series)
            else:
                self._watch(name, metric, series.values)
                self._keep("cpu", series)
        if 2 * self._growing > self._changing:
            found = f"{self._growing} of {self._changing} series only ever grow"
            raise _raw_counter(name, found)
        return count

    def _watch(self, name: str, metric: str, values: Floats) -> None:
        """Gather evidence that the values are a running total."""
        if metric.endswith("_total"):
            raise _raw_counter(name, f"{metric} is a counter")
        steps = np.diff(values[np.isfinite(values)])
        if len(steps) + 1 >= _GROWING_POINTS and steps.any():
            # A restart takes a counter back to zero, so a few falls prove nothing.
            few_falls = (steps < 0).sum() <= 0.01 * len(steps)
            self._changing += 1
            self._growing += int(few_falls and (steps > 0).sum() >= 0.5 * len(steps))

    def _keep(self, column: Column, series: Series) -> None:
        labels, times, values = series
        wrapped = np.isfinite(values) & (values >= IMPLAUSIBLE)
        self.reading.cleaning.rows += int(wrapped.sum())
        self.reading.cleaning.drop("implausible", int(wrapped.sum()))
        part = _Part(
            task=task_name(labels),
            series=self._series.setdefault(
                frozenset(labels.items()), len(self._series)
            ),
            label=labels.get(self.reading.options.keep or ""),
            times=times[~wrapped],
            values=values[~wrapped],
        )
        self._tasks.setdefault(part.task, {}).setdefault(column, []).append(part)

    def batches(self) -> Iterator[pl.DataFrame]:
        """Yield everything added, whole tasks, and let go of it."""
        tasks, rows = deque(self._tasks.values()), 0
        self._tasks.clear()
        cpu: list[_Part] = []
        memory: list[_Part] = []
        while tasks:
            parts = tasks.popleft()
            cpu += parts.get("cpu", [])
            memory += parts.get("memory", [])
            rows += sum(len(part.times) for found in parts.values() for part in found)
            if rows >= ROWS or not tasks:
                batch = self._batch(cpu, memory)
                self.reading.cleaning.rows += batch.height
                yield batch
                cpu, memory, rows = [], [], 0

    def _batch(self, cpu: list[_Part], memory: list[_Part]) -> pl.DataFrame:
        factor = self.reading.options.factor("cores")
        left = self._largest(cpu).with_columns(cpu=pl.col("value") * factor)
        right = self._largest(memory).rename({"value": "memory"})
        shared = right.select(*_MOMENT, "memory").unique(_MOMENT, maintain_order=True)
        both = left.join(shared, on=_MOMENT, how="left", maintain_order="left")
        alone = right.join(left, on=_MOMENT, how="anti", maintain_order="left")
        rows = pl.concat([both, alone], how="diagonal")
        keep = self.reading.options.keep
        columns = [*_MOMENT, "cpu", "memory"] if memory else [*_MOMENT, "cpu"]
        return rows.select(*columns, *([pl.col("label").alias(keep)] if keep else []))

    def _largest(self, parts: list[_Part]) -> pl.DataFrame:
        """Give all series of a task the largest finite value of each moment.

        Two series of one task at one moment are an old and a new container, or a
        double scrape; their sum would be load that never was.
        """
        rows = _frame(parts)
        finite = pl.when(pl.col("value").is_finite()).then("value")
        largest = pl.coalesce(finite.max().over(_MOMENT), "value")
        rivals = pl.col("series").n_unique().over(_MOMENT)
        rows = rows.with_columns(rivals=rivals)
        shared = rows.filter(pl.col("rivals") > 1)
        surplus = shared.height - shared.select(_MOMENT).n_unique()
        self.reading.cleaning.repair("overlapping_series", surplus)
        return rows.with_columns(value=largest).drop("rivals", "series")


def _frame(parts: list[_Part]) -> pl.DataFrame:
    sizes = [len(part.times) for part in parts]
    source = np.repeat(np.arange(len(parts)), sizes)
    empty = [np.empty(0)]
    about = pl.DataFrame(
        [(part.task, part.series, part.label) for part in parts],
        schema={"task": pl.String, "series": pl.Int64, "label": pl.String},
        orient="row",
    )
    return about[source].with_columns(
        time=np.concatenate([part.times for part in parts] or empty),
        value=np.concatenate([part.values for part in parts] or empty),
    )


def _raw_counter(name: str, found: str) -> TraceError:
    problem = "expected usage, not its running total; wrap the query in rate(...[2m])"
    return TraceError(name, f"{found}; {problem}")
