"""Pictures of a study: printed numbers beside ours, and curves over a sweep."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from cotenant.report.charts import BAD, INK, OWN, PLAIN, finished
from cotenant.report.words import figure

_COLOURS = [OWN, BAD, INK, PLAIN]
_SHAPES = ["circle", "diamond", "square", "cross", "triangle-up", "triangle-down"]
_DASHES = [[1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [1, 4], [12, 3]]
_LEAST = 1e-9  # what a logarithmic axis shows of 0


@dataclass(frozen=True, slots=True)
class Dots:
    """A named series of values, one for some of the rows."""

    name: str
    values: Sequence[float | None]


def dots_chart(
    rows: Sequence[str], series: Sequence[Dots], across: str, logarithmic: bool
) -> dict[str, Any]:
    """Draw one row a name, and in it one mark a series: at most four series.

    On a logarithmic axis values below 1e-9 stand at 1e-9.
    """
    values = [
        {"row": row, "series": one.name, **_value(value, logarithmic)}
        for one in series
        for row, value in zip(rows, one.values, strict=True)
        if value is not None
    ]
    names = [one.name for one in series]
    x = alt.X("value:Q", title=across)
    x = _logarithmic(x) if logarithmic else x.scale(zero=False)
    base = alt.Chart(alt.InlineData(values=values)).encode(
        y=alt.Y("row:N", sort=list(rows), title=None).axis(
            labelLimit=170, domain=False, ticks=False, grid=True, labelPadding=10
        ),
        x=x,
        color=_colour("series:N", names),
        shape=_shape("series:N", names),
        tooltip=[
            alt.Tooltip("row:N", title=" "),
            alt.Tooltip("series:N", title="  "),
            alt.Tooltip("shown:N", title=across),
        ],
    )
    marks = base.mark_point(filled=True, size=70, opacity=0.9)
    return with_legend(finished([marks], height=max(60, 20 * len(rows))))


@dataclass(frozen=True, slots=True)
class Curve:
    """A named line over named places, at most six of them in a chart."""

    name: str
    places: Sequence[str]
    values: Sequence[float]


def curves_chart(
    curves: Sequence[Curve], across: str, up: str, height: int = 260
) -> dict[str, Any]:
    """Draw curves over evenly spaced places, on a logarithmic axis.

    Values below 1e-9 stand at 1e-9.
    """
    places = list(dict.fromkeys(place for curve in curves for place in curve.places))
    names = [curve.name for curve in curves]
    values = [
        {"name": curve.name, "place": place, **_value(value, True)}
        for curve in curves
        for place, value in zip(curve.places, curve.values, strict=True)
    ]
    x = alt.X("place:N", sort=places, title=across).scale(type="point", padding=0.3)
    base = alt.Chart(alt.InlineData(values=values)).encode(
        x=x.axis(labelAngle=0), y=_logarithmic(alt.Y("value:Q", title=up)),
        color=_colour("name:N", names),
    )  # fmt: skip
    dash = alt.Scale(domain=names, range=_DASHES[: len(names)])
    line = base.mark_line(strokeWidth=2).encode(
        strokeDash=alt.StrokeDash("name:N", scale=dash, title=None)
    )
    marks = base.mark_point(filled=True, size=60, opacity=1).encode(
        shape=_shape("name:N", names),
        tooltip=[
            alt.Tooltip("name:N", title=" "),
            alt.Tooltip("place:N", title=across),
            alt.Tooltip("shown:N", title=up),
        ],
    )
    return with_legend(finished([line, marks], height))


def _value(value: float, logarithmic: bool) -> dict[str, Any]:
    shown = figure(value) if value >= 1e-4 or not logarithmic else f"{value:.2g}"
    return {"value": max(value, _LEAST) if logarithmic else value, "shown": shown}


def _logarithmic(axis: Any) -> Any:
    return axis.scale(type="log", nice=False).axis(format="~g", tickCount=6)


def _colour(field: str, names: Sequence[str]) -> alt.Color:
    colours = [_COLOURS[at % len(_COLOURS)] for at in range(len(names))]
    scale = alt.Scale(domain=list(names), range=colours)
    return alt.Color(field, scale=scale, title=None)


def _shape(field: str, names: Sequence[str]) -> alt.Shape:
    scale = alt.Scale(domain=list(names), range=_SHAPES[: len(names)])
    return alt.Shape(field, scale=scale, title=None)


def with_legend(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a specification with the legend above it."""
    spec["config"]["legend"] = {
        "orient": "top",
        "labelColor": INK,
        "labelFontSize": 12,
        "labelLimit": 260,
        "columns": 3,
        "symbolSize": 80,
    }
    return spec
