"""Pictures of a profile: lines with bands, clouds with their line, shapes in rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from cotenant.report.charts import BAD, INK, LEFT, OWN, PLAIN, finished
from cotenant.report.words import figure, percent

PERCENT = "format(datum.value * 100, '.3~r') + ' %'"
_PLACED = [OWN, BAD, PLAIN]
_DASHES = [[1, 0], [6, 3], [2, 2]]
_HEIGHT = 220


@dataclass(frozen=True, slots=True)
class Line:
    """A named line over named places, with a band where `low` and `high` are given."""

    name: str
    places: Sequence[str]
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


def lines_chart(
    lines: Sequence[Line],
    across: str,
    up: str,
    level: tuple[str, float] | None = None,
    percentages: bool = True,
) -> dict[str, Any]:
    """Draw up to three lines over the same places, evenly spaced.

    Parameters
    ----------
    level
        A named value to draw as a dashed line across.
    percentages
        Whether values are fractions to be shown as percentages.
    """
    places = list(dict.fromkeys(place for line in lines for place in line.places))
    names = [line.name for line in lines]
    x = alt.X("place:N", sort=places, title=across).scale(type="point", padding=0.3)
    x = x.axis(labelAngle=0, labelOverlap=True, labelSeparation=5)
    color = _by_name(names)
    y = _axis("value:Q", up, percentages)
    base = alt.Chart(alt.InlineData(values=_points(lines, percentages)))
    base = base.encode(x=x, color=color)
    tips = [alt.Tooltip("name:N", title=" "), alt.Tooltip("place:N", title=across)]
    tips.append(alt.Tooltip("shown:N", title=up))
    layers: list[alt.Chart] = [
        base.mark_line(strokeWidth=2).encode(y=y, strokeDash=_dashes(names)),
        base.mark_circle(size=40, opacity=1).encode(y=y, tooltip=tips),
    ]
    if any(len(line.low) for line in lines):
        low = _axis("low:Q", up, percentages)
        layers.insert(0, base.mark_area(opacity=0.18).encode(y=low, y2="high:Q"))
    if level is not None:
        layers += _level(*level)
    return _with_legend(finished(layers, _HEIGHT), len(names) > 1)


def _points(lines: Sequence[Line], percentages: bool) -> list[dict[str, Any]]:
    said = percent if percentages else figure
    return [
        {
            "name": line.name,
            "place": place,
            "value": value,
            "shown": said(value) if value >= 0 else f"-{said(-value)}",
            **({"low": line.low[i], "high": line.high[i]} if len(line.low) else {}),
        }
        for line in lines
        for i, (place, value) in enumerate(zip(line.places, line.values, strict=True))
    ]


def _level(name: str, at: float) -> list[alt.Chart]:
    data = alt.InlineData(values=[{"at": at, "text": name}])
    base = alt.Chart(data).encode(y="at:Q")
    rule = base.mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=1.2)
    note = base.encode(text="text:N", x=alt.value(0)).mark_text(
        align="left", baseline="bottom", dx=4, dy=-3
    )
    halo = note.copy()
    halo.mark.stroke, halo.mark.strokeWidth = "var(--paper)", 5
    return [rule, halo, note]


def scatter_chart(
    clouds: Sequence[tuple[str, Sequence[tuple[float, float]], float, float]],
    across: str,
    up: str,
) -> dict[str, Any]:
    """Draw clouds of points, each with its line.

    Parameters
    ----------
    clouds
        Name, points, slope and offset of each, at most three.
    """
    names = [name for name, *_ in clouds]
    points = [
        {"name": name, "x": x, "y": y} for name, cloud, *_ in clouds for x, y in cloud
    ]
    ends = [
        {"name": name, "x": x, "y": slope * x + offset}
        for name, cloud, slope, offset in clouds
        for x in (0.0, max((x for x, _ in cloud), default=0.0))
    ]
    color = _by_name(names)
    x, y = alt.X("x:Q", title=across), _axis("y:Q", up, percentages=False)
    cloud = alt.Chart(alt.InlineData(values=points)).mark_circle(size=14, opacity=0.45)
    line = alt.Chart(alt.InlineData(values=ends)).mark_line(strokeWidth=2.5)
    layers = [
        cloud.encode(x=x, y=y, color=color),
        line.encode(x=x, y=y, color=color, strokeDash=_dashes(names)),
    ]
    return _with_legend(finished(layers, _HEIGHT + 60), len(names) > 1)


def ridges_chart(
    shapes: Sequence[tuple[str, Sequence[float]]], across: str
) -> dict[str, Any]:
    """Draw distributions one above the other, each to its own height.

    Parameters
    ----------
    shapes
        Name and the share of each of equal bins from 0 to 1, from top to bottom.
    """
    values = []
    for row, (_, shares) in enumerate(shapes):
        top = max(shares) or 1.0
        values += [
            {
                "row": row,
                "x": (at + 0.5) / len(shares),
                "base": -float(row),
                "top": -row + 0.85 * share / top,
            }
            for at, share in enumerate(shares)
        ]
    names = [name for name, _ in shapes]
    said = " : ".join(f"datum.value == {-i} ? '{n}'" for i, n in enumerate(names))
    axis = alt.Axis(
        values=[-i for i in range(len(names))],
        labelExpr=f"{said} : ''",
        grid=False,
        ticks=False,
        domain=False,
        minExtent=LEFT,
    )
    area = (
        alt.Chart(alt.InlineData(values=values))
        .mark_area(interpolate="step", color=PLAIN, line={"color": OWN, "size": 1})
        .encode(
            x=alt.X("x:Q", title=across).scale(domain=[0, 1]).axis(labelExpr=PERCENT),
            y=alt.Y("top:Q", title=None, axis=axis).scale(
                domain=[1 - len(names), 1], nice=False
            ),
            y2="base:Q",
            detail="row:N",
        )
    )
    return finished([area], 24 * len(names))


def _by_name(names: Sequence[str]) -> alt.Color:
    scale = alt.Scale(domain=list(names), range=_PLACED[: len(names)])
    return alt.Color("name:N", scale=scale, title=None)


def _dashes(names: Sequence[str]) -> alt.StrokeDash:
    scale = alt.Scale(domain=list(names), range=_DASHES[: len(names)])
    return alt.StrokeDash("name:N", scale=scale, title=None)


def _axis(field: str, title: str, percentages: bool) -> alt.Y:
    axis = alt.Axis(tickCount=5, minExtent=LEFT, maxExtent=LEFT)
    if percentages:
        axis = alt.Axis(tickCount=5, minExtent=LEFT, maxExtent=LEFT, labelExpr=PERCENT)
    return alt.Y(field, title=title, axis=axis)


def _with_legend(spec: dict[str, Any], shown: bool) -> dict[str, Any]:
    spec["config"]["legend"] = (
        {
            "orient": "top",
            "labelColor": INK,
            "labelFontSize": 12,
            "labelLimit": 220,
            "symbolType": "stroke",
            "symbolSize": 300,
            "symbolStrokeWidth": 2,
        }
        if shown
        else {"disable": True}
    )
    return spec
