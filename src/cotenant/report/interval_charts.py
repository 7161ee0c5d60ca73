"""Pictures of means with their intervals, and of what was published behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from cotenant.report.charts import BAD, INK, OWN, PLAIN, finished

_COLOURS = [OWN, BAD, INK, PLAIN, OWN]
_SHAPES = ["circle", "diamond", "square", "triangle-up", "cross"]
_ROOM = 17  # pixels of one mark


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean in a row, of one of at most five series; low and high may be the mean."""

    row: str
    series: str
    mean: float
    low: float
    high: float


def intervals_chart(
    estimates: Sequence[Estimate],
    down: str | None,
    across: str,
    published: Mapping[str, tuple[float, float]] | None = None,
) -> dict[str, Any]:
    """Draw shares: a row a name, in it a mark and a whisker for each series.

    Parameters
    ----------
    down, across
        Titles of the axes; rows that are names need none.
    published
        For some rows the range that was printed, drawn as a bar behind.
    """
    rows = list(dict.fromkeys(one.row for one in estimates))
    names = list(dict.fromkeys(one.series for one in estimates))
    values = [
        {
            "row": one.row,
            "series": one.series,
            "mean": one.mean,
            "low": one.low,
            "high": one.high,
            "shown": f"{100 * one.mean:.0f} % ({100 * one.low:.0f} to "
            f"{100 * one.high:.0f} %)",
        }
        for one in estimates
    ]
    y = alt.Y("row:N", sort=rows, title=down).axis(
        labelLimit=150, domain=False, ticks=False, grid=True, labelPadding=10
    )
    axis = alt.Axis(format="%", grid=True, tickCount=8)
    base = alt.Chart(alt.InlineData(values=values)).encode(
        y=y, yOffset=alt.YOffset("series:N", sort=names), color=_colour(names)
    )
    whisker = base.mark_rule(strokeWidth=1.5).encode(
        x=alt.X("low:Q", title=across, axis=axis).scale(zero=False), x2="high:Q"
    )
    marks = base.mark_point(filled=True, size=60, opacity=1).encode(
        x="mean:Q",
        shape=alt.Shape(
            "series:N",
            scale=alt.Scale(domain=names, range=_SHAPES[: len(names)]),
            title=None,
        ),
        tooltip=[
            alt.Tooltip("row:N", title=" "),
            alt.Tooltip("series:N", title="  "),
            alt.Tooltip("shown:N", title=across),
        ],
    )
    layers = [whisker, marks]
    if published:
        layers.insert(0, _bars(published, y, across, axis))
    spec = finished(layers, height=len(rows) * (_ROOM * len(names) + 8))
    spec["config"]["legend"] = {
        "orient": "top",
        "labelColor": INK,
        "labelFontSize": 12,
        "symbolSize": 80,
    }
    return spec


def _bars(
    published: Mapping[str, tuple[float, float]], y: alt.Y, across: str, axis: alt.Axis
) -> alt.Chart:
    values = [
        {"row": row, "from": low, "to": high} for row, (low, high) in published.items()
    ]
    base = alt.Chart(alt.InlineData(values=values)).encode(
        y=y, x=alt.X("from:Q", title=across, axis=axis), x2="to:Q"
    )
    bars: alt.Chart = base.mark_bar(color=PLAIN, opacity=0.35)
    return bars


def _colour(names: Sequence[str]) -> alt.Color:
    scale = alt.Scale(domain=list(names), range=_COLOURS[: len(names)])
    return alt.Color("series:N", scale=scale, title=None)
