"""Any usage source to a cleaned trace."""

from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Literal

import numpy as np
import polars as pl

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.cleaning import Cleaning
from cotenant.traces.facts import describe
from cotenant.traces.gather import gather
from cotenant.traces.kept import Kept
from cotenant.traces.pieces import Piece
from cotenant.traces.readers import READERS
from cotenant.traces.reduction import take
from cotenant.traces.schema import Reading, ReadOptions
from cotenant.traces.source import Member, open_source, stamp_of
from cotenant.traces.store import Scratch, Store, merge
from cotenant.traces.trace import REGULAR, Trace
from cotenant.workers import Where, open_workers

LIVE = "prometheus+"
LONGEST = 50.0  # years that a trace may cover


def read_usage(
    sources: Sequence[str],
    format: str = "auto",
    options: ReadOptions | None = None,
    advance: Callable[[int, int], None] = lambda done, total: None,
    keep: Kept | None = None,
    step: Callable[[str, int, int], None] = lambda what, done, total: None,
    workers: Where = 1,
) -> Trace:
    """Read usage sources of one format into a cleaned trace.

    Parameters
    ----------
    sources
        Files, folders, globs and archives, or addresses that start with
        ``prometheus+http``.
    format
        Name of a reader, or ``auto`` to recognise it.
    advance
        Called with the bytes read since the last call and the bytes of the whole
        source, 0 where that is unknown.
    keep
        Takes finished pieces of a large source, so that a run that was interrupted goes
        on from them. The caller removes it.
    step
        Called with what is being done after reading, how much of it is done, and the
        whole.
    workers
        Who reads and sorts the pieces of a large source, see `open_workers`; all have
        to see its files and the folder of `keep`.

    Raises
    ------
    SourceNotFound
        If a source does not exist.
    TraceError
        If a file is damaged or not of the format, or nothing usable is in it.
    InvalidInput
        If the format is unknown, or an option does not apply to it.
    """
    options = options or ReadOptions()
    cleaning = Cleaning()
    if any(s.startswith(LIVE) for s in sources):
        return _live(sources, options, cleaning)
    with open_source(sources) as members:
        name = _recognise(members, format, cleaning)
        reader = READERS[name]
        size = sum(m.size for m in members)
        reading = Reading(members, options, cleaning, advance=_locked(advance, size))
        pieces = [
            Piece(number, name, group, options)
            for number, group in enumerate(reader.cut(members))
        ]
        if len(pieces) == 1:
            keep = None
        if keep is not None:
            keep.open(pieces, stamp_of(sources))
        scratch = Scratch(keep.folder if keep else None)
        alone = str(workers) == "1" or len(pieces) == 1
        with open_workers(1 if alone else workers, len(pieces)) as opened:
            others = None if alone else opened
            rows = gather(pieces, reading, scratch.path, keep, others)
            reader.conclude(reading)
            store = merge(rows, cleaning, scratch, step, others)
        return _trace(store, reading, sources[0])


def _locked(advance: Callable[[int, int], None], size: int) -> Callable[[int], None]:
    lock = Lock()

    def advanced(done: int) -> None:
        with lock:
            advance(done, size)

    return advanced


def from_frame(
    rows: pl.DataFrame, unit: Literal["cores", "fraction"] = "cores"
) -> Trace:
    """Make a trace of canonical rows that are in memory.

    Raises
    ------
    InvalidInput
        If `task`, or both `cpu` and `cpu_mean`, are missing.
    TraceError
        If nothing usable is in it.
    """
    if "task" not in rows.columns or not {"cpu", "cpu_mean"} & {*rows.columns}:
        raise InvalidInput(
            f"the frame has columns {rows.columns}; expected task, time, and cpu or "
            "cpu_mean"
        )
    reading = Reading([], ReadOptions(), Cleaning(rows=rows.height), unit)
    return _collect(iter([rows]), reading, "frame")


def _live(sources: Sequence[str], options: ReadOptions, cleaning: Cleaning) -> Trace:
    from cotenant.traces.prometheus import live as prometheus_live

    if len(sources) > 1:
        raise InvalidInput("give one live Prometheus address, and nothing beside it")
    reading = Reading([], options, cleaning)
    shown = sources[0].split("?")[0].rsplit("@", 1)[-1]
    return _collect(prometheus_live.read(sources[0], reading), reading, shown)


def _recognise(members: list[Member], format: str, cleaning: Cleaning) -> str:
    if format != "auto":
        if format not in READERS:
            known = ", ".join(READERS)
            raise InvalidInput(f"format is {format!r}; expected auto or one of {known}")
        cleaning.note(f"read as {format}, as asked")
        return format
    for name, reader in READERS.items():
        reason = reader.recognise(members)
        if reason:
            cleaning.note(f"recognised {name}: {reason}")
            return name
    known = ", ".join(READERS)
    raise TraceError(
        members[0].name,
        f"is of no format that is known; name one by --format ({known})",
    )


def _collect(batches: Iterator[pl.DataFrame], reading: Reading, source: str) -> Trace:
    scratch = Scratch()
    rows = take(batches, reading.cleaning, scratch.path / "rows", eager=False)
    return _trace(merge([rows], reading.cleaning, scratch), reading, source)


def _trace(store: Store, reading: Reading, source: str) -> Trace:
    facts, steps = describe(store)
    if not facts.height:
        raise TraceError(
            source, f"holds no usable sample in {_rows(reading.cleaning.rows)}"
        )
    _check_span(facts, source)
    step = float(np.median(steps)) if len(steps) else None
    near = np.abs(steps - step) <= 0.05 * step if step else np.ones(1)
    return Trace(
        source=source,
        store=store,
        unit=reading.unit,
        cleaning=reading.cleaning,
        facts=facts,
        step_s=step,
        regular=bool(near.mean() >= REGULAR),
    )


def _rows(count: int) -> str:
    return f"{count} row{'s' * (count != 1)}"


def _check_span(facts: pl.DataFrame, source: str) -> None:
    start, end = facts["start"].min(), facts["end"].max()
    if not isinstance(start, float) or not isinstance(end, float):
        return
    years = (end - start) / 31_557_600.0
    if years > LONGEST:
        raise TraceError(
            source,
            f"has times {years:.3g} years apart; expected one unit of time throughout",
        )
