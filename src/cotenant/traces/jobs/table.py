"""Delimited text with a header, cell by cell, for job logs that have names."""

import csv
import io
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from cotenant.arrays import FloatArray, IntArray
from cotenant.demand.job import UNKNOWN
from cotenant.errors import TraceError
from cotenant.traces.source import Member

BLANK = ("", "Unknown", "None", "N/A", "NaN", "nan", "-1")


@dataclass(frozen=True, slots=True)
class JobTable:
    """Rows of text with the line each one stands on.

    Parameters
    ----------
    file
        The file as errors name it.
    lines
        Line numbers, from 1.
    columns
        Cells by name of the column, lower case.
    """

    file: str
    lines: Sequence[int]
    columns: Mapping[str, pl.Series]

    def __len__(self) -> int:
        return len(self.lines)

    def find(self, names: Sequence[str]) -> str | None:
        """Return the first of these columns that the table has."""
        return next((name for name in names if name in self.columns), None)

    def parse(
        self,
        name: str,
        meaning: pl.Expr,
        expected: str,
        unknown: Sequence[str] = BLANK,
    ) -> FloatArray:
        """Return a column as numbers; cells that mean *unknown* are NaN.

        `meaning` is an expression of the column ``cell`` that is null where a cell
        cannot be understood.

        Raises
        ------
        TraceError
            If a cell is neither; it names the line, the cell and what is expected.
        """
        cells = self.columns[name].alias("cell").to_frame()
        known = ~pl.col("cell").is_in(list(unknown))
        values = cells.select(pl.when(known).then(meaning).alias("value"), known=known)
        wrong = values.select(pl.col("known") & pl.col("value").is_null()).to_series()
        if wrong.any():
            row = int(wrong.arg_max() or 0)
            cell = str(cells["cell"][row])[:40]
            problem = f'{name} is "{cell}"; expected {expected}'
            raise TraceError(self.file, problem, self.lines[row])
        column = values["value"].cast(pl.Float64).fill_null(np.nan)
        return column.to_numpy().copy()

    def numbers(self, name: str, expected: str) -> FloatArray:
        """Return a column of plain numbers."""
        return self.parse(name, pl.col("cell").cast(pl.Float64, strict=False), expected)

    def coded(self, name: str) -> tuple[IntArray, dict[int, str]]:
        """Return a column of texts as numbers, and what these stand for.

        Whole numbers stand for themselves; other texts are numbered from 1 as they
        come. Empty cells are -1.
        """
        cells = self.columns[name]
        whole = cells.cast(pl.Int64, strict=False)
        empty = cells.is_in(list(BLANK))
        if (whole.is_not_null() | empty).all():
            return whole.fill_null(UNKNOWN).to_numpy().copy(), {}
        texts = cells.filter(~empty).unique(maintain_order=True).to_list()
        numbers = {text: number for number, text in enumerate(texts, start=1)}
        codes = [numbers.get(text, UNKNOWN) for text in cells.to_list()]
        return np.array(codes, dtype=np.int64), {n: t for t, n in numbers.items()}


def head_names(member: Member, separator: str) -> list[str]:
    """Return the column names of the first line, lower case."""
    first = member.head(1 << 16).split(b"\n", 1)[0]
    text = first.decode("utf-8-sig", errors="replace").strip("\r\n# ")
    names = next(csv.reader([text], delimiter=separator), [])
    return [name.strip().lower() for name in names]


def read_table(member: Member, separator: str, *, quoted: bool) -> JobTable:
    """Read a whole table of text; blank lines are skipped.

    Raises
    ------
    TraceError
        If a row has another number of cells than the header.
    """
    try:
        with member.open() as stream:
            text = stream.read().decode("utf-8-sig", errors="replace")
    except (OSError, EOFError, zlib.error) as error:
        problem = f"cannot be read to its end ({error}); is the file complete?"
        raise TraceError(member.name, problem) from error
    lines_of_text = io.StringIO(text)
    reader = (
        csv.reader(lines_of_text, delimiter=separator)
        if quoted
        else csv.reader(lines_of_text, delimiter=separator, quoting=csv.QUOTE_NONE)
    )
    names = [n.strip().lower() for n in next(reader, [])]
    names[:1] = [re.sub(r"^#\s*", "", name) for name in names[:1]]
    rows, lines = [], []
    for row in reader:
        if not row:
            continue
        if len(row) != len(names):
            problem = f"has {len(row)} cells; expected {len(names)}, as the header"
            raise TraceError(member.name, problem, reader.line_num)
        rows.append(row)
        lines.append(reader.line_num)
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    columns = {
        name: pl.Series(name, column, dtype=pl.String).str.strip_chars()
        for name, column in zip(names, cells, strict=True)
        if name
    }
    return JobTable(member.name, lines, columns)


def clock() -> pl.Expr:
    """Return a cell as Unix seconds: a number, or a date and time taken as UTC."""
    cell = pl.col("cell")
    text = cell.str.replace(" ", "T").str.strip_suffix("Z")
    dated = text.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", strict=False, time_unit="us")
    return cell.cast(pl.Float64, strict=False).fill_null(
        dated.dt.epoch("us").cast(pl.Float64) / 1e6
    )
