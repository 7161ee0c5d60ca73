"""The capacity of a machine changes while tasks are on it."""

import pytest

from cotenant.errors import Conflict, NothingFits, UnknownMachine
from cotenant.service.asked import MachineSpec, Moments, Settings, TaskSpec
from cotenant.service.core import Placement
from tests.service.asking import promised
from tests.service.running import running

SETTINGS = Settings(rho=0.01)


def steady(name: str, mean: float, **memory: float) -> TaskSpec:
    usage = {"cpu": Moments(mean)} | {r: Moments(v) for r, v in memory.items()}
    return TaskSpec(name, usage)


@pytest.fixture
def core():
    placement = Placement(SETTINGS)
    yield placement
    placement.close()


def machines(core: Placement, *cores: float, **more: float) -> None:
    specs = [
        MachineSpec(f"m{number}", {"cpu": cpu, **more})
        for number, cpu in enumerate(cores, start=1)
    ]
    core.add_machines(specs).result()


def test_a_machine_that_grows_keeps_its_tasks_and_takes_more(core: Placement) -> None:
    machines(core, 1.0)
    core.place([steady("a", 0.9)]).result()
    with pytest.raises(NothingFits):
        core.place([steady("b", 0.9)]).result()
    told = core.resize("m1", {"cpu": 2.0}).result()
    assert (told.moved, told.machine.tasks, told.machine.load) == ((), ("a",), 0.45)
    assert core.place([steady("b", 0.9)]).result()[0].machine == "m1"


def test_what_no_longer_fits_moves_and_as_little_as_possible(core: Placement) -> None:
    machines(core, 4.0, 1.0)
    core.place([steady("a", 1.5), steady("b", 0.5), steady("c", 0.8)]).result()
    assert core.machine("m1").tasks == ("a", "b", "c")
    told = core.resize("m1", {"cpu": 2.5}).result()
    (moved,) = told.moved
    # 0.3 too much: b, the lightest that is enough, leaves.
    assert (moved.task, moved.machine) == ("b", "m2")
    assert "m1 shrinks to cpu 2.5" in moved.reason
    assert (told.machine.tasks, told.machine.over_promise) == (("a", "c"), False)
    assert core.task("b").machine == "m2"
    kinds = [event.kind for event in core.events()]
    assert kinds[-2:] == ["moved", "machine_resized"]


def test_memory_counts_as_well(core: Placement) -> None:
    machines(core, 4.0, 4.0, memory=10.0)
    core.place([steady("a", 0.2, memory=6.0), steady("b", 0.1, memory=3.0)]).result()
    told = core.resize("m1", {"cpu": 4.0, "memory": 7.0}).result()
    assert [moved.task for moved in told.moved] == ["b"]
    assert "out of memory" in told.moved[0].reason


def test_a_change_is_refused_whole_when_a_task_has_nowhere_to_go(
    core: Placement,
) -> None:
    machines(core, 4.0, 1.0)
    core.place([steady(name, 0.9) for name in "abcd"]).result()
    before = core.events()
    with pytest.raises(NothingFits, match="would have to leave") as refused:
        core.resize("m1", {"cpu": 1.0}).result()
    assert "m1 shrinks to cpu 1" in refused.value.reason
    assert core.events() == before
    assert core.machine("m1").tasks == ("a", "b", "c", "d")
    assert core.machine("m1").capacity == {"cpu": 4.0}
    # Nothing of what was tried is left on the other machine.
    assert core.place([steady("e", 1.0)]).result()[0].machine == "m2"


def test_tasks_stay_where_that_is_asked(core: Placement) -> None:
    machines(core, 4.0)
    core.place([steady("a", 3.0)]).result()
    told = core.resize("m1", {"cpu": 2.0}, stay=True).result()
    assert (told.moved, told.machine.over_promise) == ((), True)


def test_machines_for_slas_gain_and_lose_cores(core: Placement) -> None:
    core.add_machines([MachineSpec("s1", {"cpu": 2.0}, "sla")]).result()
    core.place([promised("a", "3/4"), promised("b", "3/4")]).result()
    with pytest.raises(NothingFits):
        core.resize("s1", {"cpu": 1.0}).result()
    core.add_machines([MachineSpec("s2", {"cpu": 1.0}, "sla")]).result()
    (moved,) = core.resize("s1", {"cpu": 1.0}).result().moved
    assert moved.machine == "s2"
    core.resize("s1", {"cpu": 2.0}).result()
    assert core.place([promised("c", "3/4")]).result()[0].machine == "s1"


def test_unknown_and_draining_machines_are_refused(core: Placement) -> None:
    machines(core, 4.0)
    core.place([steady("a", 1.0)]).result()
    with pytest.raises(UnknownMachine):
        core.resize("m9", {"cpu": 1.0}).result()
    core.drain("m1").result()
    with pytest.raises(Conflict, match="draining"):
        core.resize("m1", {"cpu": 1.0}).result()


def test_a_restart_decides_as_if_it_had_never_stopped(tmp_path) -> None:
    url = f"sqlite:///{tmp_path}/ledger.db"
    first = Placement(SETTINGS, url)
    machines(first, 1.0, 1.0, 2.0)
    first.place([steady("a", 0.4)]).result()
    first.resize("m1", {"cpu": 2.0}).result()
    first.resize("m1", {"cpu": 1.0}).result()
    second = Placement(SETTINGS, url)
    for core in (first, second):
        (assessed,) = core.assess(steady("x", 0.3), ["m1"])
        assert assessed.reason == "Pr[use > 1] = 0 <= 0.01"
    # Empty machines tie: the one added first, or never changed, goes first.
    name = second.place([steady("b", 0.9)]).result()[0].machine
    second.close()
    first.close()
    assert name == "m2"


def test_an_engine_forgets_machines_that_have_left(monkeypatch) -> None:
    monkeypatch.setattr("cotenant.service.state.MOST_RETIRED", 3)
    core = Placement(SETTINGS)
    try:
        machines(core, 1.0, 1.0)
        core.place([steady("a", 0.5)]).result()
        for number in range(20):
            core.add_machines([MachineSpec(f"x{number}", {"cpu": 1.0})]).result()
            core.drain(f"x{number}").result()
            placed = core.place([steady(f"t{number}", 0.6)]).result()[0]
            assert placed.machine == "m2"
            core.release(f"t{number}").result()
        with core._asking() as desk:
            assert len(desk.state._hosts["usage"]) < 9
        assert core.machine("m1").tasks == ("a",)
    finally:
        core.close()


def test_the_interface_changes_capacity() -> None:
    with running(SETTINGS) as service:
        service.machines(2, cpu=2.0)
        usage = {"cpu": {"mean": 1.5}}
        service.http.post("/v1/tasks", json={"name": "a", "usage": usage})
        answer = service.http.patch("/v1/machines/n1", json={"capacity": {"cpu": "1"}})
        assert answer.status_code == 200
        assert answer.json()["machine"]["capacity"] == {"cpu": 1.0}
        assert answer.json()["moved"][0]["machine"] == "n2"
        for path, body, status in [
            ("/v1/machines/n9", {"capacity": {"cpu": 1}}, 404),
            ("/v1/machines/n2", {"capacity": {"cpu": 1}}, 422),
            ("/v1/machines/n2", {"capacity": {"cpu": -1}}, 400),
            ("/v1/machines/n2", {"capacity": {}}, 400),
        ]:
            assert service.http.patch(path, json=body).status_code == status
