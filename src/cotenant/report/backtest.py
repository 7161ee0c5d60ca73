"""A backtest told: what each method delivered on days it had not seen."""

from collections.abc import Sequence
from typing import Any

import altair as alt
from rich.console import Console

from cotenant.planning.backtest import Backtest
from cotenant.planning.delivered import BacktestRow
from cotenant.report.charts import Chart, finished, level
from cotenant.report.profile_page import profile_page
from cotenant.report.profile_terminal import show_profile
from cotenant.report.reliability import Delivered, reliability_chart, series
from cotenant.report.sections import Section, Told
from cotenant.report.study_charts import with_legend
from cotenant.report.words import counted, percent

_COLUMNS = (
    "method",
    "over rho",
    "95 %",
    "days",
    "worst",
    "machines",
    "moved",
    "margin",
)


def show_backtest(result: Backtest, console: Console) -> None:
    """Print the methods side by side."""
    show_profile(_told(result), console)


def backtest_page(result: Backtest) -> str:
    """Return the offline page of a backtest, promised against delivered by day."""
    return profile_page(_told(result))


def _told(result: Backtest) -> Told:
    rho = float(result.settings["rho"])
    best = _best(result)
    kept = best is not None and best.overload_over_rho <= 1.0
    answer = f"{best.method} keeps it" if best and kept else "nobody keeps it"
    days = counted(result.rows[0].days, "day") if result.rows else "0 days"
    sentence = (
        f"promised {percent(rho)}, measured on {days} planned from the days before"
    )
    return Told(
        kind="Backtest",
        answer=answer,
        sentence=sentence,
        findings=tuple([*map(_finding, result.rows), *result.warnings]),
        sections=(_methods(result), _daily(result, rho)),
        absent=(),
        settings=result.settings,
        cleaning=result.cleaning,
    )


def _best(result: Backtest) -> BacktestRow | None:
    """Return the cheapest method that keeps the promise, else the nearest."""
    keeping = [row for row in result.rows if row.overload_over_rho <= 1.0]
    if keeping:
        return min(keeping, key=lambda row: row.machines)
    return min(result.rows, key=lambda row: row.overload_over_rho, default=None)


def _finding(row: BacktestRow) -> str:
    times = f"{row.overload_over_rho:.2g} times the promise"
    return (
        f"{row.method} delivers {times} on {row.machines:.3g} machines; "
        f"{percent(row.days_above_rho, 2)} of the days were above it"
    )


def _methods(result: Backtest) -> Section:
    return Section(
        title="Methods",
        sentence="overload on the next day over rho, with its interval; share of days "
        "above rho; worst machine-day; machines; tasks moved a day; margin",
        method="each day is planned from the days before it and then measured; the "
        "interval resamples days",
        columns=_COLUMNS,
        rows=tuple(_cells(row) for row in result.rows),
        charts=(_reliability(result.rows),) if result.rows else (),
    )


def _reliability(rows: Sequence[BacktestRow]) -> Chart:
    points = [
        Delivered(r.method, "delivered", r.overload_over_rho, r.low, r.high)
        for r in rows
    ]
    said = [f"{r.method} {r.overload_over_rho:.2g} times" for r in rows]
    return Chart(
        "reliability",
        "Promised and delivered",
        "Overload on the next day over what was promised, mean over days with its 95 % "
        f"interval; right of the line the promise was broken: {', '.join(said)}.",
        reliability_chart(points),
    )


def _cells(row: BacktestRow) -> tuple[str, ...]:
    known = row.low is not None and row.high is not None
    return (
        row.method,
        f"{row.overload_over_rho:.2f}",
        f"{row.low:.2f}-{row.high:.2f}" if known else "-",
        percent(row.days_above_rho, 2),
        percent(row.worst_machine_day, 2),
        f"{row.machines:.1f}",
        "-" if row.moved_share is None else percent(row.moved_share, 2),
        f"{row.margin:.2f}",
    )


def _daily(result: Backtest, rho: float) -> Section:
    chart = Chart(
        "daily",
        "Delivered, day by day",
        f"Share of machine time above capacity on each day, {percent(rho)} promised.",
        _daily_chart(result, rho),
    )
    return Section(
        title="Day by day",
        sentence="what was delivered on each day beside what was promised",
        method="mean over the arrival orders of a day",
        columns=("method and day", "delivered", "machines", "margin"),
        rows=tuple(
            (
                f"{row.method}, day {row.day}",
                percent(row.overload, 2),
                f"{row.machines:.1f}",
                f"{row.margin:.2f}",
            )
            for row in result.daily
        ),
        charts=(chart,) if result.daily else (),
    )


def _daily_chart(result: Backtest, rho: float) -> dict[str, Any]:
    values = [
        {"day": row.day, "method": row.method, "delivered": row.overload}
        for row in result.daily
    ]
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("day:Q", title="day").axis(tickMinStep=1),
        y=alt.Y("delivered:Q", title="machine time above capacity").axis(format=".2~%"),
        **series("method:N", [row.method for row in result.rows]),
    )
    marks = base.mark_point(filled=True, size=36, opacity=1)
    return with_legend(
        finished([base.mark_line(), marks, *level("promise", rho)], height=240)
    )
