"""One piece of a source to its rows and counts: a pure function, for any process."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import polars as pl

from cotenant.traces.cleaning import Cleaning
from cotenant.traces.intake import Intake, Rows
from cotenant.traces.pieces import Piece
from cotenant.traces.readers import READERS
from cotenant.traces.schema import Reading

Advance: TypeAlias = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Reduced:
    """What is left of a piece.

    Parameters
    ----------
    lines
        Lines of text in it; the header stands again in a later part of a file.
    """

    rows: Rows
    cleaning: Cleaning
    unit: Literal["cores", "fraction"]
    lines: int


def reduce(
    piece: Piece, folder: Path, eager: bool, advance: Advance = lambda _bytes: None
) -> Reduced:
    """Read one piece.

    Parameters
    ----------
    folder
        Where its rows go that do not fit in memory.
    eager
        Whether all rows go there.

    Raises
    ------
    TraceError
        If it is damaged; lines of a part are counted from its own top.
    """
    reading = Reading(piece.members, piece.options, Cleaning(), advance=advance)
    batches = READERS[piece.format].read(reading)
    rows = take(batches, reading.cleaning, folder / f"{piece.number:06d}", eager)
    return Reduced(rows, reading.cleaning, reading.unit, reading.lines)


def take(
    batches: Iterator[pl.DataFrame], cleaning: Cleaning, stem: Path, eager: bool
) -> Rows:
    """Take in all batches of a reader."""
    intake = Intake(cleaning, stem, eager)
    for batch in batches:
        intake.add(batch)
    return intake.finish()
