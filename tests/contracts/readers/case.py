"""What a usage format gives to the contract suite: small files of our own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cotenant.traces.schema import ReadOptions

Files = Mapping[str, bytes]  # relative path -> content


@dataclass(frozen=True)
class ReaderCase:
    """One format's material for `test_readers.py`.

    Parameters
    ----------
    files
        A small good source, with the quirks of the format.
    rows
        Rows the reader must count in it.
    first
        The first canonical row of `task`, as a dict of the columns worth checking.
    unit
        `cores` or `fraction`.
    damaged
        The same source with one damaged row.
    damaged_line
        Its line number, or None where the format has no lines (Parquet, JSON).
    damaged_words
        Words that the error must hold: the file, the value, what would be right.
    large
        Makes a source of at least that many rows; bounded batches are checked on it.
    """

    files: Files
    rows: int
    first: Mapping[str, object]
    unit: str
    damaged: Files
    damaged_line: int | None
    damaged_words: tuple[str, ...]
    large: Callable[[int], Files]
    options: ReadOptions = field(default_factory=ReadOptions)
