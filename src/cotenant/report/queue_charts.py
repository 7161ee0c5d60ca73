"""Pictures of a comparison of allocators: bars, queues, use, distributions."""

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from cotenant.arrays import FloatArray
from cotenant.planning.queue.results import QueueComparison
from cotenant.report.charts import LEFT, OWN, PLAIN, Chart, finished
from cotenant.report.queue_words import against, label, whole
from cotenant.report.words import counted, percent
from cotenant.sim.jobs import QueueRun
from cotenant.sim.timelines import queue_length, share_held

_MOMENTS = 300
_SHORT = 14  # letters of a name, so that the legend takes one line
_DAY_S = 86_400.0
# Lines differ in dash too, so that colour is not alone in telling them apart.
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [1, 3], [10, 4], [4, 1])
_COLOURS = ("var(--accent)", "var(--bad)", "var(--notice)", "var(--quiet)",
            "var(--bar)", "var(--ink)", "var(--accent)")  # fmt: skip


def turnaround_figure(result: QueueComparison) -> Chart:
    """Show the average turnaround of each row, with its standard error."""
    best = min(result.rows, key=lambda row: row.average_turnaround_s)
    values = []
    for row in result.rows:
        error = row.standard_error_s or 0.0
        note = whole(row.average_turnaround_s)
        if row.against_heuristic is not None:
            note += f"  ({against(row)})"
        values.append(
            {
                "row": label(row, result),
                "seconds": row.average_turnaround_s,
                "low": row.average_turnaround_s - error,
                "high": row.average_turnaround_s + error,
                "fill": OWN if row is best else PLAIN,
                "note": note,
            }
        )
    top = 1.35 * max(float(str(v["high"])) for v in values)
    base = alt.Chart(alt.InlineData(values=values)).encode(
        y=alt.Y("row:N", sort=None, title=None).axis(
            labelLimit=180, domain=False, ticks=False, labelPadding=8
        )
    )
    x = alt.X("seconds:Q", title="average turnaround, s").scale(domain=[0, top])
    bars = base.mark_bar(height={"band": 0.62}).encode(
        x=x, color=alt.Color("fill:N", scale=None)
    )
    errors = base.mark_rule(strokeWidth=2, color="var(--ink)").encode(
        x=alt.X("low:Q"), x2="high:Q"
    )
    notes = base.mark_text(align="left", dx=6).encode(x=alt.X("high:Q"), text="note:N")
    said = "; ".join(f"{v['row']} {v['note']}" for v in values)
    shown = "Lines span ± one standard error. " if best.replicas > 1 else ""
    return Chart(
        "turnaround",
        "Average turnaround",
        f"{said}. {shown}In brackets: against the best greedy allocator.",
        finished([bars, errors, notes], height=34 * len(values)),
    )


def queue_figures(result: QueueComparison) -> list[Chart]:
    """Show queue length, utilization and turnaround of the first run of each row."""
    names = [label(row, result) for row in result.rows]
    runs = result.runs[: len(_DASHES)]
    names = names[: len(runs)]
    end = max(float(run.finish_s.max()) for run in runs)
    edges = np.linspace(0.0, end, _MOMENTS + 1)
    days, middles = edges / _DAY_S, (edges[1:] + edges[:-1]) / 2 / _DAY_S
    lengths = [queue_length(run, edges) for run in runs]
    shares = [share_held(run, edges) for run in runs]
    longest = "; ".join(
        f"{name} {counted(int(length.max()), 'job')} at most"
        for name, length in zip(names, lengths, strict=True)
    )
    used = "; ".join(
        f"{row.allocator} {percent(row.utilization, 2)}"
        for row, _ in zip(result.rows, runs, strict=False)
    )
    return [
        Chart(
            "queue",
            "Jobs waiting",
            f"Jobs that wait, over time: {longest}.",
            _lines(names, days, lengths, "days", "jobs waiting", False),
        ),
        Chart(
            "used",
            "Processors held",
            f"Share of processors held, over time; on average {used}.",
            _lines(names, middles, shares, "days", "share held", False),
        ),
        _distribution(names, runs),
    ]


def _distribution(names: Sequence[str], runs: Sequence[QueueRun]) -> Chart:
    levels = np.linspace(0.005, 0.995, 100)
    curves = [
        np.maximum(np.quantile(run.finish_s - run.jobs.submit_s, levels), 1.0)
        for run in runs
    ]
    medians = "; ".join(
        f"{name} {whole(float(curve[50]))} s and {whole(float(curve[90]))} s"
        for name, curve in zip(names, curves, strict=True)
    )
    values = [
        {"row": name, "x": float(x), "y": float(y)}
        for name, curve in zip(names, curves, strict=True)
        for x, y in zip(curve, levels, strict=True)
    ]
    return Chart(
        "spread",
        "Distribution of turnaround",
        f"Share of jobs done within a time; median and 90th percentile: {medians}.",
        _drawn(names, values, "turnaround, s (log)", "share of jobs", True),
    )


def _lines(
    names: Sequence[str],
    x: FloatArray,
    curves: Sequence[FloatArray],
    across: str,
    up: str,
    log: bool,
) -> dict[str, Any]:
    values = [
        {"row": name, "x": round(float(a), 5), "y": round(float(b), 5)}
        for name, curve in zip(names, curves, strict=True)
        for a, b in zip(x, curve, strict=True)
    ]
    return _drawn(names, values, across, up, log)


def _drawn(
    names: Sequence[str],
    values: list[dict[str, Any]],
    across: str,
    up: str,
    log: bool,
) -> dict[str, Any]:
    columns = 3 if max(map(len, names)) > _SHORT else len(names)
    legend = alt.Legend(
        title=None,
        orient="top",
        labelColor="var(--ink)",
        labelLimit=260,
        columns=columns,
    )
    scale = alt.Scale(type="log") if log else alt.Scale(nice=False, zero=True)
    count = len(names)
    line = (
        alt.Chart(alt.InlineData(values=values))
        .mark_line(strokeWidth=1.75)
        .encode(
            x=alt.X("x:Q", title=across, scale=scale),
            y=alt.Y("y:Q", title=up).axis(tickCount=4, minExtent=LEFT, maxExtent=LEFT),
            color=alt.Color(
                "row:N",
                sort=None,
                legend=legend,
                scale=alt.Scale(domain=list(names), range=list(_COLOURS[:count])),
            ),
            strokeDash=alt.StrokeDash(
                "row:N",
                sort=None,
                legend=legend,
                scale=alt.Scale(domain=list(names), range=list(_DASHES[:count])),
            ),
        )
    )
    return finished([line], height=220)
