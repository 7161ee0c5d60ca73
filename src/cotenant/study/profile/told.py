"""A profile in words: the answer, what follows for a plan, every section."""

from collections.abc import Callable
from typing import Any

from cotenant.report.sections import Section, Told
from cotenant.report.words import counted, figure, percent
from cotenant.study.profile.days import is_dated
from cotenant.study.profile.parts import Absent
from cotenant.study.profile.result import Profile
from cotenant.study.profile.shape_sections import (
    normality_section,
    percentile_section,
    shapes_section,
    stationarity_section,
)
from cotenant.study.profile.task_sections import (
    bias_section,
    factor_section,
    spread_section,
)
from cotenant.study.profile.time import Correlation
from cotenant.study.profile.time_sections import (
    correlation_section,
    drift_section,
    median_ratio,
    ratios,
    time_of_day_section,
)

_TITLES = {
    "correlation": "whether tasks move together",
    "time_of_day": "what time of day does",
    "drift": "how days differ",
    "spread": "how far usage spreads",
    "variance_factor": "what averages hide",
    "stationarity": "whether usage keeps its distribution",
    "bias": "how soon the mean is known",
    "shapes": "which shapes distributions have",
    "normality": "whether sums are normal",
    "percentile_error": "how well a Gaussian tells high percentiles",
}
_TOGETHER = 1.5  # variance ratio from which tasks are said to move together
_NOTABLE_DRIFT = 0.05
_NOTABLE_SHARE = 0.1
_NOTABLE_ERROR = 0.01


def tell(profile: Profile) -> Told:
    """Put a profile into words, tables and pictures."""
    summary = profile.summary
    unit = "cores" if summary.unit == "cores" else "machine fractions"
    about = f"{counted(summary.samples, 'sample')}"
    if summary.mean is not None:
        about += f", {figure(summary.mean)} {unit} a task on average"
    sections, absent = [], []
    tellers = _tellers(profile, unit)
    for name, part in profile.parts.items():
        if isinstance(part, Absent):
            absent.append((_TITLES[name], part.reason))
        else:
            sections.append(tellers[name](part))
    return Told(
        "cotenant profile",
        counted(summary.tasks, "task"),
        about,
        tuple(_findings(profile)),
        tuple(sections),
        tuple(absent),
        profile.settings,
        profile.cleaning,
    )


def _tellers(profile: Profile, unit: str) -> dict[str, Callable[[Any], Section]]:
    timed = profile.summary.step_s is not None
    start = profile.summary.start
    dated = start is not None and is_dated(start)
    return {
        "correlation": correlation_section,
        "time_of_day": lambda part: time_of_day_section(part, dated),
        "drift": drift_section,
        "spread": lambda part: spread_section(part, unit),
        "variance_factor": factor_section,
        "stationarity": lambda part: stationarity_section(part, timed),
        "bias": bias_section,
        "shapes": shapes_section,
        "normality": normality_section,
        "percentile_error": percentile_section,
    }


def _findings(profile: Profile) -> list[str]:
    said = [*_left_out(profile), *_together(profile)]
    drift, factor = profile.drift, profile.variance_factor
    if not isinstance(drift, Absent):
        median = sorted(r.median for r in drift.rows)[len(drift.rows) // 2] - 1.0
        if median >= _NOTABLE_DRIFT:
            said.append(
                f"A task uses {percent(median, 2)} more or less on the next day "
                "(median): a plan made on history needs a margin for tomorrow."
            )
    if profile.summary.averaged:
        said.append(
            f"{counted(profile.summary.averaged, 'task')} known by interval averages "
            "only: their peaks are hidden, and a plan on them promises too much."
        )
    if not isinstance(factor, Absent):
        said.append(
            f"Instantaneous samples vary {figure(factor.rows[0].factor)} times as much "
            "as averages: multiply the variance by that where only averages exist."
        )
    return [*said, *_gaussian(profile)]


def _left_out(profile: Profile) -> list[str]:
    summary, least = profile.summary, profile.settings["min_samples"]
    said = []
    if summary.left_out:
        said.append(
            f"The trace is large: {counted(summary.tasks, 'task')} drawn at random "
            f"stand for {summary.tasks + summary.left_out:,}."
        )
    share = profile.cleaning["share_of_load"].get("short", 0.0)
    if summary.short and (not summary.tasks or share > _NOTABLE_SHARE):
        said.append(
            f"{counted(summary.short, 'task')} with fewer than {least} samples carry "
            f"{percent(share, 2)} of the load and are not looked at; --min-samples "
            "lowers the limit."
        )
    return said


def _together(profile: Profile) -> list[str]:
    part = profile.correlation
    if not isinstance(part, Correlation):
        return [
            "Whether tasks move together cannot be seen here, so a plan can only take "
            "them as independent."
        ]
    if median_ratio(part) < _TOGETHER:
        return [
            "Tasks hardly move together within a day: taking them as independent is "
            "fair."
        ]
    return [
        f"Tasks move together: {ratios(part)}. Plan by time-of-day slots (--slots) and "
        "judge on the aligned trace (--judge aligned)."
    ]


def _gaussian(profile: Profile) -> list[str]:
    part = profile.percentile_error
    if isinstance(part, Absent):
        return []
    worst = min(part.rows, key=lambda r: r.mean)
    if worst.mean > -_NOTABLE_ERROR:
        return [
            "High percentiles of sums would be close to Gaussian ones if tasks were "
            "independent."
        ]
    return [
        f"A Gaussian puts percentile {worst.percentile:g} of {worst.tasks} tasks "
        f"{percent(-worst.mean, 2)} too low: it promises too much, the exact method "
        "does not."
    ]
