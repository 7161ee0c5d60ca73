"""The answer of a profile: all its parts as one frozen value."""

from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from cotenant.study.profile.bias import Bias
from cotenant.study.profile.drift import Drift
from cotenant.study.profile.parts import Absent, Json, Part
from cotenant.study.profile.percentiles import PercentileError
from cotenant.study.profile.shapes import Shapes
from cotenant.study.profile.sums import Normality
from cotenant.study.profile.tasks import Spread, VarianceFactor
from cotenant.study.profile.time import Correlation, TimeOfDay
from cotenant.study.profile.windows import Stationarity

API_VERSION = "cotenant/v1"


@dataclass(frozen=True, slots=True)
class Summary:
    """What was looked at.

    Parameters
    ----------
    tasks, samples
        Looked at.
    zero, short, left_out
        Tasks not looked at: idle throughout, with too few samples, or left out of a
        random sample of a trace that is larger than memory.
    start
        Time of the first sample, seconds; None without time.
    averaged
        Tasks known by interval averages only.
    mean, variance
        Of a task's usage, averaged over tasks.
    """

    tasks: int
    samples: int
    unit: str
    step_s: float | None
    start: float | None
    zero: int
    short: int
    left_out: int
    averaged: int
    mean: float | None
    variance: float | None


@dataclass(frozen=True, slots=True)
class Profile:
    """All parts of a profile; a part that the trace cannot show says why."""

    source: str
    settings: Json
    summary: Summary
    correlation: Correlation | Absent
    time_of_day: TimeOfDay | Absent
    drift: Drift | Absent
    spread: Spread | Absent
    variance_factor: VarianceFactor | Absent
    stationarity: Stationarity | Absent
    bias: Bias | Absent
    shapes: Shapes | Absent
    normality: Normality | Absent
    percentile_error: PercentileError | Absent
    cleaning: Json

    @property
    def parts(self) -> dict[str, Part[Any] | Absent]:
        """The parts by name, in the order in which they are told."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {k: v for k, v in values.items() if isinstance(v, Part | Absent)}

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        return {
            "apiVersion": API_VERSION,
            "kind": "Profile",
            "source": self.source,
            "settings": dict(self.settings),
            "summary": asdict(self.summary),
            **{name: part.to_dict() for name, part in self.parts.items()},
            "cleaning": self.cleaning,
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one line a number: part, row (from 1), quantity, value as text.

        Lists (points of a scatter plot, histograms) are left to the JSON form.
        """
        lines = [
            (name, number, quantity, str(value))
            for name, part in self.parts.items()
            if isinstance(part, Part)
            for number, row in enumerate(part.to_dict()["rows"], 1)
            for quantity, value in _flat(row)
        ]
        return pl.DataFrame(
            lines,
            schema={
                "part": pl.String,
                "row": pl.Int64,
                "quantity": pl.String,
                "value": pl.String,
            },
            orient="row",
        )


def _flat(row: Json) -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    for name, value in row.items():
        if isinstance(value, dict):
            pairs += [(f"{name}_{key}", inner) for key, inner in value.items()]
        elif not isinstance(value, tuple):
            pairs.append((name, value))
    return pairs
