"""The reliability picture: what was promised against what was delivered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from cotenant.report.charts import BAD, INK, OWN, PLAIN, finished
from cotenant.report.study_charts import with_legend

_COLOURS = [OWN, PLAIN, BAD, INK]
_SHAPES = ["circle", "square", "diamond", "cross"]
_LEAST = 0.01  # what the logarithmic axis shows of anything less
_TITLE = "delivered, times what was promised"


@dataclass(frozen=True, slots=True)
class Delivered:
    """Overload over rho of one series in one row, with its interval where known."""

    row: str
    series: str
    times: float
    low: float | None
    high: float | None


def reliability_chart(points: Sequence[Delivered]) -> dict[str, Any]:
    """Draw delivered over promised, a row a name: right of the line it was broken.

    At most four series. Values below 0.01 stand at 0.01.
    """
    rows = list(dict.fromkeys(point.row for point in points))
    names = list(dict.fromkeys(point.series for point in points))
    values = [_value(point) for point in points]
    base = alt.Chart(alt.InlineData(values=values)).encode(
        y=alt.Y("row:N", sort=rows, title=None).axis(
            labelLimit=170, domain=False, ticks=False, grid=True, labelPadding=10
        ),
        yOffset=alt.YOffset("series:N", sort=names),
    )
    marked = series("series:N", names)
    most = max(2.0, *(value["high"] for value in values))
    least = min(0.5, *(value["low"] for value in values))
    x = alt.X("times:Q", title=_TITLE).scale(
        type="log", nice=False, domain=[least, 1.1 * most]
    )
    marks = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=x.axis(format="~g", tickCount=6),
        **marked,
        tooltip=[
            alt.Tooltip("row:N", title=" "),
            alt.Tooltip("series:N", title="  "),
            alt.Tooltip("shown:N", title=_TITLE),
        ],
    )
    spans = base.mark_rule(strokeWidth=2, opacity=0.55).encode(
        x="low:Q", x2="high:Q", color=marked["color"]
    )
    height = max(80, 20 * len(rows) * min(len(names), 2))
    return with_legend(finished([spans, marks, *_promise()], height))


def series(field: str, names: Sequence[str]) -> dict[str, Any]:
    """Return colour and shape of named series; a legend where there are several."""
    legend = None if len(names) == 1 else alt.Legend()
    kinds = (("color", alt.Color, _COLOURS), ("shape", alt.Shape, _SHAPES))
    return {
        key: kind(
            field,
            scale=alt.Scale(
                domain=list(names), range=[marks[i % 4] for i in range(len(names))]
            ),
            title=None,
            legend=legend,
        )
        for key, kind, marks in kinds
    }


def _promise() -> list[alt.Chart]:
    base = alt.Chart(alt.InlineData(values=[{"at": 1.0, "text": "promised"}]))
    rule = base.mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=1.5)
    note = base.mark_text(align="left", baseline="top", dx=4, dy=2, fontWeight=600)
    return [
        rule.encode(x="at:Q"),
        note.encode(x="at:Q", y=alt.value(0), text="text:N"),
    ]


def _value(point: Delivered) -> dict[str, Any]:
    low = point.times if point.low is None else point.low
    high = point.times if point.high is None else point.high
    shown = f"{point.times:.2g}"
    if point.low is not None and point.high is not None:
        shown += f" ({low:.2g} to {high:.2g})"
    return {
        "row": point.row,
        "series": point.series,
        "times": max(point.times, _LEAST),
        "low": max(low, _LEAST),
        "high": max(high, _LEAST),
        "shown": shown,
    }
