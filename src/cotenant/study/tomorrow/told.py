"""The study of tomorrow in words: what was promised, and what each method delivered."""

from collections.abc import Sequence

from cotenant.report.charts import Chart
from cotenant.report.reliability import Delivered, reliability_chart
from cotenant.report.sections import Section, Told
from cotenant.report.words import percent
from cotenant.study.tomorrow.cells import RHOS
from cotenant.study.tomorrow.printed import DEFAULT, MEANS
from cotenant.study.tomorrow.result import LEAST, MOST, MethodRow, TomorrowStudy
from cotenant.study.tomorrow.scenarios_told import WORDS, printed, scenario, shift
from cotenant.study.tomorrow.sets import SETS

_SHOWN = ("default", "conservative", "exact", "replay")


def tell(study: TomorrowStudy) -> Told:
    """Put the study into words, tables and pictures."""
    sets = study.part("sets")
    sections = [_methods(study, rho) for rho in RHOS if sets]
    if sets:
        sections += [_default(sets), _all(sets)]
    if study.part("shift"):
        sections.append(shift(study.part("shift")))
    for part in ("growth", "newcomers"):
        if study.part(part):
            sections.append(scenario(part, study.part(part)))
    ours = [row for row in sets if row.method == "default"]
    inside = sum(row.inside for row in ours)
    worst = max((row.overload_over_rho for row in ours), default=0.0)
    return Told(
        kind="cotenant study tomorrow",
        answer=f"{inside} of {len(ours)} rows" if ours else "scenarios only",
        sentence=(
            f"the default delivers {LEAST:g} to {MOST:g} times the promise there, and "
            f"{worst:.2f} times at most on average over the days of a set"
            if ours
            else "what befalls a fleet, day by day"
        ),
        findings=_findings(study),
        sections=tuple(sections),
        absent=(),
        settings=study.settings,
        cleaning={},
    )


def _findings(study: TomorrowStudy) -> tuple[str, ...]:
    known = {(one.method, one.rho): one for one in study.summary}
    said = []
    for rho in RHOS:
        if ("default", rho) in known:
            ours, plain = known["default", rho], known["exact", rho]
            said.append(
                f"Promised {percent(rho)}, the default delivers "
                f"{ours.overload_over_rho:.2f} times that for {ours.cost * 100:+.1f} % "
                f"machines against the best fixed margin; plain exact planning "
                f"{plain.overload_over_rho:.2f} times for {plain.cost * 100:+.1f} %"
            )
    return tuple(said)


def _methods(study: TomorrowStudy, rho: float) -> Section:
    rows = [row for row in study.part("sets") if row.rho == rho]
    return Section(
        f"Methods at {percent(rho)}",
        f"means over the sets; inside are those that deliver {LEAST:g} to {MOST:g} "
        "times the promise; shares of days and machine-days above it",
        "Each day planned from those before it, first fit in the same random orders; "
        "cost is machines against the fixed margin that would just have kept the "
        "promise; before is what the design study measured. Exact: plain planning from "
        "7 days; replay: 14 days without margin; fitted divisor of rho, scale mixture "
        "and adaptive (conformal, on log rho) plan by exact",
        ("method", "inside", "over rho", "worst", "days", "m.-days", "cost", "before"),
        tuple(
            (
                WORDS[one.method],
                f"{one.inside} of {one.sets}",
                f"{one.overload_over_rho:.2f}",
                f"{one.worst:.2f}",
                percent(one.days_above_rho, 2),
                percent(one.machine_days_above_rho, 2),
                f"{one.cost * 100:+.1f} %",
                printed(MEANS[one.method][RHOS.index(rho)]),
            )
            for one in study.summary
            if one.rho == rho
        ),
        (_picture(f"sets-{rho:g}", f"Promised {percent(rho)}", rows),),
    )  # fmt: skip


def _default(rows: Sequence[MethodRow]) -> Section:
    table = []
    for name in SETS:
        for at, rho in enumerate(RHOS):
            here = {r.method: r for r in rows if r.name == name and r.rho == rho}
            row, plain = here["default"], here["exact"]
            table.append(
                (
                    f"{name}, {percent(rho)}",
                    _times(row),
                    printed(DEFAULT[name][at]),
                    f"{row.machines:.1f}",
                    f"{row.cost * 100:+.1f} %",
                    f"{plain.overload_over_rho:.2f}",
                    f"{plain.machines:.1f}",
                )
            )
    return Section(
        "The default, set by set",
        "overload over rho with its 95 % interval, what the design study measured, and "
        "plain planning beside it",
        "Capacity is the one that the design study states, or else the one at which "
        "machines come nearest to those it prints",
        ("set, promised", "default", "before", "machines", "cost", "exact", "machines"),
        tuple(table),
    )


def _all(rows: Sequence[MethodRow]) -> Section:
    return Section(
        "Every row",
        "all methods on all sets",
        "The interval resamples days; days and m.-days are shares of days and "
        "machine-days above rho; worst is the worst machine-day",
        ("set, promised, method", "over rho", "95 %", "days", "m.-days", "worst",
         "machines", "cost"),
        tuple(
            (
                f"{r.name}, {percent(r.rho)}, {r.method}",
                f"{r.overload_over_rho:.2f}",
                _interval(r),
                percent(r.days_above_rho, 2),
                percent(r.machine_days_above_rho, 2),
                percent(r.worst_machine_day, 2),
                f"{r.machines:.1f}",
                f"{r.cost * 100:+.1f} %",
            )
            for r in rows
        ),
    )  # fmt: skip


def _picture(key: str, title: str, rows: Sequence[MethodRow]) -> Chart:
    points = [
        Delivered(r.name, WORDS[r.method], r.overload_over_rho, r.low, r.high)
        for method in _SHOWN
        for name in SETS
        for r in rows
        if (r.method, r.name) == (method, name)
    ]
    return Chart(
        key,
        f"{title}, and delivered",
        "Overload on the next day over what was promised, by set and method, with 95 % "
        "intervals; right of the line the promise was broken.",
        reliability_chart(points),
    )


def _times(row: MethodRow) -> str:
    return f"{row.overload_over_rho:.2f} [{_interval(row)}]"


def _interval(row: MethodRow) -> str:
    if row.low is None or row.high is None:
        return "-"
    return f"{row.low:.2f}-{row.high:.2f}"
