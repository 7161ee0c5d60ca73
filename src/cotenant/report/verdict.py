"""What to think of a method beside another, in one short phrase."""

import math
from collections.abc import Sequence

from cotenant.planning.results import Comparison, Plan, Row
from cotenant.report.words import counted, figure, percent, visible

_PROMISING = frozenset({"exact", "gaussian", "cumulants", "esscher", "cantelli"})
_NOTICEABLE = 1.05


def with_own_row(plan: Plan) -> list[Row]:
    """Return the comparison of a plan, the plan itself first."""
    own = Row(
        method=str(plan.settings["method"]),
        rule=str(plan.settings["rule"]),
        machines=int(plan.summary["machines"]),
        normalized_machines=plan.summary.get("normalized_machines"),
        overload_mean=plan.overload.mean,
        worst_machine=plan.overload.worst_machine,
        machines_above_rho=plan.overload.machines_above_rho,
        unplaced=len(plan.unplaced),
        seconds=0.0,
    )
    others = (
        r for r in plan.comparison if (r.method, r.rule) != (own.method, own.rule)
    )
    return [own, *others]


def reference_of(comparison: Comparison) -> Row | None:
    """Pick the row with the fewest machines that keeps the promise for most tasks."""
    if not comparison.rows:
        return None
    least = min(row.unplaced for row in comparison.rows)
    kept = [r for r in comparison.rows if keeps(r) and r.unplaced == least]
    return min(kept, key=lambda row: row.machines, default=None)


def knows(row: Row) -> bool:
    """Tell whether the overload of a row could be judged."""
    return math.isfinite(row.overload_mean)


def keeps(row: Row) -> bool:
    """Tell whether no machine of a row is above the promise."""
    return knows(row) and row.machines_above_rho == 0


def phrase(row: Row, reference: Row | None, rho: float) -> str:
    """Judge a row beside the reference; empty for a reference that keeps its word."""
    if reference is not None and row.unplaced != reference.unplaced:
        left = counted(row.unplaced, "task") if row.unplaced else "no task"
        return f"leaves {left} unplaced, so its machines do not compare"
    if knows(row) and not keeps(row):
        return _broken(row, rho)
    if reference is None or row is reference:
        return ""
    return _difference(row, reference)


def _broken(row: Row, rho: float) -> str:
    accepted, times = percent(rho), row.overload_mean / rho
    if times < _NOTICEABLE:
        above = counted(row.machines_above_rho, "machine")
        return f"{above} above {accepted}, up to {percent(row.worst_machine)}"
    if row.method in _PROMISING:
        return f"promises {accepted}, breaks it {figure(times, 2)} times over"
    return f"{figure(times, 2)} times the accepted {accepted}"


def _difference(row: Row, reference: Row) -> str:
    more = row.machines - reference.machines
    doubt = "" if knows(row) else ", overload not known"
    if more == 0:
        return f"the same number of machines{doubt}"
    if more < 0:
        return f"{counted(-more, 'machine')} fewer{doubt}"
    needed = " than needed" if keeps(reference) else ""
    return f"{counted(more, 'machine')} more{needed}"


def labels(rows: Sequence[Row], own: Row | None = None) -> list[str]:
    """Name each row for people; the rule is named where rows differ in it."""
    several = len({row.rule for row in rows}) > 1
    return [
        method_name(row.method)
        + (f", {visible(row.rule).replace('-', ' ')}" if several else "")
        + (" (yours)" if row is own else "")
        for row in rows
    ]


def method_name(method: str) -> str:
    """Return a method as a person would say it.

    >>> method_name("percentile:95"), method_name("max"), method_name("exact")
    ('95th percentiles', 'peak of each task', 'exact')
    """
    name, _, value = method.partition(":")
    spoken = {
        "percentile": f"{visible(value)}{_ordinal(value)} percentiles",
        "mean": f"{visible(value)} × mean",
        "cantelli": f"mean + {visible(value)} deviations",
    }
    if value and name in spoken:
        return spoken[name]
    return "peak of each task" if method == "max" else visible(method)


def _ordinal(number: str) -> str:
    if number[-2:] in {"11", "12", "13"} or "." in number:
        return "th"
    return {"1": "st", "2": "nd", "3": "rd"}.get(number[-1:], "th")
