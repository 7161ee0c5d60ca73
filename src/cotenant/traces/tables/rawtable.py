"""A text table or a Parquet file as raw columns, before anyone says what they mean."""

import csv
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from cotenant.errors import TraceError
from cotenant.traces.lines import Field, read_rows
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member
from cotenant.traces.tables.cells import Cells
from cotenant.traces.tables.parquet import is_parquet, read_batches, read_schema

_LONGEST_LINE = 16 << 20  # bytes; other formats may be one line of any length


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

    def batches(
        self,
        reading: Reading,
        positions: Sequence[int],
        numbers: Collection[int] = (),
        task: int | None = None,
    ) -> Iterator[Cells]:
        """Yield the columns at those positions, in chunks.

        In text, columns at `numbers` come as such where all their cells are numbers,
        and names at `task` as a `Categorical`: they repeat.
        """
        wanted = sorted(set(positions))
        if self.separator:
            kinds = dict.fromkeys(numbers, pl.Float64()) | {task: pl.Categorical()}
            fields = [
                Field(str(p), p, kinds.get(p, pl.String()), "text", or_text=p in kinds)
                for p in wanted
            ]
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
