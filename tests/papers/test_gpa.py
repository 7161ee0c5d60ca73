"""The numbers of Janus and Rzadca, SoCC 2017, on our matched pool.

The pool is synthetic and calibrated to what the paper prints; the paper opens 35 and 47
machines for GPA at 0.1 and 0.001, and measures q = 1.6e-3 at 0.001.
"""

from dataclasses import dataclass
from statistics import mean

import pytest

from cotenant.colocate.pack import Packing, Policy, pack
from cotenant.demand.task import Task
from cotenant.demand.usage import Usage
from cotenant.fleet import Fleet
from cotenant.planning.problem import Selection, make_problem
from cotenant.sim.judge import Carried, Judgement, judge_exact, judge_samples
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import matched

pytestmark = pytest.mark.slow
INSTANCES, TASKS = 10, 1_000
EQUAL = Fleet.of_equal({"cpu": 1.0})


@pytest.fixture(scope="module")
def problems() -> list[list[Task]]:
    return [
        make_problem(from_frame(matched(TASKS, seed), "fraction"), Selection()).tasks
        for seed in range(INSTANCES)
    ]


@dataclass
class Result:
    machines: list[int]
    sampled: float
    exact: float
    worst: float


def carried(packing: Packing) -> list[Carried]:
    def usages(tasks: list[Task]) -> list[Usage]:
        return [t.usage["cpu"] for t in tasks]

    return [Carried(1.0, usages(tasks)) for tasks in packing.tasks]


def measured(problems: list[list[Task]], policy: Policy) -> Result:
    machines, sampled, exact = [], [], []
    worst = 0.0
    for tasks in problems:
        held = carried(pack(tasks, EQUAL, policy))
        machines.append(len(held))
        sampled.append(q(judge_samples(held, seed=1)))
        judged = judge_exact(held)
        exact.append(q(judged))
        worst = max(worst, float(judged.overload.max()))
    return Result(machines, mean(sampled), mean(exact), worst)


def q(judged: Judgement) -> float:
    return float(judged.overload.mean())


@pytest.mark.parametrize(("rho", "machines"), [(0.1, 34), (0.001, 46)])
def test_gpa_opens_the_machines_of_the_design(
    rho: float, machines: int, problems: list[list[Task]]
) -> None:
    found = measured(problems, Policy("gaussian", "best-fit", rho))
    assert abs(mean(found.machines) - machines) <= 1


def test_gpa_breaks_its_promise_at_one_in_a_thousand(
    problems: list[list[Task]],
) -> None:
    found = measured(problems, Policy("gaussian", "best-fit", 0.001))
    assert 1.4e-3 <= found.sampled <= 1.9e-3
    # 460 machines with 10,000 realisations each: about 7,000 overloads, 1.2 % noise.
    assert found.sampled == pytest.approx(found.exact, rel=0.05)


@pytest.mark.parametrize("rho", [0.1, 0.01, 0.001])
def test_exact_stays_within_five_percent_below_and_no_machine_is_above(
    rho: float, problems: list[list[Task]]
) -> None:
    found = measured(problems, Policy("exact", "best-fit", rho))
    assert -0.05 <= found.exact / rho - 1 <= 0
    assert found.worst <= rho


@pytest.mark.parametrize("method", ["gaussian", "exact"])
def test_first_fit_and_best_fit_differ_by_one_machine_at_most(
    method: str, problems: list[list[Task]]
) -> None:
    for tasks in problems:
        first, best = (
            len(pack(tasks, EQUAL, Policy(method, rule, 0.001)).machines)
            for rule in ("first-fit", "best-fit")
        )
        assert abs(first - best) <= 1


def test_rebalancing_lowers_overload_by_five_to_twelve_percent(
    problems: list[list[Task]],
) -> None:
    plain, rebalanced = [], []
    for tasks in problems:
        policy = Policy("gaussian", "best-fit", 0.001)
        plain.append(q(judge_exact(carried(pack(tasks, EQUAL, policy)))))
        policy = Policy("gaussian", "best-fit", 0.001, rebalance=True)
        rebalanced.append(q(judge_exact(carried(pack(tasks, EQUAL, policy)))))
    assert -0.12 <= mean(rebalanced) / mean(plain) - 1 <= -0.05
