"""Saved answers of Prometheus range queries (``/api/v1/query_range``).

One or more JSON files, each one answer with a matrix: the CPU of many series, a chunk
of a longer range, or their memory.
"""

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from io import BufferedIOBase
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.prometheus.answer import (
    Floats,
    Series,
    read_answer,
    task_name,
)
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

Column: TypeAlias = Literal["cpu", "memory"]

ROWS = 1 << 18  # of a batch, where no single series has more
IMPLAUSIBLE = 1e15  # a counter that went below zero and wrapped around
_GROWING_POINTS = 24


def recognise(members: list[Member]) -> str | None:
    """Recognise the envelope of an answer, whatever the answer says."""
    heads = [m.head(4096) for m in members[:3]]
    envelope = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"(status|data)"\s*:')
    content = re.compile(rb'"(resultType|errorType)"\s*:')
    if heads and all(envelope.match(h) and content.search(h) for h in heads):
        return "answers of a Prometheus query, one JSON object a file"
    return None


def read(reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield the series of all files, some at a time.

    Raises
    ------
    TraceError
        On damaged JSON, an error or an empty result in any file, anything but a
        matrix, or raw counters.
    """
    samples = Samples(reading)
    for member in reading.members:
        column = _column_of(member, reading)
        with member.open() as stream:
            found = yield from samples.read(member.name, stream, column)
        if not found:
            problem = "holds no series; expected at least one, check the metric name"
            raise TraceError(member.name, problem)


def _column_of(member: Member, reading: Reading) -> Column:
    name = member.stem.lower()
    if "memory" not in name or "cpu" in name:
        return "cpu"
    reading.cleaning.note(f"{member.name} is read as memory, because of its name")
    return "memory"


class _Part(NamedTuple):
    """Points of one series, on their way into a batch."""

    task: str
    label: str | None
    memory: bool
    times: Floats
    values: Floats


@dataclass(slots=True)
class Samples:
    """Turns answers into batches, and remembers of each series when it was there.

    A row is one point; CPU and memory of a moment are two rows for `collect` to join.

    Parameters
    ----------
    reading
        Options in, counts out; `unit` is set.
    """

    reading: Reading
    _spans: dict[tuple[str, bool], dict[int, tuple[float, float]]] = field(
        default_factory=dict
    )
    _changing: int = 0
    _growing: int = 0

    def __post_init__(self) -> None:
        if self.reading.options.cores_column is not None:
            raise InvalidInput(
                "a cores column does not apply to Prometheus; expected a query whose "
                "result is in cores, or a unit"
            )
        self.reading.unit = self.reading.options.kind("cores")

    def read(
        self, name: str, stream: BufferedIOBase, column: Column
    ) -> Generator[pl.DataFrame, None, int]:
        """Yield the batches of one answer; return its number of series.

        Parameters
        ----------
        name
            The answer as errors name it.
        column
            What it measures; a metric with ``memory`` in its name is memory anyway.
        """
        count, rows = 0, 0
        parts: list[_Part] = []
        for series in read_answer(name, stream, self.reading):
            metric = series.labels.get("__name__", "")
            memory = column == "memory" or "memory" in metric
            if not memory:
                self._watch(name, metric, series.values)
            parts.append(self._part(series, memory))
            count, rows = count + 1, rows + len(parts[-1].times)
            if rows >= ROWS:
                yield self._batch(parts)
                parts, rows = [], 0
        if 2 * self._growing > self._changing:
            found = f"{self._growing} of {self._changing} series only ever grow"
            raise _raw_counter(name, found)
        if parts:
            yield self._batch(parts)
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

    def _part(self, series: Series, memory: bool) -> _Part:
        cleaning, (labels, times, values) = self.reading.cleaning, series
        task = task_name(labels)
        cleaning.rows += len(times)
        sound = ~(np.isfinite(values) & (values >= IMPLAUSIBLE))
        times, values = times[sound], values[sound]
        cleaning.drop("implausible", len(sound) - len(times))
        spans = self._spans.setdefault((task, memory), {})
        own = hash(frozenset(labels.items()))
        cleaning.repair("overlapping_series", _count_shared(times, own, spans))
        label = labels.get(self.reading.options.keep or "")
        return _Part(task, label, memory, times, values)

    def _batch(self, parts: list[_Part]) -> pl.DataFrame:
        about = pl.DataFrame(
            [(part.task, part.label, part.memory) for part in parts],
            schema={"task": pl.String, "label": pl.String, "is_memory": pl.Boolean},
            orient="row",
        )
        source = np.repeat(np.arange(len(parts)), [len(part.times) for part in parts])
        rows = about[source].with_columns(
            time=np.concatenate([part.times for part in parts]),
            value=np.concatenate([part.values for part in parts]),
        )
        cpu = pl.col("value") * self.reading.options.factor("cores")
        columns: dict[str, pl.Expr] = {"cpu": pl.when(~pl.col("is_memory")).then(cpu)}
        if about["is_memory"].any():
            columns["memory"] = pl.when("is_memory").then("value")
        if self.reading.options.keep is not None:
            columns[self.reading.options.keep] = pl.col("label")
        return rows.select("task", "time", **columns)


def _count_shared(
    times: Floats, own: int, spans: dict[int, tuple[float, float]]
) -> int:
    """Count moments at which another series of the task is there; note our own span.

    An old and a new container, or a double scrape. Of rows at one moment `collect`
    takes the largest: their sum would be load that never was.
    """
    shared = np.zeros(len(times), dtype=bool)
    for other, (first, last) in spans.items():
        if other != own:
            shared |= (times >= first) & (times <= last)
    if len(times):
        first, last = spans.get(own, (np.inf, -np.inf))
        spans[own] = min(first, float(times.min())), max(last, float(times.max()))
    return int(shared.sum())


def _raw_counter(name: str, found: str) -> TraceError:
    problem = "expected usage, not its running total; wrap the query in rate(...[2m])"
    return TraceError(name, f"{found}; {problem}")
