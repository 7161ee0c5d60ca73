"""Repacking: each move with a reason, applied as shown, and nothing on a second run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cotenant.errors import FleetChanged, UnknownPlan
from cotenant.service.answers import RepackPlan
from cotenant.service.asked import Settings
from cotenant.service.core import Placement
from tests.service.asking import (
    SETTINGS,
    check_books,
    fleet,
    hosts,
    machine,
    promised,
    random_tasks,
    sampled,
    state_of,
)


@pytest.fixture
def database_file(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/ledger.db"


@pytest.fixture
def core(database_file: str) -> Iterator[Placement]:
    placement = Placement(SETTINGS, database_file)
    yield placement
    placement.close()


def where(core: Placement) -> dict[str, str]:
    return {view.name: view.machine for view in core.tasks()}


def moved(plan: RepackPlan) -> dict[str, str]:
    return {move.task: move.target for move in plan.moves}


def overload(core: Placement) -> None:
    """Two machines; the first one is then measured above its promise."""
    fleet(core, 2)
    core.place([sampled("a", 0.3), sampled("b", 0.3), sampled("c", 0.2)]).result()
    core.update_usage("a", {"cpu": [0.6] * 50}).result()
    assert core.machine("m0").over_promise


def test_a_broken_promise_is_mended_by_the_cheapest_move(core: Placement) -> None:
    overload(core)
    before = where(core)
    plan = core.repack().result()
    (move,) = plan.moves
    assert (move.task, move.source, move.target) == ("c", "m0", "m1")
    assert move.cost == pytest.approx(0.2)
    assert move.gain > 0.9
    assert move.reason.startswith("m0 is above its promise: 98 % of 1 %; without c ")
    assert (plan.before["over_promise"], plan.after["over_promise"]) == (1, 0)
    assert where(core) == before  # a plan moves nothing
    assert core.apply(plan.id).result() == plan
    assert where(core) == before | moved(plan)
    assert not core.machine("m0").over_promise
    assert core.repack().result().moves == ()


def test_a_draining_machine_is_emptied_and_leaves(core: Placement) -> None:
    fleet(core, 3)
    core.place([sampled(f"t{i}", 0.4) for i in range(4)]).result()
    core.drain("m0").result()
    plan = core.repack().result()
    assert {move.reason for move in plan.moves} == {"m0 is draining"}
    assert moved(plan) == {"t0": "m2", "t1": "m2"}
    core.apply(plan.id).result()
    assert [view.name for view in core.machines()] == ["m1", "m2"]
    assert core.repack().result().moves == ()


def test_a_light_machine_is_emptied_to_save_it(core: Placement) -> None:
    fleet(core, 3)
    core.place([sampled(f"t{i}", 0.45) for i in range(4)]).result()
    core.place([sampled("light", 0.2)]).result()
    core.release("t1").result()
    plan = core.repack().result()
    (move,) = plan.moves
    assert (move.task, move.source, move.target) == ("light", "m2", "m0")
    assert move.unit == "machines"
    assert move.gain == 1.0
    assert move.reason == "empties m2: its task, 20 % load, fit on machines in use"
    assert (plan.before["machines_in_use"], plan.after["machines_in_use"]) == (3, 2)


def test_a_machine_with_much_to_move_is_left_alone(core: Placement) -> None:
    fleet(core, 2)
    core.place([sampled("a", 0.6), sampled("b", 0.5)]).result()
    core.update_usage("a", {"cpu": [0.4] * 10_000}).result()
    assert core.machine("m0").load + core.machine("m1").load < 0.95
    assert core.repack().result().moves == ()


def test_machines_with_a_reservation_are_not_emptied(core: Placement) -> None:
    fleet(core, 2)
    core.place([sampled("a", 0.6)]).result()
    core.reserve("uid", sampled("pod", 0.1), ["m1"]).result()
    core.confirm("uid2", sampled("b", 0.1), "m1").result()
    assert core.repack().result().moves == ()
    core.unreserve("uid").result()
    assert moved(core.repack().result()) == {"b": "m0"}


def test_slas_are_moved_with_what_is_granted(core: Placement) -> None:
    core.add_machines([hosts("s0"), hosts("s1"), hosts("s2")]).result()
    core.place([promised("a", "1/2"), promised("b", "2/3")]).result()
    core.place([promised("c", "1/6")]).result()
    core.drain(core.task("b").machine).result()
    plan = core.repack().result()
    assert set(moved(plan)) >= {"b"}
    core.apply(plan.id).result()
    assert len(core.machines()) == 2
    assert core.task("b").granted is not None
    assert core.repack().result().moves == ()


def test_memory_is_mended_too(core: Placement) -> None:
    fleet_ = [machine("m0", 1.0, memory=10.0), machine("m1", 1.0, memory=10.0)]
    core.add_machines(fleet_).result()
    core.place([sampled("a", 0.1), sampled("b", 0.1)]).result()
    core.update_usage("a", {"memory": [7.0]}).result()
    core.update_usage("b", {"memory": [6.0]}).result()
    assert core.machine("m0").over_promise
    plan = core.repack().result()
    (move,) = plan.moves
    assert move.reason.startswith("m0 is out of memory: 130 %; without ")
    core.apply(plan.id).result()
    assert not any(view.over_promise for view in core.machines())


@pytest.mark.parametrize(
    "interfere",
    [
        lambda core: core.release("c"),
        lambda core: core.place([sampled("new", 0.01)]),
        lambda core: core.change(sampled("b", 0.25)),
        lambda core: core.add_machines([machine("m2")]),
        lambda core: core.drain("m1"),
        lambda core: core.update_usage("c", {"cpu": [1.5] * 500}),
    ],
)
def test_a_plan_is_refused_when_what_it_rests_on_changed(
    core: Placement, interfere: object
) -> None:
    overload(core)
    plan = core.repack().result()
    interfere(core).result()  # type: ignore[operator]
    before = where(core)
    with pytest.raises(FleetChanged):
        core.apply(plan.id).result()
    assert where(core) == before


def test_a_plan_survives_a_measurement_that_changes_little(core: Placement) -> None:
    overload(core)
    plan = core.repack().result()
    core.update_usage("c", {"cpu": [0.21] * 3}).result()
    assert core.apply(plan.id).result() == plan
    with pytest.raises(FleetChanged):  # once is enough
        core.apply(plan.id).result()


def test_any_process_can_apply_a_plan_even_after_a_restart(
    core: Placement, database_file: str
) -> None:
    overload(core)
    plan = core.repack().result()
    other = Placement(SETTINGS, database_file)
    assert other.apply(plan.id).result() == plan
    other.close()
    with pytest.raises(UnknownPlan):
        core.apply("0123456789ab").result()


@pytest.mark.parametrize("method", ["exact", "gaussian", "mean:1"])
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 10_000))
def test_a_second_run_proposes_nothing(method: str, seed: int) -> None:
    core = Placement(Settings(rho=0.01, method=method))
    fleet(core, 8)
    tasks = random_tasks(60, seed)
    placed = []
    for task in tasks:
        if core.place([task]).exception() is None:
            placed.append(task.name)
    for number, name in enumerate(placed):
        if (number + seed) % 3 == 0:
            core.release(name).result()
        elif (number + seed) % 3 == 1:
            core.update_usage(name, {"cpu": [0.01 * (seed % 30)] * 30}).result()
    core.drain("m1").result()
    plan = core.repack().result()
    core.apply(plan.id).result()
    assert where(core).items() >= moved(plan).items()
    assert core.repack().result().moves == ()
    assert plan.after["over_promise"] <= plan.before["over_promise"]
    core.close()


def test_applying_keeps_every_promise(core: Placement, database_file: str) -> None:
    fleet(core, 10)
    for task in random_tasks(80, 3):
        core.place([task]).exception()
    for name in list(where(core))[::2]:
        core.release(name).result()
    core.drain("m0").result()
    plan = core.repack().result()
    assert len(plan.moves) > 3
    core.apply(plan.id).result()
    check_books(state_of(database_file))
