"""The verified cases: enumerated schedules, scanned offsets, explicit witnesses."""

import json
import math
from typing import Any

import pytest

from cotenant.colocate.periodic.bounds import chains_of
from cotenant.colocate.periodic.host_tests import TESTS
from cotenant.demand import conditions
from cotenant.demand import miss_bounds as bounds
from cotenant.demand.rewrite import is_safe, max_misses, min_budget, min_supply
from cotenant.demand.schedule import Schedule, keeps
from cotenant.demand.sla import Sla
from tests.shared import VECTORS

FILE = VECTORS / "sla.json"
ROWS = json.loads(FILE.read_text()) if FILE.exists() else []
Case = dict[str, Any]

pytestmark = pytest.mark.skipif(not ROWS, reason="the verified cases are not here")


def rows(*kinds: str) -> pytest.MarkDecorator:
    """Run a test over the rows of some kinds, named by their number."""
    chosen = [row for row in ROWS if row["kind"] in kinds]
    return pytest.mark.parametrize("row", chosen, ids=lambda row: f"row {row['id']}")


@rows("min_C", "min_C_any_phase")
def test_least_budgets(row: Case) -> None:
    given, expected = row["input"], row["expected"]
    phase = "any" if row["kind"] == "min_C_any_phase" else "aligned"
    required = Sla(given["C_workload"], given["T_workload"])
    budget = min_budget(required, given["T"], phase=phase)
    assert budget == expected["C_min"]
    if "aligned_C_min" in expected:
        assert min_budget(required, given["T"]) == expected["aligned_C_min"]
    if "min_supply_at_C_min" in expected:
        supply = min_supply(Sla(budget, given["T"]), required.period)
        assert supply == expected["min_supply_at_C_min"]
    if expected.get("min_supply_one_less") is not None:
        supply = min_supply(Sla(budget - 1, given["T"]), required.period)
        assert supply == expected["min_supply_one_less"]


@rows("max_misses")
def test_most_misses(row: Case) -> None:
    given, expected = row["input"], row["expected"]
    offered = Sla(*given["host"])
    budget, period, window = (given[f"workload_{name}"] for name in "CTW")
    found = max_misses(
        offered,
        Sla(budget, period, 0, window),
        window=given["right"],
        offered_window=given["left"],
    )
    assert found == expected["max_misses"]
    least = expected["safe_iff_D_workload_at_least"]
    if given["left"] == "aligned":
        for misses in range(window + 1):
            required = Sla(budget, period, misses, window)
            safe = is_safe(offered, required, window=given["right"]).safe
            assert safe == (misses >= least)


@rows("unsafe_witness")
def test_published_counterexamples(row: Case) -> None:
    offered, required = Sla(*row["input"]["host"]), Sla(*row["input"]["workload"])
    witness = row["witness"]
    slots = [True] * witness["length"]
    for slot in witness["idle_slots"]:
        slots[slot] = False
    schedule = Schedule.of_slots(slots)
    assert keeps(schedule, offered)
    assert not keeps(schedule, required)
    assert conditions.gives_enough(offered, required)
    assert max_misses(offered, required) == row["expected"]["max_misses"]
    found = is_safe(offered, required)
    assert found.counterexample is not None
    assert found.counterexample.refutes(offered, required)


@rows("period_multiple_misses")
def test_misses_under_a_multiple_of_the_period(row: Case) -> None:
    given, expected = row["input"], row["expected"]
    task = Sla(*given["workload"])
    supply = Sla(given["host_C"], given["K"] * task.period)
    assert bounds.multiple_period(task, supply) == (expected["a"], expected["b"])
    many = Sla(task.budget, task.period, 0, given["K"])
    assert max_misses(supply, many) == expected["a"]


@rows("shorter_period_misses")
def test_misses_under_a_shorter_period(row: Case) -> None:
    given, expected = row["input"], row["expected"]
    task, supply = Sla(*given["workload"]), Sla(*given["host"])
    bound, window = bounds.shorter_period(task, supply)
    assert window == expected["b"]
    exact = max_misses(supply, Sla(task.budget, task.period, 0, window))
    assert exact == expected["exact_misses"]
    assert exact <= expected["paper_bound"]
    assert exact <= bound
    in_range = 2 * supply.period > task.period + task.budget
    assert in_range == expected["in_theorem5_range"]


@rows("composition_5_then_4")
def test_misses_under_a_composition(row: Case) -> None:
    given, expected = row["input"], row["expected"]
    task, between, supply = (Sla(*given[name]) for name in ("workload", "mid", "host"))
    window = given["window_intervals"]
    exact = max_misses(supply, Sla(task.budget, task.period, 0, window))
    assert exact == expected["exact_misses"]
    printed = bounds.shorter_then_multiple_printed(task, between, supply)
    assert printed == (expected["paper_bound"], window)
    assert (printed[0] >= exact) == expected["paper_bound_sound"]
    corrected = bounds.shorter_then_multiple(task, between, supply)
    assert corrected == (expected["corrected_bound"], window)


@rows("fluid")
def test_fluid_periods(row: Case) -> None:
    given, expected = row["input"], row["expected"]
    low, high = given["Tl"], given["Tu"]
    fluid = Sla(given["C"], given["T"], period_low=low, period_high=high)
    assert (given["T_new"] in fluid.periods) == expected["allowed"]
    if expected["allowed"]:
        assert fluid.at(given["T_new"]).budget == expected["C_new"]


@rows("schedulability")
def test_host_tests(row: Case) -> None:
    slas = [Sla(*task) for task in row["input"]["tasks"]]
    expected = row["expected"]
    names = {
        "liu-layland": "LL",
        "hyperbolic": "hyperbolic",
        "harmonic": "chain_bound",
        "response-time": "RTA",
        "edf": "EDF",
    }
    for name, key in names.items():
        assert TESTS[name].keeps(slas) == expected[key], name
    assert len(chains_of(slas)) == expected["min_chains"]
    assert math.isclose(sum(s.utilization for s in slas), expected["U"], rel_tol=1e-3)


def test_no_kind_of_case_is_left_out() -> None:
    judged = {"min_C", "min_C_any_phase", "max_misses", "unsafe_witness", "fluid"}
    judged |= {"period_multiple_misses", "shorter_period_misses", "schedulability"}
    judged |= {"composition_5_then_4"}
    assert {row["kind"] for row in ROWS} == judged
