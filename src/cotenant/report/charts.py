"""Pictures of results as Vega-Lite specifications, coloured by the page.

Colours are CSS variables, so that one specification serves light, dark and paper.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np

from cotenant.planning.results import Row
from cotenant.report.verdict import keeps, knows, labels
from cotenant.report.words import percent

PLAIN, OWN, BAD, INK = "var(--bar)", "var(--accent)", "var(--bad)", "var(--ink)"
# Marks beside a number of machines, so that colour is not alone in saying it.
BROKEN, PARTIAL = "✗", "*"
# Charts that stand above one another share their left edge.
LEFT = 56
_PERCENT = "format(datum.value * 100, '.3~r') + ' %'"
_WINDOWS = 60
_LATEST_RELATIVE = 1e8


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing with its heading and the same in words.

    Parameters
    ----------
    key
        Name of its place in the page.
    summary
        What the drawing shows, for whoever cannot see it.
    """

    key: str
    title: str
    summary: str
    spec: dict[str, Any]


def methods_chart(rows: Sequence[Row], own: Row | None) -> dict[str, Any]:
    """Draw the machines of each method as bars, the broken ones named so."""
    least = min((row.unplaced for row in rows), default=0)
    values = [
        {
            "method": name,
            "machines": row.machines,
            "fill": OWN if row is own else BAD if _breaks(row) else PLAIN,
            "note": _note(row, least),
        }
        for name, row in zip(labels(rows, own), rows, strict=True)
    ]
    base = alt.Chart(alt.InlineData(values=values)).encode(
        y=alt.Y("method:N", sort=None, title=None).axis(
            labelLimit=130, domain=False, ticks=False, labelPadding=8
        ),
        x=alt.X("machines:Q", title="machines").scale(
            domain=[0, 1.2 * max((row.machines for row in rows), default=1)]
        ),
    )
    bars = base.mark_bar(height={"band": 0.62}).encode(
        color=alt.Color("fill:N", scale=None),
        tooltip=[alt.Tooltip("method:N"), alt.Tooltip("machines:Q", format=",")],
    )
    notes = base.mark_text(align="left", dx=6).encode(text="note:N")
    return finished([bars, notes], height=34 * len(rows))


def _breaks(row: Row) -> bool:
    return knows(row) and not keeps(row)


def _note(row: Row, least: int) -> str:
    marks = (BROKEN if _breaks(row) else "") + (PARTIAL if row.unplaced > least else "")
    return f"{row.machines:,} {marks}"


def timeline_chart(
    timeline: Sequence[tuple[float, float]], promised: float
) -> dict[str, Any]:
    """Draw the share of machines in overload over time, and its running mean."""
    times, shares = np.array(timeline, dtype=float).T
    epoch = bool(times[0] > _LATEST_RELATIVE)
    shown = times * 1000 if epoch else (times - times[0]) / 3600
    running = np.cumsum(shares) / np.arange(1, len(shares) + 1)
    values = [
        {
            "time": float(shown[part[0]]),
            "window": float(shares[part].mean()),
            "so far": float(running[part[-1]]),
        }
        for part in np.array_split(np.arange(len(times)), min(_WINDOWS, len(times)))
    ]
    x = (
        alt.X("time:T", title="time (UTC)").scale(type="utc")
        if epoch
        else alt.X("time:Q", title="hours")
    )
    top = 1.2 * max(promised, *(value["window"] for value in values))
    base = alt.Chart(alt.InlineData(values=values)).encode(x=x)
    area = base.mark_area(color=PLAIN, opacity=0.55, interpolate="step-after").encode(
        y=percent_axis("window:Q", "machines in overload", top)
    )
    line = base.mark_line(color=OWN, strokeWidth=2.5).encode(
        y=percent_axis("so far:Q", "machines in overload", top)
    )
    return finished([area, line, *level("promise", promised)], height=220)


def percent_axis(field: str, title: str, top: float) -> alt.Y:
    """Return a vertical axis of percentages from zero."""
    return (
        alt.Y(field, title=title)
        .scale(domain=[0, top], nice=False)
        .axis(labelExpr=_PERCENT, tickCount=4, minExtent=LEFT, maxExtent=LEFT)
    )


def across_percent_axis(field: str, title: str) -> alt.X:
    """Return a horizontal axis of percentages for bins."""
    return alt.X(field, bin="binned", title=title).axis(
        labelExpr=_PERCENT, labelOverlap=True, labelFlush=True
    )


def level(name: str, at: float) -> list[alt.Chart]:
    """Draw a named horizontal line across a chart."""
    data = alt.InlineData(values=[{"at": at, "text": f"{name} {percent(at)}"}])
    base = alt.Chart(data).encode(y="at:Q")
    rule = base.mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=1.5)
    note = base.encode(text="text:N", x=alt.value("width")).mark_text(
        align="right", baseline="bottom", dy=-4, fontWeight=600
    )
    # Without a halo the note would drown in bars that reach above the line.
    halo = note.copy()
    halo.mark.stroke, halo.mark.strokeWidth = "var(--paper)", 5
    return [rule, halo, note]


def finished(layers: list[alt.Chart], height: int) -> dict[str, Any]:
    """Return the specification in the manner of the page."""
    quiet = {"labelColor": "var(--quiet)", "titleColor": "var(--quiet)"}
    lines = {"gridColor": "var(--line)", "domainColor": "var(--line)"}
    font = {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"}
    styled = (
        alt.LayerChart(layer=layers)
        .properties(width="container", height=height, background="transparent")
        .configure(font="system-ui, sans-serif")
        .configure_view(stroke=None)
        .configure_axis(**quiet, **lines, **font, tickColor="var(--line)")
        .configure_axisX(grid=False)
        .configure_text(color=INK, fontSize=12)
    )
    spec: dict[str, Any] = styled.to_dict()
    return spec
