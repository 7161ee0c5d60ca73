"""A text table or a Parquet file as raw columns, before anyone says what they mean."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from cotenant.errors import InvalidInput, TraceError
from cotenant.quantities import parse_quantity
from cotenant.traces.clock import EXPECTED_TIME, Clock
from cotenant.traces.lines import Field, read_rows
from cotenant.traces.parquet import is_parquet, read_batches, read_schema
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

_LONGEST_LINE = 16 << 20  # bytes; other formats may be one line of any length
_MISSING = {"", "-", "null", "none", "na", "n/a", "<na>", "nan"}
_FLAGS = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class RawTable:
    """The layout of one file.

    Parameters
    ----------
    member
        The file.
    names
        Its column names, in order.
    separator
        What splits the cells of a line; empty for Parquet.
    dated
        Whether the first column plainly holds dates.
    """

    member: Member
    names: list[str]
    separator: str
    dated: bool

    def batches(self, reading: Reading, positions: Sequence[int]) -> Iterator["Cells"]:
        """Yield the columns at those positions, in chunks."""
        wanted = sorted(set(positions))
        if self.separator:
            fields = [Field(self.names[p], p, pl.String(), "text") for p in wanted]
            chunks = read_rows(
                reading,
                self.member,
                fields,
                width=len(self.names),
                header=True,
                separator=self.separator,
            )
        else:
            names = [self.names[p] for p in wanted]
            chunks = read_batches(reading, self.member, names)
        for chunk in chunks:
            lines = chunk.get_columns()[0] if self.separator else None
            columns = chunk.get_columns()[1 if self.separator else 0 :]
            yield Cells(self.member, lines, dict(zip(wanted, columns, strict=True)))


def open_table(member: Member) -> RawTable:
    """Find out columns and separator.

    Raises
    ------
    TraceError
        If the file holds no line at all, no header, or is damaged.
    """
    if is_parquet(member):
        schema = read_schema(member)
        if not schema:
            raise TraceError(member.name, "has no columns; expected task and cpu")
        dated = next(iter(schema.values())).is_temporal()
        return RawTable(member, list(schema), "", dated)
    header, first_row = _top(member)
    separator = max(",;\t", key=header.count)
    try:
        names = next(csv.reader([header], delimiter=separator))
    except csv.Error as error:
        raise TraceError(member.name, f"has no header of a table ({error})") from error
    dated = re.match(r'"?\d{4}[-/]\d\d?[-/]\d\d?', first_row) is not None
    return RawTable(member, [n.strip() for n in names], separator, dated)


def _top(member: Member) -> tuple[str, str]:
    """Return the header line and the line after it."""
    found: list[str] = []
    with member.open() as stream:
        while len(found) < 2 and (raw := stream.readline(_LONGEST_LINE)):
            line = raw.decode("utf-8-sig", errors="replace").strip("\r\n")
            if line and (found or not line.startswith("#")):
                found.append(line)
    if not found:
        raise TraceError(member.name, "is empty; expected a header and rows")
    return found[0], found[1] if len(found) > 1 else ""


@dataclass(frozen=True, slots=True)
class Cells:
    """One chunk of raw columns; gives typed columns or says which cell is wrong."""

    member: Member
    lines: pl.Series | None
    columns: dict[int, pl.Series]

    @property
    def height(self) -> int:
        """Number of rows."""
        return next(iter(self.columns.values())).len()

    def text(self, position: int) -> pl.Series:
        """Return text without blanks around it; null where nothing is left."""
        column = self.columns[position].cast(pl.String).str.strip_chars()
        return column.replace("", None)

    def numbers(
        self, position: int, name: str, expected: str, suffixes: bool = True
    ) -> pl.Series:
        """Return numbers; text may be a quantity such as ``500m`` if `suffixes`."""
        column = self.columns[position]
        if column.dtype != pl.String:
            return self._cast(column, name, expected)
        column = column.str.strip_chars()
        values = column.cast(pl.Float64, strict=False)
        odd = column.filter(column.is_not_null() & values.is_null()).unique()
        if odd.is_empty():
            return values
        known = {text: _number(text, suffixes) for text in odd}
        wrong = [text for text, value in known.items() if value is None]
        if wrong:
            raise self._blame(column.is_in(wrong), column, name, expected)
        pairs = pl.Series(known.values(), dtype=pl.Float64)
        odd_values = column.replace_strict(
            odd, pairs, default=None, return_dtype=pl.Float64
        )
        return values.fill_null(odd_values.fill_nan(None))

    def times(self, position: int, clock: Clock) -> pl.Series:
        """Return seconds; null where the cell says that nothing was measured."""
        column = self.columns[position]
        seconds = clock.seconds(column)
        if column.dtype == pl.String and seconds.null_count() > column.null_count():
            said_missing = column.str.strip_chars().str.to_lowercase().is_in(_MISSING)
            wrong = column.is_not_null() & seconds.is_null() & ~said_missing
            if wrong.any():
                raise self._blame(wrong, column, "time", EXPECTED_TIME)
        return seconds

    def flags(self, position: int, name: str) -> pl.Series:
        """Return true, false, or null where nothing is said."""
        column = self.columns[position]
        if column.dtype == pl.Boolean:
            return column
        words = column.cast(pl.String).str.strip_chars().str.to_lowercase()
        wrong = words.is_not_null() & ~words.is_in({*_FLAGS, *_MISSING})
        if wrong.any():
            raise self._blame(wrong, column, name, "true or false")
        return words.replace_strict(_FLAGS, default=None, return_dtype=pl.Boolean)

    def _cast(self, column: pl.Series, name: str, expected: str) -> pl.Series:
        if not (column.dtype.is_numeric() or column.dtype == pl.Null):
            problem = f"{name} is of type {column.dtype}; expected {expected}"
            raise TraceError(self.member.name, problem)
        return column.cast(pl.Float64)

    def _blame(
        self, wrong: pl.Series, column: pl.Series, name: str, expected: str
    ) -> TraceError:
        row = wrong.fill_null(False).arg_max() or 0
        line = None if self.lines is None else int(self.lines[row])
        problem = f"{name} is {_short(str(column[row]))}; expected {expected}"
        return TraceError(self.member.name, problem, line)


def _number(text: str, suffixes: bool) -> float | None:
    """Return the number, NaN for a cell that says it holds none, None if unreadable."""
    if text.lower() in _MISSING:
        return float("nan")
    try:
        return parse_quantity(text) if suffixes else None
    except InvalidInput:
        return None


def _short(text: str) -> str:
    return f'"{text}"' if len(text) <= 40 else f'"{text[:18]}...{text[-18:]}"'
