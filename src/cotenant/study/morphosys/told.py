"""The MorphoSys study in words: published and measured side by side."""

from collections import defaultdict

from cotenant.report.sections import Section, Told
from cotenant.report.words import figure
from cotenant.study.morphosys.drawn import chart_of
from cotenant.study.morphosys.published import published, worth
from cotenant.study.morphosys.study import MorphosysStudy, PointRow
from cotenant.study.morphosys.words import (
    PARTS_TOLD,
    SERIES,
    along,
    between,
    label,
    share,
)


def tell(study: MorphosysStudy) -> Told:
    """Put the study into words, tables and pictures."""
    beside = published(study)
    sections = [] if beside is None else [beside]
    sections += [worth(study)] if study.part("rates") else []
    parts = [name for name in PARTS_TOLD if study.part(name)]
    sections += [_section(study, part) for part in parts]
    return Told(
        kind="cotenant study morphosys",
        answer="The MorphoSys framework on public video traces",
        sentence="efficiency is the share of the capacity wasted by Liu-Layland first "
        "fit that a strategy saves, under arrivals and departures; means over "
        "independent runs with 95 % intervals",
        findings=_findings(study),
        sections=tuple(sections),
        absent=(),
        settings=study.settings,
        cleaning={},
    )


def _section(study: MorphosysStudy, part: str) -> Section:
    told = PARTS_TOLD[part]
    rows = study.part(part)
    if part == "scale":
        return _scale(rows)
    names = list(dict.fromkeys(row.strategy for row in rows))[1:]
    points = list(dict.fromkeys((row.at, row.load) for row in rows))
    table: list[tuple[str, ...]] = []
    for at, load in points:
        own = {r.strategy: r for r in rows if (r.at, r.load) == (at, load)}
        shares = [share(own[name].efficiency) for name in names]
        some = next(iter(own.values()))
        table.append((label(part, some), str(some.replicas), *shares))
    columns = (told.axis, "runs", *names)
    if part in SERIES:
        heads = [f"{row[0]} {SERIES[part]}" for row in table]
        table = list(zip(columns, *table, strict=True))[1:]
        columns = ("strategy", *heads)
    drawn = (chart_of(part, rows),)
    return Section(told.title, told.sentence, told.method, columns, tuple(table), drawn)


def _scale(rows: list[PointRow]) -> Section:
    told = PARTS_TOLD["scale"]
    table = tuple(
        (f"{row.at:,.0f}", f"{row.machines:,.0f}", figure(row.rewrites_per_arrival))
        for row in rows
    )
    columns = (told.axis, "hosts", "rewrites tried")
    return Section(told.title, told.sentence, told.method, columns, table)


def _findings(study: MorphosysStudy) -> tuple[str, ...]:
    said = []
    if study.part("rates"):
        plain, edf, um = (
            along(study.along("rates", name)) for name in ("response-time", "edf", "um")
        )
        said.append(
            "An exact host test without any rewriting saves "
            f"{plain} by response times and {edf} by earliest deadline first, over "
            f"rising arrival rates; all of the paper's rewriting with unconstrained "
            f"migration saves {um}"
        )
        arriving, host = (
            between(study.along("rates", name, "over_response_time"))
            for name in ("exact", "exact-nm")
        )
        said.append(
            "On top of response times, rewriting the arriving task exactly is worth "
            f"{arriving} points, rewriting its host with it {host}"
        )
        best = between(study.along("rates", "best-fit"))
        said.append(f"Best fit stands {best} points above first fit")
    if study.part("combined"):
        ends = [along(study.along("combined", n)) for n in ("nm", "exact-nm")]
        said.append(
            "Fluid requests pay where whole hosts are repacked: with none, half and "
            f"all of them fluid {ends[0]} by the paper's means, {ends[1]} by response "
            "times"
        )
    if study.part("uptime"):
        said.append(_on_uptime(study.part("uptime")))
    return tuple(said)


def _on_uptime(rows: list[PointRow]) -> str:
    machines: dict[str, set[float]] = defaultdict(set)
    for row in rows:
        machines[row.strategy].add(row.machines)
    if all(len(found) == 1 for found in machines.values()):
        return (
            "Uptime classes of 99.5 and 99.9 % allow no sound reduction: no placement "
            "changed, whatever their share"
        )
    most = max(max(found) - min(found) for found in machines.values())
    return f"Uptime classes change the machines in use by {most:.2f} at most"
