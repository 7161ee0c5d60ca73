"""What a part of a profile is: rows that know their JSON and table, or a reason."""

from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
import polars as pl

from cotenant.arrays import FloatArray

Json: TypeAlias = dict[str, Any]
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Part(Generic[Row]):
    """One figure or table of a profile, as rows of named numbers."""

    rows: tuple[Row, ...]

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        return asdict(self)

    def to_frame(self) -> pl.DataFrame:
        """Return one line a row."""
        return pl.DataFrame(self.to_dict()["rows"])


@dataclass(frozen=True, slots=True)
class Absent:
    """Why a trace cannot show a part, in one sentence without a stop."""

    reason: str

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        return {"absent": self.reason}


@dataclass(frozen=True, slots=True)
class Quantiles:
    """The 5th, 25th, 50th, 75th and 95th percentile of a number over tasks."""

    p5: float
    p25: float
    p50: float
    p75: float
    p95: float

    @classmethod
    def of(cls, values: FloatArray) -> "Quantiles":
        """Take them from at least one value, between neighbours by a straight line."""
        return cls(*map(float, np.percentile(values, (5, 25, 50, 75, 95))))
