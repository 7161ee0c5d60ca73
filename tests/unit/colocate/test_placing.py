"""Placer, supply, packing and rebalancing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.colocate.methods import make_admission
from cotenant.colocate.pack import ORDERS, Packing, Policy, pack
from cotenant.colocate.placer import Placer
from cotenant.colocate.rules import best_fit, first_fit
from cotenant.demand.task import Task
from cotenant.demand.usage import Usage
from cotenant.errors import InvalidInput, UnknownTask
from cotenant.fleet import Fleet, MachineType
from tests.oracles import gaussian_fits, naive_pack
from tests.strategies import rhos, samples

EQUAL = Fleet.of_equal({"cpu": 1.0})
METHODS = ["exact", "gaussian", "mean:1.25", "percentile:95", "max", "cantelli:1"]


def task(name: str, *drawn: float, memory: float | None = None, **more: str) -> Task:
    usage = {"cpu": Usage.from_samples(drawn)}
    if memory is not None:
        usage["memory"] = Usage.from_samples([memory])
    return Task(name, usage, more.get("label"))


def steady(*sizes: float) -> list[Task]:
    return [task(f"t{i}", size) for i, size in enumerate(sizes)]


def layout(packing: Packing) -> list[list[str]]:
    return [[t.name for t in tasks] for tasks in packing.tasks]


def test_first_fit_takes_the_first_and_best_fit_the_fullest() -> None:
    tasks = steady(0.5, 0.7, 0.3)
    assert layout(pack(tasks, EQUAL, Policy("max", "first-fit"))) == [
        ["t0", "t2"],
        ["t1"],
    ]
    assert layout(pack(tasks, EQUAL, Policy("max", "best-fit"))) == [
        ["t0"],
        ["t1", "t2"],
    ]


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=30, deadline=None)
@given(drawn=st.lists(samples(), min_size=1, max_size=12), rho=rhos)
def test_no_machine_breaks_its_own_test(
    method: str, drawn: list[list[float]], rho: float
) -> None:
    tasks = [task(f"t{i}", *s) for i, s in enumerate(drawn)]
    packing = pack(tasks, EQUAL, Policy(method, rho=rho, rebalance=True))
    for held in packing.tasks:
        admission = make_admission(method, rho)
        admission.grow(1.0)
        for one in held[:-1]:
            admission.add(0, one.usage["cpu"])
        assert admission.fits(held[-1].usage["cpu"])[0]
    placed = [name for held in layout(packing) for name in held]
    refused = [u.task for u in packing.unplaced]
    assert sorted(placed + refused) == sorted(t.name for t in tasks)


@pytest.mark.parametrize("rule", ["first-fit", "best-fit"])
@settings(max_examples=40, deadline=None)
@given(drawn=st.lists(samples(), min_size=1, max_size=15), rho=rhos)
def test_gpa_packs_like_a_direct_evaluation_of_the_formula(
    rule: str, drawn: list[list[float]], rho: float
) -> None:
    usages = [Usage.from_samples(s) for s in drawn]
    usages = [u for u in usages if gaussian_fits([u], 1.0, rho)]
    tasks = [Task(f"t{i}", {"cpu": u}) for i, u in enumerate(usages)]
    packing = pack(tasks, EQUAL, Policy("gaussian", rule, rho))
    number = {n: m for m, names in enumerate(layout(packing)) for n in names}
    sizes = [(u.mean, u.variance) for u in usages]
    expected = naive_pack(sizes, 1.0, rho, best=rule == "best-fit")
    assert [number[t.name] for t in tasks] == expected


def test_a_task_too_big_is_listed_with_resource_and_number_and_the_rest_placed() -> (
    None
):
    tasks = [task("big", *[0.2] * 49, 1.5), task("small", 0.5)]
    packing = pack(tasks, EQUAL, Policy("exact", rho=0.01))
    assert layout(packing) == [["small"]]
    (refusal,) = packing.unplaced
    assert (refusal.task, refusal.resource) == ("big", "cpu")
    assert refusal.reason == (
        "exceeds every machine by itself: Pr[use > 1] = 0.02 > 0.01"
    )


def test_memory_is_a_second_resource_by_its_maximum() -> None:
    fleet = Fleet.of_equal({"cpu": 1.0, "memory": 10.0})
    tasks = [task(f"t{i}", 0.1, memory=4.0) for i in range(3)]
    assert layout(pack(tasks, fleet, Policy())) == [["t0", "t1"], ["t2"]]
    packing = pack([task("hog", 0.1, memory=11.0)], fleet, Policy())
    assert packing.unplaced[0].resource == "memory"
    assert "11 > 10" in packing.unplaced[0].reason


def test_a_limit_of_tasks_and_replicas_apart_are_kept() -> None:
    tasks = steady(*[0.1] * 5)
    assert layout(pack(tasks, EQUAL, Policy(max_tasks=2))) == [
        ["t0", "t1"],
        ["t2", "t3"],
        ["t4"],
    ]
    replicas = [task(f"t{i}", 0.1, label="web") for i in range(3)]
    assert layout(pack(replicas, EQUAL, Policy())) == [["t0"], ["t1"], ["t2"]]


def test_cheapest_machines_per_core_open_first_until_they_run_out() -> None:
    fleet = Fleet(
        (
            MachineType("dear", {"cpu": 2.0}, cost=4.0),
            MachineType("cheap", {"cpu": 1.0}, count=2, cost=1.0),
        )
    )
    packing = pack(steady(0.9, 0.9, 0.9, 1.5), fleet, Policy("max"))
    assert [m.name for m in packing.machines] == [
        "cheap-0001",
        "cheap-0002",
        "dear-0001",
        "dear-0002",
    ]


def test_a_fleet_that_is_used_up_says_so() -> None:
    fleet = Fleet((MachineType("only", {"cpu": 1.0}, count=1),))
    packing = pack(steady(0.9, 0.9), fleet, Policy("max"))
    assert [m.name for m in packing.machines] == ["only"]
    assert packing.unplaced[0].resource == "machines"
    assert "in use" in packing.unplaced[0].reason


def test_spares_come_from_the_largest_machines() -> None:
    fleet = Fleet(
        (
            MachineType("small", {"cpu": 1.0}, count=2),
            MachineType("large", {"cpu": 4.0}, count=2),
        ),
        spare=1,
    )
    assert [(kind.name, count) for kind, count in fleet.usable()] == [
        ("small", 2),
        ("large", 1),
    ]


def test_rebalancing_fills_the_last_machine_and_breaks_no_test() -> None:
    tasks = steady(0.3, 0.3, 0.3, 0.3)
    packing = pack(tasks, EQUAL, Policy("max", rebalance=True))
    assert layout(packing) == [["t2"], ["t3", "t0", "t1"]]
    assert packing.moved == {"t0", "t1"}


def test_choices_name_the_fuller_machines_that_refused() -> None:
    tasks = steady(0.9, 0.6, 0.2)
    packing = pack(tasks, EQUAL, Policy("max"), explain=True)
    last = packing.choices["t2"]
    assert [machine for machine, _ in last.refused] == [0]
    assert "1.1 > 1" in last.refused[0][1].words
    assert last.verdict.value == pytest.approx(0.8)
    assert packing.choices["t0"].opened


def test_orders_keep_every_task_once() -> None:
    tasks = steady(0.2, 0.5, 0.1, 0.5)
    for order in ORDERS.values():
        names = [t.name for t in order(tasks, Policy(), 1.0)]
        assert sorted(names) == ["t0", "t1", "t2", "t3"]
    by_mean = [t.name for t in ORDERS["largest-mean"](tasks, Policy(), 1.0)]
    assert by_mean == ["t1", "t3", "t0", "t2"]


def test_used_machines_come_before_new_ones_and_removal_frees_room() -> None:
    placer = Placer(make_admission("max", 0.01), lambda _task, _usage: 1.0, best_fit)
    half = Usage.from_samples([0.5])
    assert [placer.place(name, half).machine for name in "abc"] == [0, 0, 1]
    placer.remove("b")
    assert placer.place("d", half).machine == 0
    assert list(placer.tasks(0)) == ["a", "d"]


def test_a_name_is_placed_once_and_a_stranger_cannot_leave() -> None:
    placer = Placer(make_admission("max", 0.01), lambda _task, _usage: 1.0, first_fit)
    placer.place("a", Usage.from_samples([0.5]))
    with pytest.raises(InvalidInput, match="'a' is placed already"):
        placer.place("a", Usage.from_samples([0.5]))
    with pytest.raises(UnknownTask, match="'b'"):
        placer.remove("b")


@settings(max_examples=30, deadline=None)
@given(drawn=st.lists(samples(), min_size=2, max_size=10), data=st.data())
def test_placing_after_a_removal_is_as_if_the_task_had_never_come(
    drawn: list[list[float]], data: st.DataObject
) -> None:
    def placer() -> Placer[Usage, float]:
        return Placer(make_admission("exact", 0.05), lambda _task, _usage: 1.0)

    usages = [Usage.from_samples(s) for s in drawn]
    leaver = data.draw(st.integers(0, len(usages) - 1))
    changed = placer()
    for number, usage in enumerate(usages):
        changed.place(str(number), usage)
    machine = changed.remove(str(leaver)).machine
    plain = make_admission("exact", 0.05)
    plain.grow(1.0)
    for usage in changed.tasks(machine).values():
        plain.add(0, usage)
    probe = Usage.from_samples([0.1, 0.4])
    assert changed.verdict(machine, probe) == plain.verdict(0, probe)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("median", "expected one of exact"),
        ("mean", "mean:N"),
        ("mean:-1", "factor"),
        ("percentile:101", "0 to 100"),
        ("exact:3", "takes no number"),
        ("cantelli:abc", "standard deviations"),
        ("mean:inf", "factor"),
    ],
)
def test_wrong_methods_are_refused_with_what_would_be_right(
    text: str, words: str
) -> None:
    with pytest.raises(InvalidInput, match=words):
        make_admission(text, 0.01)


@pytest.mark.parametrize(
    "wrong",
    [{"rho": 0.0}, {"rho": 1.0}, {"rule": "worst"}, {"order": "x"}, {"max_tasks": 0}],
)
def test_wrong_policies_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        Policy(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["exact", "gaussian", "max"])
def test_no_tasks_take_no_machines(method: str) -> None:
    packing = pack([], Fleet.of_equal({"cpu": 1.0}), Policy(method))
    assert (packing.machines, packing.tasks, packing.unplaced) == ([], [], [])
