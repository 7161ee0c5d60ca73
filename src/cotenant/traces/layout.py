"""The columns of a text table: lines to typed rows, or the line that is to blame."""

import csv
from dataclasses import dataclass, replace

import polars as pl

from cotenant.errors import TraceError
from cotenant.traces.source import Member

LINE = "line"
_LAST = "last cell"


@dataclass(frozen=True, slots=True)
class Field:
    """A column to read.

    Parameters
    ----------
    name
        Name it gets in the batch.
    position
        Where it stands in a row, from 0.
    dtype
        Type to parse to; empty fields become null.
    expected
        What a right value is, for errors: "a number of cores".
    or_text
        Whether a column with other values comes as text; else they are an error.
    """

    name: str
    position: int
    dtype: pl.DataType
    expected: str
    or_text: bool = False


@dataclass(slots=True)
class Layout:
    """How the lines of one file are parsed.

    Parameters
    ----------
    fields
        The columns asked for; one that came as text once stays text.
    width
        Cells in a line.
    """

    member: Member
    fields: list[Field]
    width: int
    separator: str

    def parse(self, text: bytes, line: int) -> tuple[pl.DataFrame, pl.Series]:
        """Return `line` and the fields of whole rows, and the lines of truncated ones.

        Raises
        ------
        TraceError
            On a value that does not parse, or a row with too many cells.
        """
        rows = self._table(text, line)
        last = rows[_LAST] if _LAST in rows.columns else rows[self._names()[-1]]
        if last.null_count() == 0:
            return rows.drop(_LAST, strict=False), pl.Series([], dtype=pl.UInt32)
        blank = pl.all_horizontal(pl.exclude(LINE).is_null())
        rows = rows.filter(~blank)
        truncated = self._truncated(text, line, rows)
        rows = rows.filter(~pl.col(LINE).is_in(truncated.implode()))
        return rows.drop(_LAST, strict=False), truncated

    def _names(self) -> list[str]:
        """Return names of the columns read, by position."""
        names = {f.position: f.name for f in self.fields}
        return [names[p] for p in sorted(names)]

    def _table(self, text: bytes, line: int) -> pl.DataFrame:
        try:
            return self._read(text, line, self.fields)
        except pl.exceptions.PolarsError as error:
            if not any(field.or_text for field in self.fields):
                raise self._blame(text, line) from error
        return self._table_of_text(text, line)

    def _table_of_text(self, text: bytes, line: int) -> pl.DataFrame:
        """Read again, and find out which fields are not what was hoped for."""
        as_text = [
            replace(f, dtype=pl.String()) if f.or_text else f for f in self.fields
        ]
        try:
            rows = self._read(text, line, as_text)
        except pl.exceptions.PolarsError as error:
            raise self._blame(text, line) from error
        for field in self.fields:
            raw = rows[field.name]
            if raw.dtype == field.dtype:
                continue
            values = raw.str.strip_chars().cast(field.dtype, strict=False)
            if values.null_count() == raw.null_count():
                rows = rows.with_columns(values.alias(field.name))
        self.fields = [
            replace(field, dtype=rows.schema[field.name]) for field in self.fields
        ]
        return rows

    def _read(self, text: bytes, line: int, fields: list[Field]) -> pl.DataFrame:
        names = [f"column_{i + 1}" for i in range(self.width)]
        schema: dict[str, pl.DataType] = dict.fromkeys(names, pl.String())
        schema |= {names[f.position]: f.dtype for f in fields}
        columns = [pl.col(names[f.position]).alias(f.name) for f in fields]
        positions = {f.position for f in fields}
        if self.width - 1 not in positions:
            columns.append(pl.col(names[-1]).alias(_LAST))
        table = pl.read_csv(
            text,
            has_header=False,
            separator=self.separator,
            schema=schema,
            columns=sorted({*positions, self.width - 1}),
            row_index_name=LINE,
            row_index_offset=line,
            missing_columns="insert",
        )
        return table.select(LINE, *columns)

    def _truncated(self, text: bytes, line: int, rows: pl.DataFrame) -> pl.Series:
        """Return the lines that have fewer cells than the table."""
        separator = self.separator.encode()
        if text.count(separator) == (self.width - 1) * rows.height and b'"' not in text:
            return pl.Series([], dtype=pl.UInt32)
        lines = text.split(b"\n")
        last = _LAST if _LAST in rows.columns else self._names()[-1]
        short = [
            number
            for number in rows.filter(pl.col(last).is_null())[LINE]
            if len(self._cells(lines[number - line])) < self.width
        ]
        return pl.Series(short, dtype=pl.UInt32)

    def _cells(self, raw: bytes) -> list[str]:
        text = raw.decode(errors="replace").rstrip("\r")
        return next(csv.reader([text], delimiter=self.separator), [])

    def _blame(self, text: bytes, first: int) -> TraceError:
        """Find the line that polars refused; slow, and only run once."""
        for offset, line in enumerate(text.split(b"\n")):
            problem = self._problem(line)
            if problem:
                return TraceError(self.member.name, problem, first + offset)
        return TraceError(self.member.name, "cannot be parsed as a text table", first)

    def _problem(self, raw: bytes) -> str | None:
        try:
            raw.decode()
        except UnicodeDecodeError:
            return "is not UTF-8 text; expected UTF-8"
        if raw.count(b'"') % 2:
            return "has a quote that is not closed"
        cells = self._cells(raw)
        if len(cells) > self.width:
            return f"has {len(cells)} columns; expected {self.width}"
        for field in self.fields:
            value = cells[field.position].strip() if field.position < len(cells) else ""
            if value and not field.or_text and not _parses(value, field.dtype):
                column = field.position + 1
                expected = f"expected {field.expected} (column {column})"
                return f"{field.name} is {_short(value)}; {expected}"
        return None


def _parses(value: str, dtype: pl.DataType) -> bool:
    return pl.Series([value]).cast(dtype, strict=False).null_count() == 0


def _short(value: str) -> str:
    text = value if len(value) <= 40 else f"{value[:18]}...{value[-18:]}"
    return f'"{text}"'
