"""Words for the parts of the MorphoSys study, and for its intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from cotenant.planning.sla.churn_results import Interval
from cotenant.report.words import figure
from cotenant.study.morphosys.study import PointRow

STREAMED = (
    "Eight public titles stand in for the paper's 30 HD streams, looped or cut to one "
    "hour and scaled to the mean rate of one HD trace; three group lengths (400, 480, "
    "533 ms), theta 1 to 10, rewritten periods of 400 ms or more; one hour measured "
    "after one to warm up"
)


@dataclass(frozen=True, slots=True)
class PartTold:
    """Heading, axis, what is shown, and how it was measured."""

    title: str
    axis: str
    sentence: str
    method: str = STREAMED


PARTS_TOLD = {
    "rates": PartTold(
        "Strategies over the arrival rate",
        "requests a minute",
        "Bars behind the marks are what the paper prints; response-time and edf "
        "rewrite nothing, exact rewrites the arriving task, exact-nm its host too",
    ),
    "epsilon": PartTold(
        "Constrained migration by epsilon",
        "requests a minute",
        "Tasks may leave hosts whose utilization is at least epsilon below the mean; "
        "nm is no migration, um unconstrained, and epsilon 0 is not the same as um: "
        "hosts above the mean keep their tasks",
    ),
    "fluid": PartTold(
        "Fluid requests",
        "share of fluid requests",
        "Two requests a minute, sigma 1; published: a small share of fluid requests "
        "alone saves up to 20 %. Here ff-fluid changes nothing but fluid periods, and "
        "gains nothing over the harmonic test itself: on a host of several chains one "
        "more hardly moves the bound. Fluid periods pay where hosts are repacked",
    ),
    "sigma": PartTold(
        "How fluid",
        "sigma",
        "Two requests a minute, half of them fluid by so many groups; published: "
        "beyond sigma 2 little is gained",
    ),
    "combined": PartTold(
        "Fluid requests and rewriting together",
        "share of fluid requests",
        "One request a minute, sigma 1; published: a few points more than either. "
        "Here fluid periods are worth most to those that repack whole hosts",
    ),
    "uptime": PartTold(
        "Uptime classes",
        "uptime, share that asks for it",
        "Tolerated misses are floor((1 - uptime) window) in five minutes, which is 0 "
        "for most periods; where it is not, no budget shrinks",
    ),
    "streams": PartTold(
        "What the streams change",
        "streams",
        "The eight titles beside 30 made-up streams, four requests a minute: how far "
        "the results hang on what is asked for",
        "The made-up streams need 2 to 12 % of a disk for long runs of groups, and up "
        "to twice as much for single ones; the same group lengths",
    ),
    "scale": PartTold(
        "Rewrites tried for an arrival",
        "tasks",
        "The paper's k, in the last tenth of so many tasks that stay, exact rewriting; "
        "it hangs on the periods in use, not on the number of hosts",
    ),
}
# Parts told strategy by strategy; the points of their axis are series.
SERIES = {"rates": "a minute", "epsilon": "a minute", "streams": "streams"}


def label(part: str, row: PointRow) -> str:
    """Return what a point is called on the axis of its part."""
    if part == "uptime":
        return f"{row.load.split(',')[0].split()[-1]}, {row.at:g}"
    return figure(row.at)


def share(value: Interval | None) -> str:
    """Write an efficiency in per cent with its half-width."""
    if value is None:
        return "-"
    if value.high is None:
        return f"{100 * value.mean:.0f} %"
    return f"{100 * value.mean:.0f} ± {100 * (value.high - value.mean):.0f} %"


def along(values: Sequence[Interval]) -> str:
    """Write means along an axis in per cent."""
    return ", ".join(f"{100 * value.mean:.0f}" for value in values) + " %"


def between(values: Sequence[Interval]) -> str:
    """Write the least and the largest mean, in points, with the widest half-width."""
    means = [100 * value.mean for value in values]
    halves = [100 * (v.high - v.mean) for v in values if v.high is not None]
    low, high = f"{min(means):.0f}", f"{max(means):.0f}"
    told = low if low == high else f"{low} to {high}"
    return f"{told} (± {max(halves):.0f} at most)" if halves else told
