"""Text tables in bounded chunks, with errors that know file, line and column."""

import csv
import zlib
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from cotenant.errors import TraceError
from cotenant.traces.layout import LINE, Field, Layout
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

__all__ = ["LINE", "Field", "read_header", "read_rows"]

_NEWLINE = ord("\n")
CHUNK = 8 << 20  # bytes; a few hundred thousand rows


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
    Rows that end before their last column are dropped and counted as truncated: their
    last value may be cut too.

    Parameters
    ----------
    width
        Number of columns of a row; more in a line is an error.
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
    layout = Layout(member, list(fields), width, separator)
    for chunk, line in _chunks(reading, member):
        text = chunk.replace(remove, b"") if remove else chunk
        if line == 1:
            text, line = _skip_top(text, header)
        if not text:
            continue
        rows, truncated = layout.parse(text, line)
        reading.cleaning.rows += rows.height + truncated.len()
        if truncated.len():
            reading.cleaning.drop("truncated", truncated.len())
            words = f"has fewer than {width} cells"
            reading.cleaning.show("truncated", member.name, truncated[0], words)
        if rows.height:
            yield rows


def _chunks(reading: Reading, member: Member) -> Iterator[tuple[bytes, int]]:
    line = 1
    try:
        with member.open() as stream:
            while block := stream.read(CHUNK):
                block += stream.readline()
                reading.advance(len(block))
                yield block, line
                # Lines are short: NumPy counts them in half the time of `count`.
                ends = np.frombuffer(block, np.uint8) == _NEWLINE
                count = int(np.count_nonzero(ends))
                line += count
                reading.lines += count
    except (OSError, EOFError, zlib.error) as error:
        problem = f"cannot be read to its end ({error}); is the file complete?"
        raise TraceError(member.name, problem, line) from error


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
