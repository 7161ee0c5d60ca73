"""Pictures of all machines: bars while they can be told apart, else distributions."""

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from cotenant.report.charts import (
    BAD,
    INK,
    LEFT,
    PLAIN,
    across_percent_axis,
    finished,
    level,
    percent_axis,
)
from cotenant.report.words import percent, shorten

# Beyond so many, single bars get thinner than two pixels on a phone.
MOST_BARS = 150
_MOST_LABELS = 30
_BINS = 30
_HEIGHT = 170
_LONGEST_LABEL = 14


def load_chart(
    names: Sequence[str], loads: Sequence[float], resource: str
) -> dict[str, Any]:
    """Draw the mean load over capacity of every machine."""
    title = f"mean {resource} load"
    if len(names) > MOST_BARS:
        return _distribution(loads, None, title)
    fills = [PLAIN] * len(names)
    bars = _bars(names, loads, fills, title, 1.15 * max(1.0, *loads))
    return finished([bars, *level("capacity", 1.0)], _HEIGHT)


def overload_chart(
    names: Sequence[str], overloads: Sequence[float], rho: float, title: str
) -> dict[str, Any]:
    """Draw the overload of every machine, with the promise as a line."""
    if len(names) > MOST_BARS:
        return _distribution(overloads, rho, title)
    fills = [BAD if overload > rho else PLAIN for overload in overloads]
    bars = _bars(names, overloads, fills, title, 1.2 * max(rho, *overloads))
    return finished([bars, *level("promise", rho)], _HEIGHT)


def _bars(
    names: Sequence[str],
    heights: Sequence[float],
    fills: Sequence[str],
    title: str,
    top: float,
) -> alt.Chart:
    values = [
        {
            # The number keeps machines apart whose shortened names are equal.
            "key": f"{at:04} {shorten(name, _LONGEST_LABEL)}",
            "machine": name,
            "value": height,
            "shown": percent(height),
            "fill": fill,
        }
        for at, (name, height, fill) in enumerate(
            zip(names, heights, fills, strict=True)
        )
    ]
    bars: alt.Chart = (
        alt.Chart(alt.InlineData(values=values))
        .mark_bar()
        .encode(
            x=_machine_axis(len(names)),
            y=percent_axis("value:Q", title, top),
            color=alt.Color("fill:N", scale=None),
            tooltip=[alt.Tooltip("machine:N"), alt.Tooltip("shown:N", title=title)],
        )
    )
    return bars


def _machine_axis(machines: int) -> alt.X:
    labelled = machines <= _MOST_LABELS
    order = f"{machines:,} machines, in the order they were opened"
    return (
        alt.X("key:N", sort=None, title=None if labelled else order)
        .axis(
            labels=labelled,
            ticks=False,
            labelAngle=-45,
            labelExpr="substring(datum.value, 5)",
        )
        .scale(paddingInner=0.25, paddingOuter=0.1)
    )


def _distribution(
    values: Sequence[float], rho: float | None, title: str
) -> dict[str, Any]:
    bars = (
        alt.Chart(alt.InlineData(values=_bins(values, rho)))
        .mark_bar(binSpacing=1)
        .encode(
            x=across_percent_axis("from:Q", title),
            x2="to:Q",
            y=alt.Y("machines:Q", title="machines").axis(
                tickCount=4, tickMinStep=1, minExtent=LEFT, maxExtent=LEFT
            ),
            color=alt.Color("fill:N", scale=None),
            tooltip=[
                alt.Tooltip("shown:N", title=title),
                alt.Tooltip("machines:Q", format=","),
            ],
        )
    )
    layers = [bars] if rho is None else [bars, *_upright(rho)]
    return finished(layers, _HEIGHT)


def _bins(values: Sequence[float], rho: float | None) -> list[dict[str, Any]]:
    # An edge lies on the promise, and a bin holds its upper edge: rho itself is kept.
    edge, top = rho or 1.0, max(*values, rho or 1.0)
    ratio = _BINS * edge / top
    width = edge / round(ratio) if ratio >= 1 else edge * math.ceil(1 / ratio)
    at = np.ceil(np.asarray(values) / width * (1 - 1e-12)).astype(int) - 1
    return [
        {
            "from": number * width,
            "to": (number + 1) * width,
            "machines": int(count),
            "shown": f"{percent(number * width)} to {percent((number + 1) * width)}",
            "fill": PLAIN if rho is None or number * width < rho * 0.999 else BAD,
        }
        for number, count in enumerate(np.bincount(np.maximum(at, 0)))
    ]


def _upright(rho: float) -> list[alt.Chart]:
    data = alt.InlineData(values=[{"at": rho, "text": f"promise {percent(rho)}"}])
    base = alt.Chart(data).encode(x="at:Q")
    rule = base.mark_rule(color=INK, strokeDash=[5, 3], strokeWidth=1.5)
    note = base.mark_text(align="center", baseline="bottom", fontWeight=600)
    return [rule, note.encode(text="text:N", y=alt.value(-5))]
