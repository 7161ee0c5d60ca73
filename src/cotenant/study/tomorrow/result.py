"""The result of the study of tomorrow: rows, and what they come to."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from cotenant.planning.results import API_VERSION, Json
from cotenant.study.tomorrow.cells import METHODS, RHOS

LEAST, MOST = 0.5, 1.15
"""Of overload over rho: what keeps the promise without being wasteful."""


@dataclass(frozen=True, slots=True)
class MethodRow:
    """One method on one set at one promise; shares are fractions.

    Parameters
    ----------
    part
        ``sets``, or the scenario.
    name
        The set.
    overload_over_rho, low, high
        Average over days, and its 95 % interval by resampling days.
    by_day
        Overload over rho, a day at a time.
    days_above_rho, machine_days_above_rho
        Share of days, and of machine-days, that were above rho.
    worst_machine_day
        Largest share of a day that one machine was above capacity.
    cost
        Machines against the best fixed margin in hindsight, as a fraction more.
    margin
        On average; for methods with a divisor of rho, that divisor.
    """

    part: str
    name: str
    rho: float
    method: str
    days: int
    overload_over_rho: float
    low: float | None
    high: float | None
    by_day: tuple[float, ...]
    days_above_rho: float
    machine_days_above_rho: float
    worst_machine_day: float
    machines: float
    cost: float
    margin: float

    @property
    def inside(self) -> bool:
        """Whether it delivers about what it promises."""
        return LEAST <= self.overload_over_rho <= MOST


@dataclass(frozen=True, slots=True)
class Summary:
    """One method at one promise over all sets.

    Parameters
    ----------
    inside
        Sets that deliver 0.5 to 1.15 of the promise, of `sets`.
    overload_over_rho, cost
        Means over sets.
    worst
        Of the sets, its average.
    """

    method: str
    rho: float
    sets: int
    inside: int
    overload_over_rho: float
    worst: float
    days_above_rho: float
    machine_days_above_rho: float
    cost: float


@dataclass(frozen=True, slots=True)
class TomorrowStudy:
    """All rows, and the options they were run with."""

    settings: Mapping[str, Any]
    rows: tuple[MethodRow, ...]

    def part(self, name: str) -> list[MethodRow]:
        """Return the rows of a part."""
        return [row for row in self.rows if row.part == name]

    @property
    def summary(self) -> list[Summary]:
        """Every method at every promise over the sets."""
        found = []
        for method in METHODS:
            for rho in RHOS:
                rows = [
                    r for r in self.part("sets") if r.method == method and r.rho == rho
                ]
                if rows:
                    found.append(_summary(method, rho, rows))
        return found

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        return {
            "apiVersion": API_VERSION,
            "kind": "StudyTomorrow",
            "settings": dict(self.settings),
            "summary": [asdict(one) for one in self.summary],
            "rows": [asdict(row) for row in self.rows],
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one line a method, set and promise."""
        lines = [asdict(row) for row in self.rows]
        return pl.DataFrame(lines, infer_schema_length=None).drop("by_day")


def _summary(method: str, rho: float, rows: Sequence[MethodRow]) -> Summary:
    def mean(name: str) -> float:
        return float(np.mean([getattr(row, name) for row in rows]))

    return Summary(
        method=method,
        rho=rho,
        sets=len(rows),
        inside=sum(row.inside for row in rows),
        overload_over_rho=mean("overload_over_rho"),
        worst=max(row.overload_over_rho for row in rows),
        days_above_rho=mean("days_above_rho"),
        machine_days_above_rho=mean("machine_days_above_rho"),
        cost=mean("cost"),
    )
