"""The parts of a profile about single tasks, as sections."""

from cotenant.report.charts import Chart
from cotenant.report.profile_charts import Line, lines_chart, scatter_chart
from cotenant.report.sections import Section
from cotenant.report.words import counted, figure, percent
from cotenant.study.profile.bias import Bias
from cotenant.study.profile.parts import Quantiles
from cotenant.study.profile.tasks import POINTS, Spread, VarianceFactor

_NOTHING = 1e-6  # below what a percentage shows


def signed(fraction: float, digits: int = 2) -> str:
    """Write a relative difference with its sign.

    >>> signed(-0.0123), signed(0.5), signed(0.0), signed(-1e-17)
    ('-1.2 %', '+50 %', '0 %', '0 %')
    """
    if abs(fraction) < _NOTHING:
        return "0 %"
    return ("-" if fraction < 0 else "+") + percent(abs(fraction), digits)


def bias_section(bias: Bias) -> Section:
    """Tell how soon the mean of a task is known."""
    last = next((r for r in bias.rows if _off(r.difference) <= 0.1), bias.rows[-1])
    better = (
        "the averages of the same intervals"
        if bias.against == "averages"
        else "all samples of the task"
    )
    where = f"{counted(last.records, 'sample')} of a task"
    sentence = (
        f"The mean of {where} is within {percent(_off(last.difference), 2)} of that of "
        f"{better} for nine of ten tasks"
    )
    places = [f"{r.records:,}" for r in bias.rows]
    line = Line(
        "median",
        places,
        [r.difference.p50 for r in bias.rows],
        [r.difference.p5 for r in bias.rows],
        [r.difference.p95 for r in bias.rows],
    )
    drawn = lines_chart([line], "samples of a task", "relative difference of means")
    return Section(
        "How soon the mean is known",
        sentence,
        "Relative difference of the mean of k samples and that of "
        + better
        + (
            ", tasks with at least k of both"
            if bias.against == "averages"
            else ", drawn at random; tasks with at least 2 k, since the trace has one "
            "kind of data only"
        ),
        ("mean of", "tasks", "5th percentile", "median", "95th percentile", "average"),
        tuple(
            (
                counted(r.records, "sample"),
                f"{r.tasks:,}",
                signed(r.difference.p5),
                signed(r.difference.p50),
                signed(r.difference.p95),
                signed(r.mean),
            )
            for r in bias.rows
        ),
        (
            Chart(
                "bias",
                "Difference of means after so many samples",
                "Line: the median task. Band: nine of ten tasks.",
                drawn,
            ),
        ),
    )


def _off(difference: Quantiles) -> float:
    return max(-difference.p5, difference.p95)


def spread_section(spread: Spread, unit: str) -> Section:
    """Tell how far usage spreads, and how that grows with the mean."""
    sentence = "; ".join(
        f"{row.data}: deviation = {figure(row.slope, 2)} × mean "
        f"{'-' if row.offset < 0 else '+'} {figure(abs(row.offset), 2)}, which "
        f"explains {percent(row.r_squared, 2)} of its variance over tasks"
        for row in spread.rows
    )
    sentence = sentence[0].upper() + sentence[1:]
    clouds = [(r.data, r.points, r.slope, r.offset) for r in spread.rows]
    quantiles = [
        Line(
            r.data,
            ["5th", "25th", "50th", "75th", "95th"],
            [getattr(r.deviation, f"p{p}") for p in (5, 25, 50, 75, 95)],
        )
        for r in spread.rows
    ]
    across, up = f"mean usage of a task ({unit})", f"standard deviation ({unit})"
    return Section(
        "How far usage spreads",
        sentence,
        "Standard deviation of the samples of each task; least squares line on the "
        "mean, every task of equal weight",
        ("data", "tasks", "mean", "variance", "slope", "offset", "median deviation"),
        tuple(
            (
                r.data,
                f"{r.tasks:,}",
                figure(r.mean),
                figure(r.variance),
                figure(r.slope),
                figure(r.offset),
                figure(r.deviation.p50),
            )
            for r in spread.rows
        ),
        (
            Chart(
                "deviation-mean",
                "Standard deviation against mean",
                f"Each point is a task{_drawn(spread)}; the line is the least squares "
                "line of all tasks.",
                scatter_chart(clouds, across, up),
            ),
            Chart(
                "deviation",
                "Standard deviations of tasks",
                "Percentiles over tasks; the median is "
                + ", ".join(
                    f"{figure(r.deviation.p50)} for {r.data}" for r in spread.rows
                )
                + ".",
                lines_chart(quantiles, "percentile of the tasks", up, None, False),
            ),
        ),
    )


def _drawn(spread: Spread) -> str:
    return ", drawn at random" if spread.rows[0].tasks > POINTS else ""


def factor_section(factor: VarianceFactor) -> Section:
    """Tell what averaging hides."""
    (row,) = factor.rows
    return Section(
        "What averages hide",
        f"Samples vary {figure(row.factor)} times as much as the averages of their "
        "intervals",
        "Sum of the variances of instantaneous samples over that of averages, tasks "
        "with both; beside it percentiles of the ratio of single tasks",
        ("", "tasks", "factor", "5th percentile", "median", "95th percentile"),
        (
            (
                "variance",
                f"{row.tasks:,}",
                figure(row.factor),
                figure(row.of_tasks.p5),
                figure(row.of_tasks.p50),
                figure(row.of_tasks.p95),
            ),
        ),
    )
