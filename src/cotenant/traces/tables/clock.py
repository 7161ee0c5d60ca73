"""Times as sources write them, turned into seconds."""

from dataclasses import dataclass

import polars as pl

from cotenant.traces.cleaning import Cleaning

EXPECTED_TIME = "seconds, or a time such as 2026-01-31 13:45:00 or 2026-01-31T13:45Z"

# Read in its unit, each limit is a day of 1973; read in the next coarser one, it lies
# beyond the year 5000.
_LIMITS = (1e11, 1e14, 1e17)
_SCALES = (1.0, 1e-3, 1e-6, 1e-9)
UNITS = ("seconds", "milliseconds", "microseconds", "nanoseconds")
OTHER_UNIT = "other_time_unit"
_ZONE = r"(?:([+-])(\d{2}):?(\d{2})|Z|z| ?UTC)$"
_FORMS = ("%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M", "%Y-%m-%d")


@dataclass(slots=True)
class Clock:
    """Turns the times of one file into seconds.

    The unit of numbers is settled once, by the median of the first that are seen.

    Parameters
    ----------
    cleaning
        Takes the notes on what was assumed.
    unit
        Place of the unit in `UNITS`, once it is settled.
    """

    cleaning: Cleaning
    unit: int | None = None

    def seconds(self, times: pl.Series) -> pl.Series:
        """Return seconds; null where none is understood, NaN in another unit."""
        if times.dtype.is_temporal():
            return times.cast(pl.Datetime("us")).dt.epoch("us").cast(pl.Float64) / 1e6
        if times.dtype != pl.String:
            return self._scaled(times.cast(pl.Float64).fill_nan(None))
        numbers = times.str.strip_chars().cast(pl.Float64, strict=False).fill_nan(None)
        if numbers.null_count() < times.len():
            numbers = self._scaled(numbers)
        if numbers.null_count() == times.null_count():
            return numbers
        return numbers.fill_null(self._from_text(times))

    def _scaled(self, numbers: pl.Series) -> pl.Series:
        if self.unit is None and numbers.null_count() < numbers.len():
            middle = abs(float(numbers.median()))  # type: ignore[arg-type]
            self.unit = sum(middle >= limit for limit in _LIMITS)
            if self.unit:
                unit = UNITS[self.unit]
                self.cleaning.note(f"times are taken as {unit}, by their size")
        if self.unit is None:
            return numbers
        seconds = numbers * _SCALES[self.unit]
        low = 0.0 if self.unit == 0 else _LIMITS[self.unit - 1]
        high = _LIMITS[self.unit] if self.unit < len(_LIMITS) else float("inf")
        smallest, largest = numbers.abs().min(), numbers.abs().max()
        if smallest >= low and largest < high:  # type: ignore[operator]
            return seconds
        other = (numbers.abs() < low) | (numbers.abs() >= high)
        return seconds.set(other.fill_null(False), float("nan"))

    def _from_text(self, times: pl.Series) -> pl.Series:
        text = pl.col("text")
        sign = pl.when(text.str.extract(_ZONE, 1) == "-").then(-1).otherwise(1)
        hours = text.str.extract(_ZONE, 2).cast(pl.Int64)
        minutes = text.str.extract(_ZONE, 3).cast(pl.Int64)
        plain = text.str.replace(_ZONE, "").str.replace("T", " ", literal=True)
        plain = plain.str.replace_all("/", "-", literal=True).str.strip_chars()
        parsed = pl.coalesce(
            plain.str.to_datetime(form, time_unit="us", strict=False) for form in _FORMS
        )
        frame = times.str.strip_chars().alias("text").to_frame()
        answer = frame.select(
            seconds=parsed.dt.epoch("us") / 1e6
            - sign * (hours * 3600 + minutes * 60).fill_null(0),
            local=parsed.is_not_null() & ~text.str.contains(_ZONE),
        )
        if answer["local"].any():
            self.cleaning.note("times without a zone are taken as UTC")
        return answer["seconds"]
