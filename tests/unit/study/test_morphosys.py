"""The MorphoSys study: which cells there are, and how results are told."""

import json

import pytest

from cotenant.planning.sla.churn_results import Interval
from cotenant.study.morphosys import study
from cotenant.study.morphosys.cells import PARTS, Cell, cells_of, policy_of
from cotenant.study.morphosys.study import MorphosysStudy, PointRow, study_morphosys
from cotenant.study.morphosys.told import tell


def point(
    part: str, strategy: str, mean: float, at: float = 1.0, machines: float = 7.0
) -> PointRow:
    found = Interval(mean, mean - 0.02, mean + 0.02)
    load = "uptime 0.995, uptime share 1" if part == "uptime" else "as usual"
    return PointRow(part, at, load, strategy, 5, found, found, found, machines, 1.5)


def rates() -> list[PointRow]:
    names = ("first-fit", "best-fit", "nm", "um", "response-time", "edf", "exact")
    return [
        point("rates", name, 0.1 * number)
        for number, name in enumerate((*names, "exact-nm"))
    ]


def test_every_point_has_its_replicas_and_every_cell_its_text() -> None:
    cells = list(cells_of(PARTS, "folder", 3))
    assert len({cell.text() for cell in cells}) == len(cells)
    for part in PARTS:
        own = [cell for cell in cells if cell.part == part]
        assert max(cell.replica for cell in own) == (0 if part == "scale" else 2)
        assert all(policy_of(name) for cell in own for name in cell.strategies)


def test_epsilons_differ_in_nothing_else() -> None:
    wide, narrow = policy_of("cm 0.3"), policy_of("cm 0")
    assert (wide.epsilon, narrow.epsilon) == (0.3, 0.0)
    assert policy_of("cm 0.1") == policy_of("cm")


def test_efficiencies_compare_runs_of_the_same_requests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(text: str) -> dict[str, dict[str, float]]:
        cell = Cell(**json.loads(text))
        wasted = {"first-fit": 4.0 + cell.replica, "response-time": 2.0, "edf": 1.0}
        rest = {"machines": 5.0, "tried": 3, "arrivals": 2}
        return {n: {"wasted": w, "wasted_given": w, **rest} for n, w in wasted.items()}

    monkeypatch.setattr(study, "run_cell", run)
    monkeypatch.setattr(study, "FILES", ())
    found = study_morphosys("folder", ["sigma"], 2)
    edf = found.along("sigma", "edf")
    more = found.along("sigma", "edf", "over_response_time")
    assert edf[0].mean == pytest.approx((3 / 4 + 4 / 5) / 2)
    assert more[0].mean == pytest.approx((1 / 4 + 1 / 5) / 2)
    assert found.to_frame().height == len(found.rows) == 5 * 3


def test_what_rewriting_is_worth_beyond_an_exact_test_is_said() -> None:
    told = tell(MorphosysStudy({}, tuple(rates())))
    titles = [section.title for section in told.sections]
    assert titles[:2] == [
        "Published and measured",
        "What rewriting is worth on top of an exact host test",
    ]
    assert "40 % by response times and 50 %" in told.findings[0]
    assert "exactly is worth 60 (± 2 at most) points" in told.findings[1]
    row = next(row for row in told.sections[0].rows if "(NM)" in row[0])
    assert row[1] == "20 (± 2)"
    (chart,) = told.sections[2].charts
    assert chart.spec["layer"][0]["mark"]["type"] == "bar"


def test_uptime_that_changes_nothing_is_told_from_uptime_that_does() -> None:
    same = [point("uptime", "exact", 0.5, at) for at in (0.0, 1.0)]
    told = tell(MorphosysStudy({}, tuple(same)))
    assert "no placement changed" in told.findings[0]
    other = [same[0], point("uptime", "exact", 0.5, 1.0, machines=6.5)]
    told = tell(MorphosysStudy({}, tuple(other)))
    assert "by 0.50 at most" in told.findings[0]
