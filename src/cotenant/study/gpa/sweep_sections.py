"""The paper's evaluation, figure by figure, as sections."""

from collections.abc import Sequence

from cotenant.report.charts import Chart
from cotenant.report.sections import Section
from cotenant.report.study_charts import Curve, Dots, curves_chart, dots_chart
from cotenant.study.gpa.beside import rebalanced
from cotenant.study.gpa.names import change, interval, scientific, spoken
from cotenant.study.grid_result import GridResult, RunRow
from cotenant.study.published import GPA

_Q = "q, overload frequency"
_PRINTED = {one.key: one for one in GPA}


def _how(grid: GridResult) -> str:
    one = grid.grid
    rebalanced_too = any(row.run.rebalance for row in grid.rows)
    return (
        f"{one.problems} problems of {one.tasks:,} tasks, {one.realisations:,} "
        f"realisations each, seed {one.seed}, "
        + ("best fit and rebalancing" if rebalanced_too else "best fit")
        + " unless said; 95 %: the Poisson interval of the count"
    )


def _printed(what: str, row: RunRow) -> float | None:
    rho = "" if row.run.rho is None else f" {row.run.rho:g}"
    one = _PRINTED.get(f"{what} {row.run.method}{rho}")
    return None if one is None else one.low


def base_section(grid: GridResult, pool: str) -> Section:
    """Figures 7 and 8: overload and machines of every method."""
    names = [spoken(row.run) for row in grid.rows]
    gpa = grid.find("gaussian", 0.001)
    charts = []
    for what, title, values in (
        ("q", _Q, [row.frequency for row in grid.rows]),
        ("machines", "machines", [row.machines for row in grid.rows]),
    ):
        series = [Dots("here", values)]
        printed = [_printed(what, row) for row in grid.rows]
        if pool == "matched":
            series.append(Dots("paper", printed))
        charts.append(
            Chart(
                f"base {what} {pool}",
                f"{title[0].upper()}{title[1:]} of each method, {pool}",
                "Marks: here, and what the paper prints, where it does."
                if pool == "matched"
                else "Scaled to the mean of the paper's pool.",
                dots_chart(names, series, title, what == "q"),
            )
        )
    return Section(
        f"Figures 7 and 8, {pool}: the base case",
        f"GPA 0.001 opens {gpa.machines:.1f} machines and exceeds them "
        f"{scientific(gpa.overload)} of the time",
        _how(grid) + "; computed: by convolution, on the pool's own distributions",
        ("method", "machines", "norm.", "q counted", "95 %", "computed",
         "worst", "paper: machines", "paper: q"),
        tuple(
            (
                spoken(row.run),
                f"{row.machines:.1f}",
                "-" if row.normalized is None else f"{row.normalized:.3f}",
                scientific(row.overload),
                interval(row),
                scientific(row.exact),
                scientific(row.worst_machine),
                _or_dash(_printed("machines", row)) if pool == "matched" else "-",
                scientific(_printed("q", row)) if pool == "matched" else "-",
            )
            for row in grid.rows
        ),
        tuple(charts),
    )  # fmt: skip


