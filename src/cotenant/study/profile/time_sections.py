"""The parts of a profile that need time, as sections."""

from cotenant.report.charts import Chart
from cotenant.report.profile_charts import Line, lines_chart
from cotenant.report.sections import Section
from cotenant.report.words import counted, figure, percent
from cotenant.study.profile.drift import Drift
from cotenant.study.profile.task_sections import signed
from cotenant.study.profile.time import Correlation, TimeOfDay


def median_ratio(part: Correlation) -> float:
    """Return the median variance ratio of the days, the upper one of two."""
    return sorted(r.variance_ratio for r in part.rows)[len(part.rows) // 2]


def ratios(part: Correlation) -> str:
    """Say how the variance of the total compares with that of independent tasks."""
    values = [r.variance_ratio for r in part.rows]
    times = f"{figure(median_ratio(part), 2)} times"
    if len(values) > 1:
        low, high = figure(min(values), 2), figure(max(values), 2)
        times += f" ({low} to {high} from day to day)"
    return f"the variance of the total is {times} that of independent tasks"


def correlation_section(part: Correlation) -> Section:
    """Tell whether tasks move together."""
    said = ratios(part)
    sentence = said[0].upper() + said[1:]
    charts: tuple[Chart, ...] = ()
    if len(part.rows) > 1:
        line = Line(
            "ratio",
            [r.day for r in part.rows],
            [r.variance_ratio for r in part.rows],
        )
        drawn = lines_chart(
            [line], "day", "variance ratio", ("independent 1", 1.0), False
        )
        title = "Variance of the total over the sum of variances"
        charts = (
            Chart(
                "correlation", title, "It would be 1 if tasks were independent.", drawn
            ),
        )
    return Section(
        "Whether tasks move together",
        sentence,
        "Variance of the total over the sum of the variances, tasks measured at nine "
        "of ten moments of a day; it grows with the number of tasks, the mean "
        "correlation of two tasks does not",
        ("day", "tasks", "moments", "variance ratio", "mean correlation"),
        tuple(
            (
                r.day,
                f"{r.tasks:,}",
                f"{r.moments:,}",
                figure(r.variance_ratio),
                signless(r.mean_correlation),
            )
            for r in part.rows
        ),
        charts,
    )


def signless(value: float) -> str:
    """Write a number that may be below 0.

    >>> signless(-0.01234), signless(0.5)
    ('-0.0123', '0.5')
    """
    return f"-{figure(-value)}" if value < 0 else figure(value)


def time_of_day_section(part: TimeOfDay, dated: bool) -> Section:
    """Tell the rhythm of the day."""
    top = max(part.rows, key=lambda r: r.load)
    low = min(part.rows, key=lambda r: r.load)
    sentence = "Total usage is the same at every hour"
    if top.load > low.load:
        sentence = (
            f"Total usage is highest at {top.hour:02}:00 ({signed(top.load - 1)}) and "
            f"lowest at {low.hour:02}:00 ({signed(low.load - 1)})"
        )
    if part.explained is None:
        sentence += "; one day alone cannot tell a rhythm from an accident"
    else:
        sentence += (
            f"; other days explain {percent(part.explained, 2)} of its variance "
            "within a day"
        )
    several = part.days > 1
    line = Line(
        "average",
        [f"{r.hour:02}" for r in part.rows],
        [r.load - 1 for r in part.rows],
        [r.low - 1 for r in part.rows] if several else (),
        [r.high - 1 for r in part.rows] if several else (),
    )
    hours = "hour of the day (UTC)" if dated else "hour from the start of the trace"
    shown = (
        f"Line: average. Band: range of {part.days} days." if several else "One day."
    )
    columns = ("from", "usage", *(("least", "most") if several else ()))
    return Section(
        "What time of day does",
        sentence,
        "Total usage of an hour over the mean of its day, tasks measured at nine of "
        f"ten moments of it, {counted(part.days, 'day')}",
        columns,
        tuple(
            (
                f"{r.hour:02}:00",
                signed(r.load - 1),
                *((signed(r.low - 1), signed(r.high - 1)) if several else ()),
            )
            for r in part.rows
        ),
        (
            Chart(
                "hours",
                "Total usage by hour",
                shown,
                lines_chart([line], hours, "against the mean", ("mean", 0.0)),
            ),
        ),
    )


def drift_section(part: Drift) -> Section:
    """Tell how far a day is from the one before."""
    days = [r for r in part.rows if r.day != "first half"]
    median = sorted(r.median for r in days)[len(days) // 2]
    most = max(days, key=lambda r: abs(r.total))
    sentence = (
        f"From a day to the next the mean of a task changes by "
        f"{percent(median - 1, 2)} (median task), the total by up to "
        f"{percent(abs(most.total), 2)}"
    )
    charts: tuple[Chart, ...] = ()
    if len(days) > 1:
        line = Line("spread", [r.next for r in days], [r.spread for r in days])
        drawn = lines_chart([line], "day", "spread of log changes", None, False)
        said = "Standard deviation of the logarithm of each task's change."
        charts = (Chart("drift", "Change from the day before", said, drawn),)
    return Section(
        "How days differ",
        sentence,
        "Means of tasks measured throughout both days; spread is the standard "
        "deviation of the logarithm of a task's change",
        ("days", "tasks", "total", "median task", "spread"),
        tuple(
            (
                f"{r.day} to {r.next}",
                f"{r.tasks:,}",
                signed(r.total),
                f"± {percent(r.median - 1, 2)}",
                figure(r.spread),
            )
            for r in part.rows
        ),
        charts,
    )
