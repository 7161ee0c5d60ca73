"""Tables of the pages: few rows as markup, many rows as columns of data."""

from collections.abc import Iterator, Sequence
from typing import Any

from cotenant.planning.results import Decision, Plan, Replay, Row
from cotenant.report.verdict import keeps, knows, labels, phrase
from cotenant.report.words import digits_of, percent, visible

_DIGITS = 4


def comparison_rows(
    rows: Sequence[Row], reference: Row | None, rho: float, own: Row | None = None
) -> list[dict[str, Any]]:
    """Return the cells of each method, as text."""
    return [
        {
            "name": name,
            "machines": f"{row.machines:,}",
            "mean": percent(row.overload_mean),
            "worst": percent(row.worst_machine),
            "above": f"{row.machines_above_rho:,}" if knows(row) else "-",
            "phrase": phrase(row, reference, rho),
            "own": row is own,
            "broken": knows(row) and not keeps(row),
        }
        for name, row in zip(labels(rows, own), rows, strict=True)
    ]


def assignment(plan: Plan) -> dict[str, Any]:
    """Return where each task went and why, a column at a time."""
    known = {decision.task: decision for decision in plan.decisions}
    pairs = [(task, m.machine) for m in plan.machines for task in m.tasks]
    decided = [known.get(task) for task, _ in pairs]
    return {
        "name": "tasks",
        "columns": [
            _column("task", "name", [visible(task) for task, _ in pairs]),
            _column("machine", "name", [visible(machine) for _, machine in pairs]),
            _column(
                "CPU mean", "number", [_rounded(d.mean) if d else None for d in decided]
            ),
            _column(
                "CPU 99.9th percentile",
                "number",
                [_rounded(d.high) if d else None for d in decided],
            ),
            _column("why", "text", [_why(d) if d else "" for d in decided]),
        ],
    }


def replayed(replay: Replay) -> dict[str, Any]:
    """Return what was promised and measured on each machine, the worst first."""
    digits = digits_of(replay.overload)
    worst_first = sorted(replay.machines, key=lambda m: -m.overload)
    columns: dict[str, tuple[str, list[Any]]] = {
        "machine": ("name", [visible(m.machine) for m in worst_first]),
        "promised": ("percent", [m.promised for m in worst_first]),
        "measured": ("percent", [_rounded(m.overload, digits) for m in worst_first]),
        "moments in overload": ("number", [m.overloaded for m in worst_first]),
        "moments judged": ("number", [m.moments for m in worst_first]),
        "peak": ("number", [_rounded(m.peak) for m in worst_first]),
        "capacity": ("number", [_rounded(m.capacity) for m in worst_first]),
    }
    return {
        "name": "machines",
        "columns": [_column(title, *column) for title, column in columns.items()],
    }


def _column(title: str, kind: str, values: list[Any]) -> dict[str, Any]:
    return {"title": title, "kind": kind, "values": values}


def _why(decision: Decision) -> str:
    return visible("; ".join(_reasons(decision)))


def _reasons(decision: Decision) -> Iterator[str]:
    yield decision.reach
    if decision.opened:
        yield "machine opened for it"
    if decision.moved:
        yield "moved here by rebalancing"
    for refusal in decision.refused:
        named = refusal.machine in refusal.reason
        yield refusal.reason if named else f"{refusal.machine}: {refusal.reason}"


def _rounded(value: float, digits: int = _DIGITS) -> float:
    # Digits beyond these are noise, and 100,000 tasks would carry megabytes of it.
    return float(f"{value:.{digits}g}")
