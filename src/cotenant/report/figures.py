"""Charts with their heading and the same in words."""

from collections.abc import Sequence

from cotenant.planning.results import Overload, Plan, Replay, Row
from cotenant.report.charts import (
    BROKEN,
    PARTIAL,
    Chart,
    methods_chart,
    timeline_chart,
)
from cotenant.report.machine_charts import load_chart, overload_chart
from cotenant.report.verdict import labels, phrase
from cotenant.report.words import counted, digits_of, percent, visible


def methods_figure(
    rows: Sequence[Row], reference: Row | None, rho: float, own: Row | None = None
) -> Chart:
    """Show the machines of each method."""
    said = (
        f"{name} {row.machines:,}" + (f" ({judged})" if judged else "")
        for name, row in zip(labels(rows, own), rows, strict=True)
        for judged in [phrase(row, reference, rho)]
    )
    marks = f"{BROKEN} above the promise, {PARTIAL} leaves more tasks unplaced."
    summary = f"{'; '.join(said)}. {marks}"
    return Chart("methods", "Machines by method", summary, methods_chart(rows, own))


def machine_figures(plan: Plan) -> list[Chart]:
    """Show the load of all machines, a chart a resource, and their overload."""
    if not plan.machines:
        return []
    resources = plan.machines[0].capacity
    figures = [*(_load(plan, resource) for resource in resources), _overload(plan)]
    rho = float(plan.settings["rho"])
    return [*figures, *_timeline(plan.timeline, plan.overload, rho)]


def _load(plan: Plan, resource: str) -> Chart:
    offered = [m for m in plan.machines if m.capacity.get(resource)]
    names = [visible(m.machine) for m in offered]
    loads = [m.mean.get(resource, 0.0) / m.capacity[resource] for m in offered]
    spoken = "CPU" if resource == "cpu" else visible(resource)
    many = counted(len(loads), "machine")
    return Chart(
        f"load of {spoken}",
        f"Mean {spoken} load over capacity",
        f"Mean {spoken} load of {many}: {_range(loads, names)}.",
        load_chart(names, loads, spoken),
    )


def _overload(plan: Plan) -> Chart:
    names = [visible(m.machine) for m in plan.machines]
    rho = float(plan.settings["rho"])
    overloads = [m.overload for m in plan.machines]
    above = plan.overload.machines_above_rho
    kept = f"{above:,} above" if above else "none above"
    exact = plan.overload.judged_by == "exact"
    kind = "Expected" if exact else "Measured"
    noise = "" if exact else ", beyond what chance does to counts of few moments"
    return Chart(
        "overload",
        "Time over CPU capacity",
        f"{kind} time over capacity: {_range(overloads, names)}; "
        f"{kept} the promise of {percent(rho)}{noise}.",
        overload_chart(names, overloads, rho, "time over capacity"),
    )


def replay_figures(replay: Replay) -> list[Chart]:
    """Show measured overload over time and by machine."""
    figures = _timeline(replay.timeline, replay.overload, replay.promised)
    if replay.machines:
        names = [visible(m.machine) for m in replay.machines]
        measured = [m.overload for m in replay.machines]
        summary = f"Measured time over capacity: {_range(measured, names)}."
        drawn = overload_chart(names, measured, replay.promised, "measured overload")
        figures.append(Chart("machines", "Overload by machine", summary, drawn))
    return figures


def _timeline(
    timeline: Sequence[tuple[float, float]], overload: Overload, promised: float
) -> list[Chart]:
    if not timeline:
        return []
    mean = percent(overload.mean, digits_of(overload))
    most = percent(max(share for _, share in timeline), 2)
    summary = (
        "The line is the share of machine time in overload so far, ending at "
        f"{mean}; the area is the same for each stretch of time alone. In the "
        f"worst moment {most} of the machines were in overload."
    )
    drawn = timeline_chart(timeline, promised)
    return [Chart("timeline", "Overload over time", summary, drawn)]


def _range(values: Sequence[float], names: Sequence[str]) -> str:
    least, most = min(values), max(values)
    where = names[list(values).index(most)]
    return f"from {percent(least)} to {percent(most)} ({where})"
