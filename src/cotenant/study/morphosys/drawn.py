"""The MorphoSys study in pictures."""

from collections.abc import Sequence

from cotenant.planning.sla.strategies import BASELINE
from cotenant.report.charts import Chart
from cotenant.report.interval_charts import Estimate, intervals_chart
from cotenant.study.morphosys.study import PointRow
from cotenant.study.morphosys.words import PARTS_TOLD, SERIES, label

# What the paper prints of its strategies, as shares.
PRINTED = {
    "best-fit": (0.0, 0.02),
    "ff-nr": (0.0, 0.2),
    "bf-nr": (0.0, 0.2),
    "nm": (0.4, 0.5),
    "cm": (0.55, 0.6),
    "um": (0.55, 0.6),
}


def chart_of(part: str, rows: Sequence[PointRow]) -> Chart:
    """Draw a part: strategies as rows, or the points of its axis."""
    told = PARTS_TOLD[part]
    estimates = []
    for row in rows:
        found = row.efficiency
        if row.strategy == BASELINE or found is None:
            continue
        names = label(part, row), row.strategy
        if part in SERIES:
            names = row.strategy, f"{row.at:g} {SERIES[part]}"
        low = found.mean if found.low is None else found.low
        high = found.mean if found.high is None else found.high
        estimates.append(Estimate(*names, found.mean, low, high))
    spec = intervals_chart(
        estimates,
        None if part in SERIES else told.axis,
        "efficiency over Liu-Layland first fit",
        PRINTED if part == "rates" else None,
    )
    title = "Efficiency, means with 95 % intervals"
    summary = "The same as in the table"
    if part == "rates":
        summary += "; grey bars: what the paper prints"
    return Chart(f"morphosys-{part}", title, summary, spec)
