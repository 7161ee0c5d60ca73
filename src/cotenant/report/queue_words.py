"""A comparison of allocators in words: the answer, and the cells of each row."""

from cotenant.planning.queue.results import QueueComparison, QueueRow
from cotenant.report.words import counted, figure, percent, visible

HEAD = (
    ("", "average", "", "against", "", "", "utili-", "over-"),
    ("allocator", "turnaround", "± s.e.", "best greedy", "wait", "slowdown", "zation",
     "rides"),
)  # fmt: skip


def answer(result: QueueComparison) -> tuple[str, str]:
    """Return the best row's average turnaround, and the sentence after it."""
    rows = result.rows
    best = min(rows, key=lambda row: row.average_turnaround_s)
    load = f"offered load {figure(result.offered_load)}"
    jobs = counted(rows[0].jobs, "job")
    said = f"average turnaround of {jobs} with {label(best, result)}, {load}"
    # Other systems and loads are other questions.
    others = [
        row
        for row in rows
        if row is not best
        and (row.system, row.offered_load) == (best.system, best.offered_load)
    ]
    if others:
        second = min(others, key=lambda row: row.average_turnaround_s)
        said += f"; next is {label(second, result)} with {seconds(second)}"
    return f"{seconds(best)}", said


def seconds(row: QueueRow) -> str:
    """Write the average turnaround of a row."""
    return f"{whole(row.average_turnaround_s)} s"


def whole(value: float | None) -> str:
    """Write seconds without fractions above ten.

    >>> whole(6124.3), whole(8.08), whole(None)
    ('6,124', '8.08', '-')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 10 else figure(value)


def label(row: QueueRow, result: QueueComparison) -> str:
    """Name a row by what tells it from the others."""
    parts = [row.allocator]
    if len({r.order for r in result.rows}) > 1:
        parts.append(row.order)
    if len({r.system for r in result.rows}) > 1:
        parts.append(f"on {visible(row.system)}")
    if len({r.offered_load for r in result.rows}) > 1:
        parts.append(f"load {figure(row.offered_load)}")
    return ", ".join(parts)


def cells(row: QueueRow, result: QueueComparison) -> tuple[str, ...]:
    """Return the cells of a row under `HEAD`."""
    return (
        label(row, result),
        whole(row.average_turnaround_s),
        "" if row.standard_error_s is None else whole(row.standard_error_s),
        against(row),
        whole(row.average_wait_s),
        figure(row.average_bounded_slowdown),
        percent(row.utilization, 2),
        f"{row.overrides:,}" if row.decisions else "",
    )


def against(row: QueueRow) -> str:
    """Write a row's turnaround against the best greedy allocator's."""
    if row.against_heuristic is None:
        return "-"
    text = f"{row.against_heuristic:+.1%}".replace("%", " %")
    if row.against_error is not None:
        text += f" ± {row.against_error * 100:.1f}"
    return text
