"""What a usage trace is like: the paper's third section on any trace, and more.

Janus and Rzadca, "SLO-aware Colocation of Data Center Tasks Based on Instantaneous
Processor Requirements", SoCC 2017, section 3, describe the Google trace of 2011 by its
bias, spread, stationarity, shapes, normality and percentiles. Correlation, time of day
and drift come on top: they decide whether a promise made on such figures is kept.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from cotenant.errors import InvalidInput
from cotenant.study.profile_days import split_days
from cotenant.study.profile_parts import Absent, Json, Part
from cotenant.study.profile_readings import (
    MIN_SAMPLES,
    MOST_SAMPLES,
    Readings,
    read_readings,
)
from cotenant.study.profile_shapes import Shapes, shapes
from cotenant.study.profile_sums import (
    Normality,
    PercentileError,
    normality,
    percentile_error,
    realise,
)
from cotenant.study.profile_tasks import (
    Bias,
    Spread,
    VarianceFactor,
    bias,
    spread,
    task_moments,
    variance_factor,
)
from cotenant.study.profile_time import (
    Correlation,
    Drift,
    TimeOfDay,
    correlation,
    drift,
    time_of_day,
)
from cotenant.study.profile_windows import Stationarity, stationarity
from cotenant.traces.intake import CODE
from cotenant.traces.trace import Series, Trace

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


def profile(
    trace: Trace,
    min_samples: int = MIN_SAMPLES,
    seed: int = 0,
    most_samples: int = MOST_SAMPLES,
    advance: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Profile:
    """Characterise a usage trace.

    Parameters
    ----------
    min_samples
        Tasks with fewer samples are set aside and counted, at least 1.
    seed
        Fixes which tasks and realisations are drawn; not negative.
    most_samples
        Of a trace with more samples, random whole tasks are looked at.
    advance
        Called with what is done next, how many parts are done, and their number.

    Raises
    ------
    InvalidInput
        If `min_samples` is below 1 or `seed` below 0.
    """
    if min_samples < 1 or seed < 0:
        raise InvalidInput(
            f"min_samples is {min_samples} and seed {seed}; expected at least 1 and 0"
        )
    readings = read_readings(trace, min_samples, seed, most_samples)
    usage, paired = readings.usage, readings.paired
    has_pairs = len(paired[0].codes) > 0
    advance("time", 0, 4)
    days = split_days(usage, trace.step_s)
    advance("tasks", 1, 4)
    kinds = [
        (name, series, trace.weights(series))
        for name, series in (
            ("instantaneous", readings.instantaneous),
            ("averages", readings.averages),
        )
        if len(series.values)
    ]
    advance("shapes", 2, 4)
    clustered = shapes(usage, seed=seed)
    advance("sums", 3, 4)
    realised = realise(usage, seed=seed)
    result = Profile(
        source=trace.source,
        settings={"min_samples": min_samples, "seed": seed},
        summary=_summary(trace, readings),
        correlation=correlation(days),
        time_of_day=time_of_day(days),
        drift=drift(days),
        spread=spread(kinds, seed),
        variance_factor=variance_factor(*paired),
        stationarity=stationarity(usage),
        bias=bias(*paired, seed=seed) if has_pairs else bias(usage, seed=seed),
        shapes=clustered,
        normality=normality(realised, seed=seed),
        percentile_error=percentile_error(realised, seed=seed),
        cleaning=readings.cleaning.to_dict(),
    )
    advance("done", 4, 4)
    return result


def _summary(trace: Trace, readings: Readings) -> Summary:
    usage = readings.usage
    looked_at = trace.facts.filter(pl.col(CODE).is_in(usage.codes.tolist()))
    mean, variance = task_moments(usage, trace.weights(usage))
    known = len(mean) > 0
    return Summary(
        tasks=len(usage.codes),
        samples=len(usage.values),
        unit=trace.unit,
        step_s=trace.step_s,
        start=_start(usage),
        zero=readings.zero,
        short=readings.short,
        left_out=readings.left_out,
        averaged=int(looked_at["averaged"].sum()),
        mean=float(mean.mean()) if known else None,
        variance=float(variance.mean()) if known else None,
    )


def _start(usage: Series) -> float | None:
    if not len(usage.time) or np.isnan(usage.time).all():
        return None
    return float(np.nanmin(usage.time))
