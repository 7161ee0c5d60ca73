"""Time-of-day slots and grouping on real, time-aligned traces."""

import numpy as np
import polars as pl
import pytest

from cotenant.colocate.pack import Policy, pack
from cotenant.demand.task import Task
from cotenant.fleet import Fleet
from cotenant.metrics import poisson_interval
from cotenant.planning.plan import compare
from cotenant.planning.problem import Selection, make_problem
from cotenant.planning.settings import Settings
from cotenant.sim.judge import Carried, judge_exact
from cotenant.traces.collect import from_frame, read_usage
from cotenant.traces.trace import Trace
from tests.shared import DATA, needs_data

pytestmark = [*needs_data, pytest.mark.slow]
DAYS = ("20110303", "20110322")
VM_SHARE = 0.027  # mean usage of a VM in machines, as in the paper's pool


def planetlab(day: str) -> Trace:
    return read_usage([str(DATA / "planetlab" / f"{day}.tar.gz")])


def aligned(trace: Trace, rho: float, slots: int, capacity: float) -> float:
    settings = Settings(Policy(rho=rho, slots=slots), judge="aligned")
    fleet = Fleet.of_equal({"cpu": capacity})
    return compare(trace, fleet, ["exact"], settings=settings).rows[0].overload_mean


@pytest.mark.parametrize("day", DAYS)
def test_slots_keep_the_promise_on_the_aligned_replay_of_planetlab(day: str) -> None:
    trace = planetlab(day)
    for rho in (0.1, 0.01):
        assert aligned(trace, rho, 24, 4.0) <= 1.05 * rho
    # About 15 overloads are expected in a day at 0.001: counting noise decides.
    settings = Settings(Policy(rho=0.001, slots=24), judge="aligned")
    fleet = Fleet.of_equal({"cpu": 4.0})
    row = compare(trace, fleet, ["exact"], settings=settings).rows[0]
    trials = row.machines * 288
    low, _ = poisson_interval(round(row.overload_mean * trials), trials)
    assert low <= 0.001


def test_slots_keep_google_job_days_near_the_promise_where_independence_fails() -> None:
    trace = read_usage([str(DATA / "google2011" / "GCD_VMs.tar.gz")])
    rows = pl.concat(list(trace.store.parts()))
    names = pl.Series(trace.store.names).gather(rows["code"])
    rows = rows.with_columns(names.alias("task")).drop("code")
    capacity = float(trace.facts["mean"].mean()) / VM_SHARE  # type: ignore[arg-type]
    for rho in (0.1, 0.01, 0.001):
        slotted, independent = [], []
        for day in range(10):
            one = from_frame(rows.filter(pl.col("time") // 86_400 == day), "fraction")
            slotted.append(aligned(one, rho, 24, capacity))
            independent.append(aligned(one, rho, 1, capacity))
        assert np.mean(slotted) <= 1.3 * rho
        assert np.mean(independent) >= 2 * rho


@pytest.fixture(scope="module")
def pool() -> list[Task]:
    tasks = []
    for day in DAYS:
        tasks += make_problem(planetlab(day), Selection()).tasks
    return tasks


def drawn(pool: list[Task], count: int, seed: int) -> list[Task]:
    random = np.random.default_rng(seed)
    chosen = random.integers(0, len(pool), count)
    return [Task(f"t{i}", pool[j].usage) for i, j in enumerate(chosen)]


def fleet_for(pool: list[Task]) -> Fleet:
    mean = np.mean([t.usage["cpu"].mean for t in pool])
    return Fleet.of_equal({"cpu": float(mean) / VM_SHARE})


@pytest.mark.parametrize(
    ("count", "policy", "least"),
    [
        (5_000, Policy(rho=0.001, order="steadiest"), 0.06),
        (10_000, Policy(rho=0.001, groups=8), 0.05),
    ],
)
def test_grouping_saves_machines_on_planetlab_marginals(
    count: int, policy: Policy, least: float, pool: list[Task]
) -> None:
    saved = []
    for seed in range(2):
        tasks, fleet = drawn(pool, count, seed), fleet_for(pool)
        plain = len(pack(tasks, fleet, Policy(rho=0.001)).machines)
        saved.append(1 - len(pack(tasks, fleet, policy).machines) / plain)
    assert np.mean(saved) >= least


@pytest.mark.parametrize("rho", [0.1, 0.01, 0.001, 1e-4])
def test_exact_is_calibrated_on_planetlab_marginals(
    rho: float, pool: list[Task]
) -> None:
    fleet = fleet_for(pool)
    capacity = fleet.types[0].capacity["cpu"]
    errors = []
    for seed in range(5):
        packing = pack(drawn(pool, 1_000, seed), fleet, Policy(rho=rho))
        held = [[t.usage["cpu"] for t in on] for on in packing.tasks]
        judged = judge_exact([Carried(capacity, usages) for usages in held]).overload
        assert judged.max() <= rho
        errors.append(judged.mean() / rho - 1)
    assert -0.10 <= np.mean(errors) <= 0
