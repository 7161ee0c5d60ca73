"""The scenarios of the study of tomorrow in words and tables."""

from collections.abc import Mapping, Sequence

from cotenant.report.sections import Section
from cotenant.report.words import percent
from cotenant.study.tomorrow.cells import FEW, RHOS, SCENARIO_SET, SHIFT_DAY
from cotenant.study.tomorrow.printed import SCENARIOS, SHIFT_FIRST, SHIFT_SECOND
from cotenant.study.tomorrow.result import MethodRow
from cotenant.study.tomorrow.sets import SETS

WORDS = {
    "exact": "exact",
    "replay": "replay",
    "divisor": "fitted divisor",
    "mixture": "scale mixture",
    "adaptive": "adaptive",
    "fitted": "no correction",
    "conservative": "conservative",
    "default": "default",
}


def shift(rows: Sequence[MethodRow]) -> Section:
    """Tell the first day of a shift, the second, and the mean."""
    first = SHIFT_DAY - SETS[SCENARIO_SET].burn_in
    table = []
    for method in FEW:
        own = [
            next(r for r in rows if (r.method, r.rho) == (method, rho)) for rho in RHOS
        ]
        for what, ours, before in (
            ("first day", [r.by_day[first] for r in own], SHIFT_FIRST),
            ("second day", [r.by_day[first + 1] for r in own], SHIFT_SECOND),
            ("mean", [r.overload_over_rho for r in own], SCENARIOS["shift"]),
        ):
            table.append((f"{WORDS[method]}, {what}", *_beside(ours, before, method)))
    return Section(
        "A level that shifts",
        "30 % of the tasks use 1.5 times as much from one day on; who plans from the "
        "past cannot know it on the first day",
        f"On {SCENARIO_SET}, plans made anew each day",
        _across("day"),
        tuple(table),
    )


def scenario(part: str, rows: Sequence[MethodRow]) -> Section:
    """Tell the mean over days of another scenario."""
    title, sentence, method = _SCENARIOS[part]
    table = []
    for name in FEW:
        own = [
            next(r for r in rows if (r.method, r.rho) == (name, rho)) for rho in RHOS
        ]
        ours = [r.overload_over_rho for r in own]
        table.append((WORDS[name], *_beside(ours, SCENARIOS[part], name)))
    return Section(title, sentence, method, _across("method"), tuple(table))


_SCENARIOS = {
    "growth": (
        "Steady growth",
        "every task uses 2 % more each day",
        f"On {SCENARIO_SET}, mean over days",
    ),
    "newcomers": (
        "Tasks that come and go",
        "10 % of the tasks end each night and as many begin without history",
        f"On {SCENARIO_SET}, mean over days; newcomers have the usage of a donor in "
        "plan and backtest. The design study drew other newcomers each day, and "
        "divided capacity by the margin instead of keeping headroom",
    ),
}


def _across(first: str) -> tuple[str, ...]:
    pairs = [(percent(rho), f"before, {percent(rho)}") for rho in RHOS]
    return (first, *(name for pair in pairs for name in pair))


def _beside(
    ours: Sequence[float], before: Mapping[str, Sequence[float]], method: str
) -> list[str]:
    theirs = before.get(method, [None] * len(ours))
    pairs = zip(ours, theirs, strict=True)
    return [text for a, b in pairs for text in (f"{a:.2f}", printed(b))]


def printed(value: float | None) -> str:
    """Return a number of the design study, or that there is none."""
    return "-" if value is None else f"{value:.2f}"
