"""The look-ahead study in words: published and measured side by side."""

from collections.abc import Sequence

from cotenant.report.sections import Section, Told
from cotenant.report.words import counted, figure, percent
from cotenant.study.look_ahead import (
    CaseRow,
    LookAheadStudy,
    statements,
)

_GROWS = "°"


def tell(study: LookAheadStudy) -> Told:
    """Put the study into words and tables."""
    summary = study.summary
    sections = []
    published = statements(study)
    if published:
        sections.append(
            Section(
                "Published and measured",
                "What the papers print is what their abstracts say; their full tables "
                "are not at hand, and the method is a reconstruction",
                "First come first served, exact run times, averages over all jobs",
                ("statement", "source", "measured here"),
                tuple((s.statement, s.source, s.measured) for s in published),
            )
        )
    tellers = {
        "headline": _headline,
        "table": _table,
        "shaken": _shaken,
        "estimates": _estimates,
    }
    for part, teller in tellers.items():
        if study.part(part):
            sections.append(teller(study))
    answer, sentence = counted(len(study.rows), "case"), "look-ahead, part by part"
    if "table" in summary:
        table = summary["table"]
        answer = f"{table['tla']['better_than_both']} of {table['cells']} cells"
        sentence = (
            "the paper's method beats both greedy allocators there; look-ahead as it "
            f"is here by default does in {table['look-ahead']['better_than_both']}"
        )
    return Told(
        kind="cotenant study look-ahead",
        answer=answer,
        sentence=sentence,
        findings=_findings(study),
        sections=tuple(sections),
        absent=(),
        settings=study.settings,
        cleaning={},
    )


def _findings(study: LookAheadStudy) -> tuple[str, ...]:
    said = []
    for estimates in ("exact", "user", "last-two"):
        some = [r for r in study.part("shaken") if r.estimates == estimates]
        if some:
            lost = [_case(r) for r in some if r.loses("look-ahead") or r.loses_to_tla]
            many = counted(len(some), "case")
            what = f"loses in {', '.join(lost)}" if lost else "loses nowhere"
            said.append(
                f"With {estimates} run times, by two standard errors over shaken "
                f"replicas of {many}, look-ahead {what}"
            )
    return tuple(said)


def _headline(study: LookAheadStudy) -> Section:
    rows = study.part("headline")
    return Section(
        "The configuration that reaches the headline",
        "A search over systems selected it: it is the largest gain found, not a "
        "typical one, and greedy allocators are past their stable region there",
        "lublin256 on 256@1, 128@8, 256@1, 120@4, 128@2, offered load 0.38",
        ("runs", "best fit", "fastest first", "tla", "look-ahead", "tla over better",
         "tla over worse", "look-ahead over better"),
        tuple(
            (
                "as it stands" if row.replicas == 1 else f"{row.replicas} shaken",
                *_averages(row),
                _gain(row, "tla"),
                percent(row.gain_over_worse["tla"]),
                _gain(row, "look-ahead"),
            )
            for row in rows
        ),
    )  # fmt: skip


def _table(study: LookAheadStudy) -> Section:
    rows = study.part("table")
    tla, ours = (study.summary["table"][n] for n in ("tla", "look-ahead"))
    return Section(
        "Logs, systems and loads",
        f"tla is worse than the better greedy allocator by more than 1 % in "
        f"{tla['worse_than_better_by_1_percent']} cells, look-ahead in "
        f"{ours['worse_than_better_by_1_percent']}; on average they gain "
        f"{percent(tla['mean_gain'], 2)} and {percent(ours['mean_gain'], 2)}",
        "Single runs, so each cell may be an accident of its log; "
        f"{_GROWS} marks cells where the better greedy allocator is not stable, where "
        "gains grow with the length of the log",
        ("log, system, load", "best fit", "fastest first", "tla", "look-ahead",
         "tla gains", "look-ahead gains"),
        _rows(rows),
    )  # fmt: skip


def _shaken(study: LookAheadStudy) -> Section:
    rows = study.part("shaken")
    return Section(
        "Shaken replicas",
        "Means over replicas with every submission moved by up to 30 s; losses stand "
        "beside gains",
        "Gain over the better greedy allocator, and of look-ahead over tla, with the "
        "standard error of the paired difference. nasa and lublin256 have no requests, "
        "so there user means exact, and lublin256 has no users to predict by either",
        ("log, system, load, run times", "best fit", "fastest first", "tla",
         "look-ahead", "tla gains", "look-ahead gains", "over tla"),
        tuple(
            (
                f"{_case(row)}, {row.estimates}",
                *_averages(row),
                _gain(row, "tla"),
                _gain(row, "look-ahead"),
                _signed(row.over_tla, row.over_tla_error),
            )
            for row in rows
        ),
    )  # fmt: skip


def _estimates(study: LookAheadStudy) -> Section:
    rows = study.part("estimates")
    return Section(
        "What estimates do",
        "Look-ahead by what is believed of run times, while jobs run for what they do; "
        "greedy allocators believe nothing",
        "Single runs, first come first served",
        ("log, system, load", "run times", "best fit", "fastest first", "tla",
         "look-ahead"),
        tuple((_case(row), row.estimates, *_averages(row)) for row in rows),
    )  # fmt: skip


def _rows(rows: Sequence[CaseRow]) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            _case(row) + ("" if row.stable else f" {_GROWS}"),
            *_averages(row),
            _gain(row, "tla"),
            _gain(row, "look-ahead"),
        )
        for row in rows
    )


def _case(row: CaseRow) -> str:
    return f"{row.log} {row.system} {figure(row.load)}"


def _averages(row: CaseRow) -> tuple[str, ...]:
    names = ("best-fit", "fastest-first", "tla", "look-ahead")
    return tuple(f"{row.average_turnaround_s[name]:,.0f}" for name in names)


def _gain(row: CaseRow, name: str) -> str:
    return _signed(row.gain[name], row.gain_error.get(name))


def _signed(gain: float, error: float | None) -> str:
    text = f"{gain * 100:+.1f}"
    return f"{text} %" if error is None else f"{text} ± {error * 100:.1f} %"
