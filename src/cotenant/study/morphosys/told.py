"""The MorphoSys study in words: published and measured side by side."""

from collections.abc import Sequence

from cotenant.planning.sla.churn_results import Interval
from cotenant.report.sections import Section, Told
from cotenant.report.words import figure
from cotenant.study.morphosys.study import MorphosysStudy, PointRow

_SOURCE = "Ishakian and Bestavros, CCGrid 2012"
_METHOD = (
    "Eight public titles in place of 30 HD streams, looped or cut to one hour and "
    "scaled to the mean rate of the one HD trace; three group lengths (400, 480, 533 "
    "ms), theta 1 to 10, one hour measured after one to warm up"
)
_TITLES = {
    "rates": ("Strategies over the arrival rate", "requests a minute"),
    "fluid": ("Fluid requests, two a minute", "share of fluid requests"),
    "sigma": ("How fluid, two requests a minute, half of them fluid", "sigma"),
    "combined": ("Fluid requests and rewriting, one request a minute", "share"),
    "uptime": ("Uptime classes", "share that asks for an uptime"),
    "scale": ("Rewrites tried for an arrival", "tasks"),
}
_SENTENCES = {
    "rates": "Efficiency by strategy; response-time and edf rewrite nothing",
    "fluid": "Efficiency with the share of fluid requests",
    "sigma": "Efficiency with the number of groups a period may differ",
    "combined": "Rewriting on top of fluid requests",
    "uptime": "Misses are floor((1 - uptime) window), which is 0 for most periods",
    "scale": "The paper's k, in the last tenth of so many tasks that stay",
}


def tell(study: MorphosysStudy) -> Told:
    """Put the study into words and tables."""
    sections = [_published(study)] if study.part("rates") else []
    parts = [name for name in _TITLES if study.part(name)]
    sections += [_section(study, part) for part in parts]
    return Told(
        kind="cotenant study morphosys",
        answer=f"{len(study.rows)} measurements",
        sentence="the MorphoSys framework on public video traces, with exact baselines",
        findings=_findings(study),
        sections=tuple(sections),
        absent=(),
        settings=study.settings,
        cleaning={},
    )


def _published(study: MorphosysStudy) -> Section:
    rates = {
        "Best fit only marginally above first fit": ("rates", "best-fit"),
        "Rewriting the arriving task (FF-NR): up to 20 %": ("rates", "ff-nr"),
        "The same by best fit (BF-NR): up to 20 %": ("rates", "bf-nr"),
        "Repacking without migration (NM): about 40 % at low, 50 % at higher rates": (
            "rates",
            "nm",
        ),
        "Constrained migration (CM): 55 to 60 %": ("rates", "cm"),
        "Unconstrained migration (UM): 55 to 60 %": ("rates", "um"),
        "A small share of fluid requests alone: up to 20 %": ("fluid", "ff-nr"),
        "Fluidity beyond sigma = 2 adds little": ("sigma", "ff-nr"),
    }
    told: list[tuple[str, ...]] = []
    for statement, where in rates.items():
        found = study.efficiencies(*where)
        if found:
            told.append((statement, _SOURCE, _along(found)))
    for name in ("response-time", "edf"):
        found = study.efficiencies("rates", name)
        plain = f"Not in the paper: {name} without rewriting"
        told.append((plain, "-", _along(found)))
    return Section(
        "Published and measured",
        "Efficiency over Liu-Layland first fit, along the axis of each figure",
        "The unit of the paper's rates and its epsilon are not published; ours are "
        "requests a minute and 0.1 of a host",
        ("statement", "source", "measured here"),
        tuple(told),
    )


def _section(study: MorphosysStudy, part: str) -> Section:
    title, axis = _TITLES[part]
    rows = study.part(part)
    names = list(dict.fromkeys(row.strategy for row in rows))
    points = list(dict.fromkeys((row.at, row.load) for row in rows))
    table: tuple[tuple[str, ...], ...]
    if part == "scale":
        table = tuple(
            (f"{row.at:,.0f}", figure(row.machines), figure(row.rewrites_per_arrival))
            for row in rows
        )
        columns: tuple[str, ...] = (axis, "hosts", "tried")
    else:
        table = tuple(
            (figure(at) + _extra(part, load), *_cells(rows, at, load, names))
            for at, load in points
        )
        columns = (axis, *names)
    return Section(title, _SENTENCES[part], _METHOD, columns, table)


def _cells(
    rows: Sequence[PointRow], at: float, load: str, names: Sequence[str]
) -> list[str]:
    found = {r.strategy: r for r in rows if (r.at, r.load) == (at, load)}
    return [_share(found[name].efficiency) if name in found else "-" for name in names]


def _extra(part: str, load: str) -> str:
    return f" ({load.split(',')[0]})" if part == "uptime" else ""


def _share(value: Interval | None) -> str:
    if value is None:
        return "-"
    if value.high is None:
        return f"{100 * value.mean:.0f} %"
    return f"{100 * value.mean:.0f} ± {100 * (value.high - value.mean):.0f} %"


def _along(values: Sequence[float]) -> str:
    return ", ".join(f"{100 * value:.0f}" for value in values) + " %"


def _findings(study: MorphosysStudy) -> tuple[str, ...]:
    said = []
    plain = study.efficiencies("rates", "response-time")
    own = study.efficiencies("rates", "exact")
    if plain and own:
        more = [100 * (a - b) for a, b in zip(own, plain, strict=True)]
        said.append(
            "On top of response times, rewriting the arriving task exactly adds "
            + ", ".join(f"{value:.0f}" for value in more)
            + " points along the rates"
        )
    with_uptime = [row for row in study.part("uptime") if row.strategy == "exact"]
    if with_uptime:
        found = _along(study.efficiencies("uptime", "exact"))
        said.append(f"Whatever the uptime class and its share: {found}")
    return tuple(said)
