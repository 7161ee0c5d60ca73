"""The parts of a profile as sections: what single tasks and their sums are like."""

from cotenant.report.charts import Chart
from cotenant.report.profile_charts import (
    Line,
    lines_chart,
    ridges_chart,
    scatter_chart,
)
from cotenant.report.sections import Section
from cotenant.report.words import counted, figure, percent
from cotenant.study.profile_shapes import BINS, Shapes
from cotenant.study.profile_sums import Normality, PercentileError, PercentileRow
from cotenant.study.profile_tasks import POINTS, Bias, Spread, VarianceFactor
from cotenant.study.profile_windows import Stationarity


def signed(fraction: float, digits: int = 2) -> str:
    """Write a relative difference with its sign.

    >>> signed(-0.0123), signed(0.5), signed(0.0)
    ('-1.2 %', '+50 %', '0 %')
    """
    sign = "" if fraction == 0 else "-" if fraction < 0 else "+"
    return sign + percent(abs(fraction), digits)


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
        ("samples", "tasks", "5th percentile", "median", "95th percentile", "mean"),
        tuple(
            (
                f"{r.records:,}",
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


def _off(difference: object) -> float:
    low, high = getattr(difference, "p5", 0.0), getattr(difference, "p95", 0.0)
    return max(-low, high)


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


def stationarity_section(part: Stationarity, timed: bool) -> Section:
    """Tell whether neighbouring windows of a task are alike."""
    most = max(part.rows, key=lambda r: r.rejected)
    beyond = most.rejected > 1.5 * most.by_chance
    sentence = (
        f"{percent(most.rejected, 2)} of neighbouring windows of "
        f"{most.window} samples differ, {percent(most.by_chance, 2)} would by chance"
    )
    if not timed:
        sentence += "; the trace has no time, so the order of samples may mean nothing"
    elif not beyond:
        sentence += ": no sign of change"
    places = [str(r.window) for r in part.rows]
    lines = [
        Line("measured", places, [r.rejected for r in part.rows]),
        Line("by chance", places, [r.by_chance for r in part.rows]),
    ]
    return Section(
        "Whether usage keeps its distribution",
        sentence,
        "Two-sample Kolmogorov-Smirnov test of each window against the next of the "
        f"same task, level {percent(part.level)}, exact critical values",
        ("window", "tasks", "pairs", "differ", "by chance"),
        tuple(
            (
                f"{r.window} samples",
                f"{r.tasks:,}",
                f"{r.pairs:,}",
                percent(r.rejected),
                percent(r.by_chance),
            )
            for r in part.rows
        ),
        (
            Chart(
                "stationarity",
                "Neighbouring windows that differ",
                "Where the lines are apart, usage changes from window to window.",
                lines_chart(lines, "samples a window", "share of pairs that differ"),
            ),
        ),
    )


def shapes_section(shapes: Shapes) -> Section:
    """Tell which shapes the distributions have."""
    first, last = shapes.rows[0], shapes.rows[-1]
    sentence = (
        f"No single shape: {len(shapes.rows)} clusters hold "
        f"{percent(last.share, 2)} to {percent(first.share, 2)} of the tasks each"
    )
    named = [(percent(r.share, 2), r.histogram) for r in shapes.rows]
    return Section(
        "Which shapes distributions have",
        sentence,
        f"k-means of histograms, {BINS} bins up to the largest usage of a task, "
        f"{counted(shapes.tasks, 'task')}",
        ("cluster", "tasks", "share", "mean / largest usage"),
        tuple(
            (str(r.cluster), f"{r.tasks:,}", percent(r.share), figure(r.mean, 2))
            for r in shapes.rows
        ),
        (
            Chart(
                "shapes",
                "Distribution of usage in each cluster",
                "One row a cluster, its share of the tasks at the left, each drawn to "
                "its own height.",
                ridges_chart(named, "usage over the largest usage of the task"),
            ),
        ),
    )


def normality_section(part: Normality) -> Section:
    """Tell whether sums of tasks are normal."""
    first, last = part.rows[0], part.rows[-1]
    sentence = (
        f"Sums of {first.tasks} tasks are told from a normal distribution in "
        f"{percent(first.rejected, 2)} of the cases"
    )
    if last is not first:
        sentence += f", sums of {last.tasks} in {percent(last.rejected, 2)}"
    line = Line(
        "rejected",
        [str(r.tasks) for r in part.rows],
        [r.rejected for r in part.rows],
    )
    return Section(
        "Whether sums are normal",
        sentence,
        f"Anderson-Darling test at {percent(part.level)} on {part.realisations:,} "
        f"drawn moments of {first.groups} random groups, tasks taken as independent; "
        "more moments would find smaller deviations",
        ("tasks", "rejected", "mean load"),
        tuple(
            (str(r.tasks), percent(r.rejected), figure(r.mean_load)) for r in part.rows
        ),
        (
            Chart(
                "normality",
                "Sums of tasks that are not normal",
                f"{percent(part.level)} would be rejected if all were normal.",
                lines_chart(
                    [line],
                    "tasks in the sum",
                    "share rejected",
                    (f"by chance {percent(part.level)}", part.level),
                ),
            ),
        ),
    )


def percentile_section(part: PercentileError) -> Section:
    """Tell how far Gaussian percentiles of sums are off."""
    wanted = list(dict.fromkeys(r.percentile for r in part.rows))
    sizes = list(dict.fromkeys(r.tasks for r in part.rows))
    found = {(r.tasks, r.percentile): r for r in part.rows}
    last = found.get((sizes[-1], wanted[-1]), part.rows[-1])
    side = "below" if last.mean < 0 else "above"
    sentence = (
        f"A Gaussian puts percentile {last.percentile:g} of {last.tasks} tasks "
        f"{percent(abs(last.mean), 2)} {side} the true one on average"
    )
    lines = [
        Line(
            f"percentile {p:g}",
            [str(s) for s in sizes if (s, p) in found],
            [found[s, p].mean for s in sizes if (s, p) in found],
        )
        for p in wanted
    ]
    return Section(
        "How well a Gaussian tells high percentiles",
        sentence,
        f"(Gaussian - drawn) / drawn over {part.realisations:,} drawn moments of "
        f"{part.rows[0].groups} random groups, tasks taken as independent; in brackets "
        "the range of nine of ten groups",
        ("tasks", *(f"percentile {p:g}" for p in wanted)),
        tuple((str(s), *(_error(found.get((s, p))) for p in wanted)) for s in sizes),
        (
            Chart(
                "percentiles",
                "Relative error of Gaussian percentiles",
                "Averages over groups. Below 0 the Gaussian promises too much.",
                lines_chart(
                    lines, "tasks in the sum", "relative error", ("exact", 0.0)
                ),
            ),
        ),
    )


def _error(row: PercentileRow | None) -> str:
    if row is None:
        return "-"
    low, high = signed(row.error.p5, 1), signed(row.error.p95, 1)
    return f"{signed(row.mean)} ({low} to {high})"
