"""Slots, groups, effective bandwidth, rarely seen tasks, stretched averages."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import polars as pl
import pytest

from cotenant.colocate.bandwidth import bandwidths, find_tilt, skewness
from cotenant.colocate.methods import make_admission
from cotenant.colocate.pack import Policy, groups, pack
from cotenant.demand.task import Task
from cotenant.demand.usage import Hours, Usage
from cotenant.errors import InvalidInput
from cotenant.fleet import Fleet
from cotenant.planning.few import Shapes, calibrated_rho
from cotenant.planning.plan import compare, default_settings, plan
from cotenant.planning.problem import Selection, make_problem
from cotenant.planning.rhythm import carries_a_day, shared_deviations
from cotenant.planning.settings import Settings
from cotenant.sim.judge import Carried, judge_exact
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import daily, matched
from cotenant.traces.trace import Trace

EQUAL = Fleet.of_equal({"cpu": 1.0})


def waves(tasks: int, samples: int = 288, together: bool = True) -> Trace:
    """Half the day busy, half idle; all at once, or every second task reversed."""
    random = np.random.default_rng(0)
    busy = np.arange(samples) < samples // 2
    rows = []
    for task in range(tasks):
        awake = busy if together or task % 2 else ~busy
        use = np.where(awake, 0.10, 0.02) + 0.01 * random.random(samples)
        rows.append(
            pl.DataFrame(
                {
                    "task": [f"t{task}"] * samples,
                    "time": np.arange(samples) * 86_400.0 / samples,
                    "cpu": use,
                }
            )
        )
    return from_frame(pl.concat(rows), "fraction")


def test_slots_keep_the_promise_where_tasks_rise_together() -> None:
    trace = waves(60)
    measured = {}
    for slots in (1, 24):
        policy = Policy("exact", rho=0.01, slots=slots)
        row = compare(
            trace, EQUAL, ["exact"], settings=Settings(policy, judge="aligned")
        )
        measured[slots] = row.rows[0]
    assert measured[1].overload_mean > 0.2
    assert measured[24].overload_mean <= 0.01
    assert measured[24].machines > measured[1].machines


def test_slots_use_fewer_machines_where_tasks_take_turns() -> None:
    trace = waves(60, together=False)
    machines = {
        slots: compare(
            trace, EQUAL, ["exact"], settings=Settings(Policy(rho=0.001, slots=slots))
        )
        .rows[0]
        .machines
        for slots in (1, 24)
    }
    assert machines[24] < machines[1]


@pytest.mark.parametrize("method", ["exact", "gaussian"])
def test_equal_slots_answer_like_none(method: str) -> None:
    flat = Usage.from_samples(np.tile([0.1, 0.2, 0.3], 8))
    hours = flat.by_hour(1)
    slotted = replace(
        flat,
        hours=Hours(
            np.array([0, 3, 6]),
            np.tile(hours.values, 2),
            np.tile(hours.weights, 2),
            np.tile(hours.mean, 2),
            np.tile(hours.variance, 2),
        ),
    )
    two = make_admission(method, 0.1, slots=2)
    two.grow(1.0)
    for _ in range(3):
        two.add(0, slotted)
    expected = 1 - NormalDist(4 * flat.mean, (4 * flat.variance) ** 0.5).cdf(1.0)
    if method == "exact":
        expected = judge_exact([Carried(1.0, [flat] * 4)]).overload[0]
    assert two.verdict(0, slotted).value == pytest.approx(expected, abs=1e-14)


def test_a_slot_without_samples_takes_the_whole_day() -> None:
    rows = {"task": ["a"] * 40, "time": np.arange(40) * 300.0, "cpu": [0.1, 0.3] * 20}
    trace = from_frame(pl.DataFrame(rows), "fraction")
    (task,) = make_problem(trace, Selection(), slots=24).tasks
    hours = task.usage["cpu"].by_hour(24)
    assert hours.mean == pytest.approx(np.full(24, 0.2), abs=0.02)
    assert hours.mean[20] == task.usage["cpu"].mean


def test_methods_without_slots_refuse_them() -> None:
    with pytest.raises(InvalidInput, match="knows no time-of-day slots"):
        Policy("max", slots=24)
    with pytest.raises(InvalidInput, match="carries no time"):
        make_problem(from_frame(matched(5), "fraction"), Selection(), slots=24)


def test_a_plan_takes_slots_where_the_trace_has_a_rhythm_and_says_so() -> None:
    day = from_frame(daily(80, 1, seed=2))
    assert carries_a_day(day)
    made = plan(day, Fleet.of_equal({"cpu": 8.0}), default_settings(day))
    assert made.settings["slots"] == 24
    assert made.settings["judge"] == made.overload.judged_by == "aligned"
    assert any("24 time-of-day slots" in said for said in made.assumptions)
    pool = from_frame(matched(30), "fraction")
    assert not carries_a_day(pool)
    assert plan(pool, EQUAL, default_settings(pool)).settings["slots"] == 1


def test_shared_deviations_add_up_to_the_spread_of_the_total() -> None:
    trace = waves(10)
    total = np.zeros(288)
    for series in trace.series("cpu"):
        total += series.values.reshape(10, 288).sum(axis=0)
    assert sum(shared_deviations(trace).values()) == pytest.approx(total.std())


def test_one_factor_needs_more_machines_than_gpa_where_tasks_rise_together() -> None:
    settings = Settings(Policy(rho=0.01), judge="aligned")
    rows = compare(waves(60), EQUAL, ["gaussian", "one-factor"], settings=settings).rows
    assert rows[0].overload_mean > 0.01 >= rows[1].overload_mean
    assert rows[1].machines > rows[0].machines


def test_effective_bandwidth_lies_between_mean_and_maximum() -> None:
    usages = [t.usage["cpu"] for t in tasks_of(200)]
    tilt = find_tilt(usages, 1.0, 0.001)
    sizes = bandwidths(usages, tilt.theta)
    assert all(u.mean <= s <= u.maximum for u, s in zip(usages, sizes, strict=True))
    assert tilt.sizes(usages[3:4]) == sizes[3:4]
    steeper = find_tilt(usages, 1.0, 1e-5)
    assert steeper.theta > tilt.theta


def test_tasks_that_never_vary_are_sized_by_what_they_use() -> None:
    usages = [Usage.from_samples([0.1 * k]) for k in range(1, 5)]
    assert bandwidths(usages, find_tilt(usages, 1.0, 0.01).theta) == pytest.approx(
        [0.1, 0.2, 0.3, 0.4]
    )
    assert skewness(usages, 1.0, 0.01) == pytest.approx(np.ones(4))


@pytest.mark.slow
def test_esscher_sizes_keep_the_promise_on_the_matched_pool() -> None:
    tasks = tasks_of(4_000)
    packing = pack(tasks, EQUAL, Policy("esscher", "first-fit", 0.001))
    machines = [Carried(1.0, [t.usage["cpu"] for t in on]) for on in packing.tasks]
    judged = judge_exact(machines).overload
    assert 0.93e-3 <= judged.mean() <= 1.03e-3
    assert judged.max() <= 1.5e-3
    exact = pack(tasks, EQUAL, Policy("exact", "first-fit", 0.001))
    assert len(packing.machines) <= 1.02 * len(exact.machines)


def test_groups_have_machines_of_their_own_and_equal_load() -> None:
    tasks = tasks_of(300)
    policy = Policy("exact", rho=0.01, groups=3)
    group = groups(tasks, policy, 1.0)
    load = {
        g: sum(t.usage["cpu"].mean for t in tasks if group[t.name] == g)
        for g in (1, 2, 3)
    }
    assert max(load.values()) - min(load.values()) < 0.2
    packing = pack(tasks, EQUAL, policy)
    for on in packing.tasks:
        assert len({group[t.name] for t in on}) == 1


@pytest.mark.slow
def test_the_steadiest_first_saves_machines_at_the_same_promise() -> None:
    saved = []
    for seed in range(4):
        tasks = tasks_of(5_000, seed)
        plain, sorted_ = (
            len(pack(tasks, EQUAL, Policy("exact", "first-fit", 0.001, order)).machines)
            for order in ("arrival", "steadiest")
        )
        saved.append(1 - sorted_ / plain)
    assert np.mean(saved) >= 0.01


def test_lent_shapes_keep_the_mean_and_mix_by_observations() -> None:
    known = [t.usage["cpu"] for t in tasks_of(400)]
    shapes = Shapes.learn(known)
    seen = Usage.from_samples([0.02, 0.04, 0.03])
    lent = shapes.lend(seen)
    assert lent.mean == pytest.approx(seen.mean, rel=0.02)
    assert lent.maximum > seen.maximum
    assert lent.weights.sum() == pytest.approx(1.0)
    assert lent.observations == 3
    with pytest.raises(InvalidInput, match="at least 100"):
        Shapes.learn(known[:20])


@pytest.mark.slow
@pytest.mark.parametrize(("seen", "within"), [(10, 0.12), (30, 0.05)])
def test_rarely_seen_tasks_keep_the_promise_by_a_calibrated_threshold(
    seen: int, within: float
) -> None:
    # What is known of a task is all there is of it, as in the paper: tasks of any
    # length may lend, and problems are drawn from such tasks.
    known = [u.usage["cpu"] for u in tasks_of(8_000, 50)]
    shapes = Shapes.learn(known)
    counts = np.full(2_500, seen)
    threshold = calibrated_rho(known, shapes, counts, 0.001, 1.0)
    random = np.random.default_rng(1)
    delivered, trusting = [], []
    for seed in range(16):
        truth = {t.name: t.usage["cpu"] for t in tasks_of(2_500, seed)}
        draws = {
            name: Usage.from_samples(random.choice(u.values, seen, p=u.weights))
            for name, u in truth.items()
        }
        for result, rho, lend in (
            (delivered, threshold, shapes.lend),
            (trusting, 0.001, lambda usage: usage),
        ):
            tasks = [Task(name, {"cpu": lend(u)}) for name, u in draws.items()]
            packing = pack(tasks, EQUAL, Policy("exact", rho=rho))
            machines = [
                Carried(1.0, [truth[t.name] for t in on]) for on in packing.tasks
            ]
            result.append(judge_exact(machines).overload.mean())
    assert np.mean(delivered) == pytest.approx(0.001, rel=within)
    assert np.mean(trusting) > 1.3 * np.mean(delivered)


def test_a_plan_lends_shapes_only_where_many_tasks_are_well_known() -> None:
    pool = matched(700, seed=3)
    rank = pl.int_range(pl.len()).over("task")
    few = pool["task"].unique(maintain_order=True).to_list()[:200]
    cut = pool.filter(~pl.col("task").is_in(few) | (rank < 12))
    made = plan(
        from_frame(cut, "fraction"), EQUAL, Settings(Policy(rho=0.01)), beside=()
    )
    assert made.settings["threshold"] <= 0.01
    assert any("borrow the shape" in said for said in made.assumptions)
    lonely = plan(from_frame(matched(50), "fraction"), EQUAL, beside=())
    assert lonely.settings["threshold"] is None


def test_averages_are_stretched_to_the_variance_asked_for() -> None:
    rows = {"task": ["a"] * 50, "cpu_mean": np.linspace(0.1, 0.3, 50)}
    trace = from_frame(pl.DataFrame(rows), "fraction")
    plain, wide = (
        make_problem(trace, Selection(variance_factor=f)).tasks[0].usage["cpu"]
        for f in (1.0, 1.7)
    )
    assert wide.mean == pytest.approx(plain.mean)
    assert wide.variance == pytest.approx(1.7 * plain.variance)


def tasks_of(count: int, seed: int = 1) -> list[Task]:
    return make_problem(from_frame(matched(count, seed), "fraction"), Selection()).tasks


def test_a_plan_for_tomorrow_states_its_margin_and_what_it_costs() -> None:
    trace = from_frame(daily(60, 9, seed=2))
    fleet = Fleet.of_equal({"cpu": 4.0})
    settings = Settings(Policy(rho=0.01), promise="tomorrow")
    made = plan(trace, fleet, settings, beside=())
    assert made.settings["promise"] == "tomorrow"
    assert made.summary["margin"] >= 1.0
    assert made.summary["margin_days"] == 8
    assert made.summary["machines"] >= made.summary["machines_without_margin"]
    assert made.overload.judged_by == "aligned"
    assert any("for tomorrow" in said for said in made.assumptions)
    short = plan(from_frame(daily(20, 3, seed=2)), fleet, settings, beside=())
    assert any("not yet calibrated" in said for said in short.assumptions)


def test_tasks_gone_by_the_last_day_are_not_planned_for_tomorrow() -> None:
    rows = daily(30, 9, seed=2)
    name = rows["task"][-1]
    leaving = (pl.col("task") == name) & (pl.col("time") > rows["time"][0] + 5 * 86_400)
    trace = from_frame(rows.filter(~leaving))
    settings = Settings(Policy(rho=0.01), promise="tomorrow")
    made = plan(trace, Fleet.of_equal({"cpu": 4.0}), settings, beside=())
    assert made.cleaning["tasks_dropped"]["gone_by_the_last_day"] == 1
    assert name not in made.to_frame()["task"]


def test_replay_is_a_method_like_others() -> None:
    settings = Settings(Policy(rho=0.01), judge="aligned")
    rows = compare(waves(60), EQUAL, ["exact", "replay"], settings=settings).rows
    assert rows[1].overload_mean <= 0.01 < rows[0].overload_mean
