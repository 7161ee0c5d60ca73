"""`study gpa` on few problems of the paper's size keeps the numbers of the design."""

import pytest

from cotenant.study.gpa.beside import beside
from cotenant.study.gpa.study import GpaStudy, study_gpa
from cotenant.study.gpa.sweep_sections import rebalancing_section, rules_section

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study() -> GpaStudy:
    parts = ("base", "averages", "rebalancing", "rules")
    return study_gpa(parts=parts, problems=10)


@pytest.fixture(scope="module")
def ours(study: GpaStudy) -> dict[str, float]:
    found = {row.printed.key: row.ours["matched"] for row in beside(study)}
    return {key: value for key, value in found.items() if value is not None}


def test_machines_are_within_one_of_the_design(ours: dict[str, float]) -> None:
    assert abs(ours["machines gaussian 0.1"] - 34) <= 1
    assert abs(ours["machines gaussian 0.001"] - 46) <= 1
    assert abs(ours["machines mean:1"] - 28) <= 1


def test_gpa_breaks_its_promise_as_printed(ours: dict[str, float]) -> None:
    assert 1.4e-3 <= ours["q gaussian 0.001"] <= 1.8e-3


def test_averages_cost_cantelli_about_ten_times(ours: dict[str, float]) -> None:
    assert 8 <= ours["averages cantelli:1"] <= 12
    assert 2 <= ours["averages gaussian"] <= 4


def test_rebalancing_lowers_q_by_five_to_twelve_percent(
    study: GpaStudy, ours: dict[str, float]
) -> None:
    assert -0.12 <= ours["rebalancing"] <= -0.05
    base, plain = (study.grids[part, "matched"] for part in ("base", "rebalancing"))
    told = rebalancing_section(base, plain)
    assert not any(row[0].startswith("perc") for row in told.rows)
    assert not any(row[0] == "Cantelli 4.4" for row in told.rows)


def test_first_fit_opens_as_many_machines(study: GpaStudy) -> None:
    base, first = (study.grids[part, "matched"] for part in ("base", "rules"))
    for row in first.rows:
        other = base.find(row.run.method, row.run.rho)
        # The paper prints one machine at most.
        assert abs(row.machines - other.machines) <= 1
    assert len(rules_section(base, first).rows) == len(first.rows)


def test_counted_and_computed_overload_agree(study: GpaStudy) -> None:
    for row in study.grids["base", "matched"].rows:
        if row.run.method in ("gaussian", "exact"):
            assert row.exact is not None
            assert row.overload == pytest.approx(row.exact, rel=0.05)
