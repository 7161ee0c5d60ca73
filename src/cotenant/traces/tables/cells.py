"""Raw columns of one chunk as typed columns, or the cell that is wrong."""

from dataclasses import dataclass

import polars as pl

from cotenant.errors import InvalidInput, TraceError
from cotenant.quantities import parse_quantity
from cotenant.traces.names import Names
from cotenant.traces.source import Member
from cotenant.traces.tables.clock import EXPECTED_TIME, OTHER_UNIT, Clock

_MISSING = {"", "-", "null", "none", "na", "n/a", "<na>", "nan"}
_FLAGS = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}


class Spelling:
    """Tells whether blanks stand around names of a file; looks at each name once."""

    def __init__(self) -> None:
        self._seen = Names()
        self._clean = True

    def is_clean(self, names: pl.Series) -> bool:
        """Say so of a `Categorical`, and of all that were asked about before."""
        if self._clean:
            fresh = self._seen.fresh(names)
            bare = (fresh.str.strip_chars() == fresh) & (fresh != "")
            self._clean = bool(bare.all())
        return self._clean


@dataclass(frozen=True, slots=True)
class Cells:
    """One chunk of a file.

    Parameters
    ----------
    lines
        Line number of each row, in text.
    columns
        Raw columns by their position in the file.
    """

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

    def tasks(self, position: int, spelling: Spelling) -> pl.Series:
        """Return names as a `Categorical`, without blanks around them."""
        column = self.columns[position]
        if column.dtype != pl.Categorical:
            return self.text(position).cast(pl.Categorical)
        if spelling.is_clean(column):
            return column
        return self.text(position).cast(pl.Categorical)

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
        """Return seconds; null where nothing was measured, NaN in another unit."""
        column = self.columns[position]
        seconds = clock.seconds(column)
        odd = seconds.is_nan().fill_null(False)
        if self.lines is not None and odd.any():
            row = odd.arg_max() or 0
            line, text = int(self.lines[row]), str(column[row])
            clock.cleaning.show(OTHER_UNIT, self.member.name, line, f"has time {text}")
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
