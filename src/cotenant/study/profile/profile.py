"""What a usage trace is like: the paper's third section on any trace, and more.

Janus and Rzadca, "SLO-aware Colocation of Data Center Tasks Based on Instantaneous
Processor Requirements", SoCC 2017, section 3, describe the Google trace of 2011 by its
bias, spread, stationarity, shapes, normality and percentiles. Correlation, time of day
and drift come on top: they decide whether a promise made on such figures is kept.
"""

from collections.abc import Callable

import numpy as np
import polars as pl

from cotenant.errors import InvalidInput
from cotenant.study.profile.bias import bias
from cotenant.study.profile.days import split_days
from cotenant.study.profile.drift import drift
from cotenant.study.profile.percentiles import percentile_error
from cotenant.study.profile.readings import (
    MIN_SAMPLES,
    MOST_SAMPLES,
    Readings,
    read_readings,
)
from cotenant.study.profile.result import Profile, Summary
from cotenant.study.profile.shapes import shapes
from cotenant.study.profile.sums import normality, realise
from cotenant.study.profile.tasks import spread, task_moments, variance_factor
from cotenant.study.profile.time import correlation, time_of_day
from cotenant.study.profile.windows import stationarity
from cotenant.traces.intake import CODE
from cotenant.traces.trace import Series, Trace


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
