"""The parts of a profile about windows, shapes and sums, as sections."""

from cotenant.report.charts import Chart
from cotenant.report.profile_charts import Line, lines_chart, ridges_chart
from cotenant.report.sections import Section
from cotenant.report.words import counted, figure, percent
from cotenant.study.profile.percentiles import PercentileError, PercentileRow
from cotenant.study.profile.shapes import BINS, Shapes
from cotenant.study.profile.sums import Normality
from cotenant.study.profile.windows import Stationarity

_TINY = 0.001  # error of a percentile below which its side is not worth telling


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
        ("", "tasks", "share", "mean / largest usage"),
        tuple(
            (
                f"cluster {r.cluster}",
                f"{r.tasks:,}",
                percent(r.share),
                figure(r.mean, 2),
            )
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
        ("sum of", "rejected", "mean load"),
        tuple(
            (f"{r.tasks} tasks", percent(r.rejected), figure(r.mean_load))
            for r in part.rows
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
    off = f"{percent(abs(last.mean), 2)} {side}"
    if abs(last.mean) < _TINY:
        off = f"within {percent(_TINY)} of"
    sentence = (
        f"A Gaussian puts percentile {last.percentile:g} of {last.tasks} tasks "
        f"{off} the true one on average"
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
        ("sum of", *(f"percentile {p:g}" for p in wanted)),
        tuple(
            (f"{s} tasks", *(_error(found.get((s, p))) for p in wanted)) for s in sizes
        ),
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
    mean, low, high = (100 * x for x in (row.mean, row.error.p5, row.error.p95))
    return f"{mean:+.1f} % ({low:+.1f} to {high:+.1f})"
