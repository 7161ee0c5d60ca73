"""The study in words: printed and measured side by side, then figure by figure."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cotenant.report.sections import Section, Told
from cotenant.study.gpa.beside import Beside, beside
from cotenant.study.gpa.calibration_sections import (
    calibration_section,
    grouping_section,
)
from cotenant.study.gpa.names import change, scientific
from cotenant.study.gpa.study import GpaStudy
from cotenant.study.gpa.sweep_sections import (
    averages_section,
    base_section,
    capacities_section,
    clairvoyance_section,
    rebalancing_section,
    rules_section,
)
from cotenant.study.gpa.trace import shown
from cotenant.study.grid_result import GridResult
from cotenant.study.profile.parts import Absent
from cotenant.study.profile.shape_sections import (
    normality_section,
    percentile_section,
    shapes_section,
    stationarity_section,
)
from cotenant.study.profile.task_sections import bias_section, spread_section

if TYPE_CHECKING:
    from collections.abc import Callable

_FIGURES = {
    "bias": "Figure 1",
    "spread": "Figures 2 and 3",
    "stationarity": "Figure 4",
    "shapes": "Figure 5",
    "normality": "Table 1",
    "percentile_error": "Figure 6",
}


def tell(study: GpaStudy) -> Told:
    """Put the study into words, tables and pictures."""
    sections = [_published(study)] if study.grids or study.traces else []
    absent: list[tuple[str, str]] = []
    for pool in study.traces:
        some, missing = _trace(study, pool)
        sections += some
        absent += missing
    sections += _evaluation(study)
    absent += [
        (pool, "its files are not in the folder, or no folder was named")
        for pool in study.missing
    ]
    rows = beside(study)
    close = sum(_close(row) for row in rows)
    known = sum(row.ours.get("matched") is not None for row in rows)
    return Told(
        kind="cotenant study gpa",
        answer=f"{close} of {known} printed numbers met",
        sentence="within a tenth of the printed number or inside its range, on the "
        "matched pool; the others are shown as plainly below",
        findings=tuple(_findings(study)),
        sections=tuple(sections),
        absent=tuple(absent),
        settings=study.settings,
        cleaning={},
    )


def _close(row: Beside) -> bool:
    ours = row.ours.get("matched")
    low, high = sorted((row.printed.low, row.printed.high or row.printed.low))
    slack = 0.1 * max(abs(low), abs(high))
    return ours is not None and low - slack <= ours <= high + slack


def _published(study: GpaStudy) -> Section:
    rows = beside(study)
    pools = list(rows[0].ours)
    return Section(
        "Printed and measured",
        "The paper's pool is a sample of the Google trace of 2011, which is not at "
        "hand: matched has its published moments, the real pools are other traces "
        "scaled to the same mean",
        "Difference: matched against the printed number. q is counted, or computed by "
        "convolution where too little was counted. - where a pool cannot show it",
        ("number", "where", "paper", "matched", "difference", *pools[1:]),
        tuple(_line(row, pools) for row in rows),
    )


def _line(row: Beside, pools: list[str]) -> tuple[str, ...]:
    printed = scientific(row.printed.low)
    if row.printed.high is not None:
        printed += f" to {scientific(row.printed.high)}"
    ours = row.ours.get("matched")
    difference = "-"
    if ours is not None:
        low, high = row.printed.low, row.printed.high or row.printed.low
        inside = row.printed.high is not None and low <= ours <= high
        near = low if abs(ours - low) <= abs(ours - high) else high
        difference = "inside" if inside else change(abs(near), abs(ours))
    others = (scientific_signed(row.ours.get(pool)) for pool in pools[1:])
    return (
        row.printed.what,
        row.printed.where,
        printed if row.printed.low >= 0 else f"{row.printed.low:.3g}",
        scientific_signed(ours),
        difference,
        *others,
    )


def scientific_signed(value: float | None) -> str:
    """Write a number that may be negative."""
    return (
        f"-{scientific(-value)}"
        if value is not None and value < 0
        else scientific(value)
    )


def _trace(study: GpaStudy, pool: str) -> tuple[list[Section], list[tuple[str, str]]]:
    told = study.traces[pool]
    sections: list[Section] = []
    absent: list[tuple[str, str]] = []
    tellers: dict[str, Callable[[Any], Section]] = {
        "bias": bias_section,
        "spread": lambda part: spread_section(part, "machine fractions"),
        "stationarity": lambda part: stationarity_section(part, told["timed"]),
        "shapes": shapes_section,
        "normality": normality_section,
        "percentile_error": percentile_section,
    }
    for name, part in shown(told).items():
        title = f"{_FIGURES[name]}, {pool}"
        if isinstance(part, Absent):
            absent.append((title, part.reason))
        else:
            sections.append(_titled(tellers[name](part), title, pool))
    return sections, absent


def _titled(section: Section, title: str, pool: str) -> Section:
    charts = tuple(replace(c, key=f"{pool} {c.key}") for c in section.charts)
    heading = section.title[0].lower() + section.title[1:]
    return replace(section, title=f"{title}: {heading}", charts=charts)


def _evaluation(study: GpaStudy) -> list[Section]:
    grids = study.grids
    sections = [
        base_section(grid, pool)
        for (part, pool), grid in grids.items()
        if part == "base"
    ]
    base = grids.get(("base", "matched"))
    against = {
        "rules": rules_section,
        "averages": averages_section,
        "rebalancing": rebalancing_section,
    }
    alone = {"clairvoyance": clairvoyance_section, "capacities": capacities_section}
    for (part, pool), grid in grids.items():
        if part in against and base is not None:
            sections.append(against[part](base, grid))
        elif part in alone:
            sections.append(alone[part](grid))
        elif part == "calibration":
            sections.append(calibration_section(grid, pool))
        elif part.startswith("grouping"):
            sections.append(grouping_section(grid, pool))
    return sections


def _findings(study: GpaStudy) -> list[str]:
    said = []
    base = study.grids.get(("base", "matched"))
    if base is not None:
        said.append(_promise(base))
    if ("matched" in study.traces) and study.traces["matched"].get("stationarity"):
        said.append(
            "The samples of the matched pool are drawn independently, so it cannot "
            "show the windows that differ (printed: 30 %): the real pools, which have "
            "time, are beside it."
        )
    for (part, pool), grid in study.grids.items():
        if part == "calibration":
            said.append(_calibrated(grid, pool))
    return said


def _promise(base: GridResult) -> str:
    gpa, exact = (base.find(method, 0.001) for method in ("gaussian", "exact"))
    return (
        f"Asked for 0.1 %, GPA delivers {scientific(gpa.overload)} on "
        f"{gpa.machines:.1f} machines, exact {scientific(exact.overload)} on "
        f"{exact.machines:.1f}, both after rebalancing, which lowers overload."
    )


def _calibrated(grid: GridResult, pool: str) -> str:
    errors = [
        row.error
        for row in grid.rows
        if row.run.method == "exact"
        and (row.run.rule, row.run.order) == ("best-fit", "arrival")
        and row.error is not None
    ]
    worst = max(
        row.worst_machine / row.run.rho
        for row in grid.rows
        if row.run.method == "exact" and row.run.rho and row.worst_machine is not None
    )
    return (
        f"On {pool} exact with best fit, tasks as they come, delivers between "
        f"{1 + min(errors):.3f} and {1 + max(errors):.3f} times rho; the worst machine "
        f"of all is at {worst:.3f} rho."
    )
