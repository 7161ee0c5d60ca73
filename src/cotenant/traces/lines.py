"""Text tables in bounded chunks, with errors that know file, line and column."""

import csv
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from cotenant.errors import TraceError
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

CHUNK = 8 << 20  # bytes; a few hundred thousand rows
LINE = "line"


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
    """

    name: str
    position: int
    dtype: pl.DataType
    expected: str


def read_header(member: Member, separator: str = ",") -> list[str]:
    """Return the names of the first line: BOM, quotes and blanks taken off."""
    first = member.head(1 << 20).split(b"\n", 1)[0]
    text = first.decode("utf-8-sig", errors="replace").rstrip("\r")
    names = next(csv.reader([text.lstrip("#")], delimiter=separator), [])
    return [name.strip() for name in names]


def read_rows(
    reading: Reading,
    member: Member,
    fields: Sequence[Field],
    *,
    width: int,
    header: bool = False,
    separator: str = ",",
    remove: bytes = b"",
) -> Iterator[pl.DataFrame]:
    """Yield the asked columns in chunks, with `line` (from 1) as the first column.

    Lines with ``#`` at the top of the file and blank lines are skipped; the line
    numbers stay true. Rows are counted in `reading.cleaning`, progress is reported.

    Parameters
    ----------
    width
        Number of columns of a row; more in a line is an error, fewer are null.
    header
        Whether the first line after the comments holds names.
    remove
        A byte to delete everywhere, such as the tab in ``;<tab>``.

    Raises
    ------
    TraceError
        On a value that does not parse, a row with too many columns, or damaged
        compression.
    """
    layout = _Layout(member, tuple(fields), width, separator)
    for chunk, line in _chunks(reading, member):
        text = chunk.replace(remove, b"") if remove else chunk
        if line == 1:
            text, line = _skip_top(text, header)
        rows = layout.parse(text, line) if text else pl.DataFrame()
        reading.cleaning.rows += rows.height
        if rows.height:
            yield rows


def _chunks(reading: Reading, member: Member) -> Iterator[tuple[bytes, int]]:
    line, rest = 1, b""
    try:
        with member.open() as stream:
            while block := stream.read(CHUNK):
                reading.advance(len(block))
                block = rest + block
                cut = block.rfind(b"\n") + 1
                if cut:
                    yield block[:cut], line
                    line += block.count(b"\n", 0, cut)
                rest = block[cut:]
    except (OSError, EOFError, zlib.error) as error:
        problem = f"cannot be read to its end ({error}); is the file complete?"
        raise TraceError(member.name, problem, line) from error
    if rest:
        yield rest, line


def _skip_top(text: bytes, header: bool) -> tuple[bytes, int]:
    """Take BOM, comments, blank lines and header off; return the rest and its line."""
    text, line = text.removeprefix(b"\xef\xbb\xbf"), 1
    while text:
        skipped = text.startswith((b"#", b"\n", b"\r\n"))
        if not (skipped or header):
            break
        header = header and skipped
        text, line = text.partition(b"\n")[2], line + 1
    return text, line


@dataclass(frozen=True, slots=True)
class _Layout:
    member: Member
    fields: tuple[Field, ...]
    width: int
    separator: str

    def parse(self, text: bytes, line: int) -> pl.DataFrame:
        names = [f"column_{i + 1}" for i in range(self.width)]
        schema: dict[str, pl.DataType] = dict.fromkeys(names, pl.String())
        schema |= {names[f.position]: f.dtype for f in self.fields}
        try:
            table = pl.read_csv(
                text,
                has_header=False,
                separator=self.separator,
                schema=schema,
                columns=sorted({f.position for f in self.fields}),
                row_index_name=LINE,
                row_index_offset=line,
                missing_columns="insert",
            )
        except pl.exceptions.PolarsError as error:
            raise self._blame(text, line) from error
        columns = [pl.col(names[f.position]).alias(f.name) for f in self.fields]
        blank = pl.all_horizontal(pl.exclude(LINE).is_null())
        return table.filter(~blank).select(LINE, *columns)

    def _blame(self, text: bytes, first: int) -> TraceError:
        """Find the line that polars refused; slow, and only run once."""
        for offset, line in enumerate(text.split(b"\n")):
            problem = self._problem(line.decode(errors="replace").rstrip("\r"))
            if problem:
                return TraceError(self.member.name, problem, first + offset)
        return TraceError(self.member.name, "cannot be parsed as a text table", first)

    def _problem(self, raw: str) -> str | None:
        if "\ufffd" in raw:
            return "is not UTF-8 text; expected UTF-8"
        if raw.count('"') % 2:
            return "has a quote that is not closed"
        cells = next(csv.reader([raw], delimiter=self.separator), [])
        if len(cells) > self.width:
            return f"has {len(cells)} columns; expected {self.width}"
        for field in self.fields:
            value = cells[field.position].strip() if field.position < len(cells) else ""
            if value and not _parses(value, field.dtype):
                column = field.position + 1
                expected = f"expected {field.expected} (column {column})"
                return f"{field.name} is {_short(value)}; {expected}"
        return None


def _parses(value: str, dtype: pl.DataType) -> bool:
    return pl.Series([value]).cast(dtype, strict=False).null_count() == 0


def _short(value: str) -> str:
    text = value if len(value) <= 40 else f"{value[:18]}...{value[-18:]}"
    return f'"{text}"'
