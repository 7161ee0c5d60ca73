"""What the MorphoSys paper states, beside what is measured here."""

from cotenant.planning.sla.churn_results import Interval
from cotenant.report.sections import Section
from cotenant.study.morphosys.study import MorphosysStudy
from cotenant.study.morphosys.words import between, share

_SOURCE = "Ishakian and Bestavros, CCGrid 2012"
# Statement, part, strategy.
STATEMENTS = (
    ("best fit only marginally above first fit", "rates", "best-fit"),
    ("rewriting the arriving task, first fit (FF-NR): up to 20 %", "rates", "ff-nr"),
    ("the same, best fit (BF-NR): up to 20 %", "rates", "bf-nr"),
    (
        "repacking without migration (NM): about 40 %, 50 % at higher rates",
        "rates",
        "nm",
    ),
    ("constrained migration (CM): 55 to 60 %", "rates", "cm"),
    ("unconstrained migration (UM): 55 to 60 %", "rates", "um"),
    ("a small share of fluid requests alone: up to 20 %", "fluid", "ff-fluid"),
    ("fluidity beyond sigma = 2 adds little", "sigma", "ff-fluid"),
    ("fluid and rewriting combined: a few points more", "combined", "nm"),
    ("uptime classes of 99.5 to 99.9 %: gains with their share", "uptime", "ff-nr"),
)
_AXES = {
    "rates": "1, 2, 4 a minute",
    "fluid": "0 to all fluid",
    "sigma": "sigma 0, 1, 2, 3, 5",
    "combined": "0, half, all fluid",
    "uptime": "0, half, all; twice",
}


def published(study: MorphosysStudy) -> Section | None:
    """Put the paper's statements beside what is measured, None where nothing is."""
    told = []
    for statement, part, strategy in STATEMENTS:
        found = study.along(part, strategy)
        if found:
            told.append((statement, _listed(found), _AXES[part]))
    for strategy in ("response-time", "edf"):
        found = study.along("rates", strategy)
        if found:
            statement = f"not in the paper: {strategy}, nothing rewritten"
            told.append((statement, _listed(found), _AXES["rates"]))
    if not told:
        return None
    return Section(
        "Published and measured",
        "Statements of the paper beside the efficiencies measured here, in per cent "
        "with the widest 95 % half-width",
        f"Statements from {_SOURCE}. The unit of its arrival rates and its epsilon are "
        "not published; ours are requests a minute and 0.1 of a host",
        ("published", "measured, %", "along"),
        tuple(told),
    )


def worth(study: MorphosysStudy) -> Section:
    """Say what rewriting is worth on top of an exact host test."""
    names = {
        "um": "the paper's best: harmonic test, rewriting, all may move",
        "exact": "response times, the arriving task rewritten exactly",
        "exact-nm": "response times, its host rewritten with it",
        "edf": "earliest deadline first, nothing rewritten",
    }
    rates = list(dict.fromkeys(row.at for row in study.part("rates")))
    told = [
        (words, *map(share, study.along("rates", name, "over_response_time")))
        for name, words in names.items()
    ]
    added = between(study.along("rates", "exact-nm", "over_response_time"))
    return Section(
        "What rewriting is worth on top of an exact host test",
        "Points of efficiency above response times without rewriting, on the same "
        f"requests. Rewriting whole hosts adds {added} points; a host that can run "
        "earliest deadline first needs none of it",
        "Differences run by run, mean with 95 % interval",
        ("above response times as asked", *(f"{rate:g} a minute" for rate in rates)),
        tuple(told),
    )


def _listed(values: list[Interval]) -> str:
    means = ", ".join(f"{100 * value.mean:.0f}" for value in values)
    halves = [100 * (v.high - v.mean) for v in values if v.high is not None]
    return f"{means} (± {max(halves):.0f})" if halves else means
