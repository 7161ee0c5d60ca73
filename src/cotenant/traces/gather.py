"""All pieces of a source, reduced side by side and added up in their order."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from cotenant.errors import TraceError
from cotenant.traces.intake import Rows
from cotenant.traces.kept import Kept
from cotenant.traces.pieces import Piece
from cotenant.traces.reduction import Advance, Reduced, reduce
from cotenant.traces.schema import Reading

AT_ONCE = 4  # pieces in memory at a time, about 200 MB each


def gather(
    pieces: Sequence[Piece],
    reading: Reading,
    folder: Path,
    kept: Kept | None,
    workers: Executor | None = None,
) -> list[Rows]:
    """Return the rows of all pieces; counts and unit go into `reading`.

    Pieces that `kept` has from a run before are not read again. Workers read the files
    and write rows where this process would; without any, threads of it do.

    Raises
    ------
    TraceError
        Of the first piece that is damaged, or if two pieces differ in their unit.
    """
    rows: list[Rows] = []
    before = 0
    with _futures(pieces, reading.advance, folder, kept, workers) as futures:
        for piece, future in zip(pieces, futures, strict=True):
            lines = before - 1 if piece.later_part else 0
            found = _result(future, lines)
            reading.cleaning.add(found.cleaning, lines)
            before = lines + found.lines
            if rows and found.unit != reading.unit:
                problem = f"holds {found.unit}, the files before it do not; expected"
                name = piece.members[0].name
                raise TraceError(name, f"{problem} one unit in a source")
            reading.unit = found.unit
            rows.append(found.rows)
    return rows


@contextmanager
def _futures(
    pieces: Sequence[Piece],
    advance: Advance,
    folder: Path,
    kept: Kept | None,
    workers: Executor | None,
) -> Iterator[Iterator["Future[Reduced]"]]:
    run = partial(_reduce, folder=folder, eager=len(pieces) > 1, kept=kept)
    # The files of an archive share one stream.
    apart = all(member.apart for piece in pieces for member in piece.members)
    if apart and workers is not None:
        there = None if kept is None else Kept(kept.folder.absolute())
        run = partial(_reduce, folder=folder.absolute(), eager=True, kept=there)
        futures = [workers.submit(run, piece) for piece in pieces]
        try:
            yield _told(futures, pieces, advance)
        finally:
            for future in futures:
                future.cancel()
        return
    threads = min(AT_ONCE, os.cpu_count() or 1, len(pieces)) if apart else 1
    executor: Executor = ThreadPoolExecutor(threads)
    try:
        yield iter([executor.submit(run, piece, advance=advance) for piece in pieces])
    finally:
        executor.shutdown(cancel_futures=True)


def _told(
    futures: Sequence["Future[Reduced]"], pieces: Sequence[Piece], advance: Advance
) -> Iterator["Future[Reduced]"]:
    """Yield the futures in their order, and tell how many bytes are done."""
    for future, piece in zip(futures, pieces, strict=True):
        wait([future])
        advance(piece.size)
        yield future


def _reduce(
    piece: Piece,
    folder: Path,
    eager: bool,
    kept: Kept | None,
    advance: Advance = lambda done: None,
) -> Reduced:
    if kept is None:
        return reduce(piece, folder, eager, advance)
    found = kept.load(piece.number)
    if found is not None:
        advance(piece.size)
        return found
    found = reduce(piece, kept.folder, eager, advance)
    kept.save(piece.number, found)
    return found


def _result(future: "Future[Reduced]", lines: int) -> Reduced:
    try:
        return future.result()
    except TraceError as error:
        if error.line is None or not lines:
            raise
        raise TraceError(error.file, error.problem, error.line + lines) from error
