"""Beyond the paper: is rho delivered, and what do groups of like tasks save?"""

from cotenant.report.charts import Chart
from cotenant.report.sections import Section
from cotenant.report.study_charts import Curve, curves_chart
from cotenant.study.gpa.names import spoken
from cotenant.study.grid_result import GridResult, RunRow


def calibration_section(grid: GridResult, pool: str) -> Section:
    """Tell computed overload over rho, and the worst machine over rho."""
    kinds = list(
        dict.fromkeys((r.run.method, r.run.rule, r.run.order) for r in grid.rows)
    )
    rhos = list(dict.fromkeys(r.run.rho for r in grid.rows if r.run.rho is not None))
    table, curves = [], []
    for method, rule, order in kinds:
        rows = [grid.find(method, rho, rule=rule, order=order) for rho in rhos]
        sorted_by = "" if order == "arrival" else f", {order} first"
        name = f"{method}, {rule}{sorted_by}"
        table.append((name, *map(_error, rows)))
        table.append((f"{name}: machines", *(f"{row.machines:.1f}" for row in rows)))
        ratios = [1.0 + (row.error or 0.0) for row in rows]
        curves.append(Curve(name, [f"{rho:g}" for rho in rhos], ratios))
    methods = list(dict.fromkeys(method for method, *_ in kinds))
    above = ", ".join(f"{method} {_above(grid, method):,}" for method in methods)
    return Section(
        f"Calibration, {pool}",
        f"Machines above rho, over all problems and rho: {above}",
        f"{grid.grid.problems} problems of {grid.grid.tasks:,} tasks, distributions "
        "known, no rebalancing; (q - rho) / rho by convolution, in brackets the worst "
        "machine of all over rho",
        ("method", *(f"rho {rho:g}" for rho in rhos)),
        tuple(table),
        (
            Chart(
                f"calibration {pool}",
                f"Delivered overload over rho, {pool}",
                "1 is what was asked for; below is room left, above a promise broken.",
                curves_chart(curves, "rho", "q / rho"),
            ),
        ),
    )


def _above(grid: GridResult, method: str) -> int:
    rows = (row for row in grid.rows if row.run.method == method)
    return sum(row.machines_above_rho or 0 for row in rows)


def _error(row: RunRow) -> str:
    if row.error is None or row.worst_machine is None or row.run.rho is None:
        return "-"
    return f"{row.error * 100:+.1f} % ({row.worst_machine / row.run.rho:.2f})"


def grouping_section(grid: GridResult, pool: str) -> Section:
    """Tell how many machines like tasks together save, at the same rho a machine."""
    plain = next(r for r in grid.rows if r.run.groups == 1 and r.run.order == "arrival")
    best = min(grid.rows, key=lambda r: r.machines)
    saved = 1.0 - best.machines / plain.machines
    return Section(
        f"{grid.grid.title}, {pool}",
        f"The best arrangement saves {saved * 100:.1f} % of the machines, all of them "
        "within rho",
        f"{grid.grid.problems} problems of {grid.grid.tasks:,} tasks, "
        f"{spoken(plain.run)}, distributions known, best fit",
        ("arrangement", "machines", "saved", "worst machine over rho"),
        tuple(
            (
                _arrangement(row),
                f"{row.machines:.1f}",
                f"{(1 - row.machines / plain.machines) * 100:.1f} %",
                "-"
                if row.worst_machine is None or row.run.rho is None
                else f"{row.worst_machine / row.run.rho:.3f}",
            )
            for row in grid.rows
        ),
    )


def _arrangement(row: RunRow) -> str:
    if row.run.groups > 1:
        return f"{row.run.groups} groups"
    return "as they come" if row.run.order == "arrival" else f"{row.run.order} first"