def _or_dash(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def rules_section(base: GridResult, first: GridResult) -> Section:
    """First fit against best fit."""
    pairs = [(base.find(row.run.method, row.run.rho), row) for row in first.rows]
    apart = max(abs(one.machines - two.machines) for one, two in pairs)
    return Section(
        "Figure 9: first fit against best fit",
        f"Numbers of machines differ by {apart:.2f} on average at most; the paper "
        "prints 1 at most, and less than 1 % of q",
        _how(first) + "; differences of computed q",
        ("method", "machines best fit", "first fit", "q best fit", "first fit",
         "difference"),
        tuple(
            (
                spoken(one.run),
                f"{one.machines:.2f}",
                f"{two.machines:.2f}",
                scientific(one.frequency),
                scientific(two.frequency),
                _change(one, two),
            )
            for one, two in pairs
        ),
    )  # fmt: skip


def _change(one: RunRow, two: RunRow) -> str:
    if one.exact is None or two.exact is None or one.exact < 1e-12:
        return "-"
    return change(one.exact, two.exact)


def averages_section(base: GridResult, seen: GridResult) -> Section:
    """Figure 10: what packing by interval averages costs."""
    pairs = [(base.find(row.run.method, row.run.rho), row) for row in seen.rows]
    names = [spoken(one.run) for one, _ in pairs]
    one, two = (grid.find("cantelli:1") for grid in (base, seen))
    series = [
        Dots("instantaneous samples", [first.frequency for first, _ in pairs]),
        Dots("averages", [second.frequency for _, second in pairs]),
    ]
    return Section(
        "Figure 10: averages instead of instantaneous samples",
        f"Cantelli 1 on averages is exceeded {change(one.frequency, two.frequency)} "
        "often; the paper prints about 10 times, and 2 to 3 times for GPA",
        _how(seen) + "; packing sees averages, instantaneous usage judges",
        ("method", "machines samples", "averages", "q samples", "averages", "change"),
        tuple(
            (
                spoken(first.run),
                f"{first.machines:.1f}",
                f"{second.machines:.1f}",
                scientific(first.frequency),
                scientific(second.frequency),
                _change(first, second),
            )
            for first, second in pairs
        ),
        (
            Chart(
                "averages",
                "Overload when packing sees averages",
                "Every method is exceeded more often.",
                dots_chart(names, series, _Q, True),
            ),
        ),
    )


def clairvoyance_section(grid: GridResult) -> Section:
    """Figure 11: how much has to be observed."""
    levels = list(dict.fromkeys(row.run.clairvoyance for row in grid.rows))
    methods = list(dict.fromkeys((r.run.method, r.run.rho) for r in grid.rows))
    places = [f"{grid.grid.realisations * level:,.0f}" for level in levels]
    table, curves = [], []
    for method, rho in methods:
        rows = [grid.find(method, rho, clairvoyance=level) for level in levels]
        name = spoken(rows[0].run)
        table.append((name, *(scientific(row.overload) for row in rows)))
        table.append((f"{name}: machines", *(f"{row.machines:.1f}" for row in rows)))
        if (method, rho) in _DRAWN:
            curves.append(Curve(name, places, [row.overload for row in rows]))
    few, all_seen = (
        grid.find("gaussian", 0.001, clairvoyance=level).overload
        for level in (0.01, 1.0)
    )
    return Section(
        "Figure 11: how much has to be observed",
        f"GPA 0.001 decided on {places[1]} of {grid.grid.realisations:,} realisations "
        f"gives {scientific(few)}, on all of them {scientific(all_seen)}; the paper "
        "finds 100 to be enough",
        _how(grid) + "; the first realisations decide, the others judge, with 1 all do "
        "both",
        ("method", *(f"{level:g} seen" for level in levels)),
        tuple(table),
        (
            Chart(
                "clairvoyance",
                "Overload by how many realisations were observed",
                "Judged on what packing has not seen.",
                curves_chart(curves, "realisations observed", _Q),
            ),
        ),
    )


_DRAWN = [
    ("gaussian", 0.001),
    ("exact", 0.001),
    ("welch", 0.001),
    ("gaussian", 0.01),
    ("percentile:90", None),
    ("cantelli:1", None),
]


def capacities_section(grid: GridResult) -> Section:
    """Figure 12: machines of other sizes."""
    own = [row for row in grid.rows if row.run.data == "instantaneous"]
    sizes = list(dict.fromkeys(row.run.capacity for row in own))
    kinds = list(dict.fromkeys((r.run.method, r.run.rho, r.run.rebalance) for r in own))
    table, curves = [], []
    for method, rho, rebalance in kinds:
        wanted = {"rebalance": rebalance, "data": "instantaneous"}
        rows = [grid.find(method, rho, capacity=size, **wanted) for size in sizes]
        name = spoken(rows[0].run) + ("" if rebalance else ", not rebalanced")
        values = [row.frequency for row in rows]
        table.append((name, *map(scientific, values)))
        if rebalance:
            curves.append(Curve(name, [f"{size:g}" for size in sizes], values))
    largest = [row for row in grid.rows if row.run.data == "averages"]
    said = "; ".join(
        f"{scientific(row.frequency)} on machines of {row.run.capacity:g}"
        for row in largest
    )
    return Section(
        "Figure 12: machines of other sizes",
        "A factor on the mean that suits one size does not suit another, GPA keeps "
        f"its order of magnitude; sizing by largest averages gives {said} (paper: "
        "3e-7 on 0.8, 5e-5 on 1)",
        _how(grid) + "; large machines gain from rebalancing, since one of few is "
        "nearly empty",
        ("method", *(f"capacity {size:g}" for size in sizes)),
        tuple(table),
        (
            Chart(
                "capacities",
                "Overload by the size of machines",
                "With rebalancing. Where nothing could be counted or computed, the "
                "mark stands at 1e-9.",
                curves_chart(curves, "capacity of a machine", _Q),
            ),
        ),
    )


def rebalancing_section(base: GridResult, plain: GridResult) -> Section:
    """Figure 13: what rebalancing changes; percentiles and zero q left out."""
    kept = [
        row
        for row in base.rows
        if not row.run.method.startswith("percentile")
        and row.overload > 0
        and _has(plain, row)
    ]
    changes = [rebalanced(base, plain, row) for row in kept]
    names = [spoken(row.run) for row in kept]
    known = [one for one in changes if one is not None]
    series = [
        Dots("without", _frequencies(plain, kept)),
        Dots("rebalanced", [row.frequency for row in kept]),
    ]
    return Section(
        "Figure 13: rebalancing",
        f"Filling the last machine changes q by {min(known) * 100:+.1f} to "
        f"{max(known) * 100:+.1f} %; the paper prints about -7 %",
        _how(base) + "; percentiles and methods that were never exceeded left out",
        ("method", "q without", "rebalanced", "change"),
        tuple(
            (
                name,
                scientific(before),
                scientific(row.frequency),
                "-" if one is None else f"{one * 100:+.1f} %",
            )
            for name, before, row, one in zip(
                names, series[0].values, kept, changes, strict=True
            )
        ),
        (
            Chart(
                "rebalancing",
                "Overload with and without rebalancing",
                "The same problems, one by one.",
                dots_chart(names, series, _Q, True),
            ),
        ),
    )


def _has(grid: GridResult, row: RunRow) -> bool:
    wanted = (row.run.method, row.run.rho)
    return any((one.run.method, one.run.rho) == wanted for one in grid.rows)


def _frequencies(grid: GridResult, rows: Sequence[RunRow]) -> list[float]:
    return [grid.find(row.run.method, row.run.rho).frequency for row in rows]
