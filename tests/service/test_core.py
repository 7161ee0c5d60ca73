"""What the placement core decides, and what it tells."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from cotenant.errors import (
    Conflict,
    InvalidInput,
    NothingFits,
    UnknownMachine,
    UnknownTask,
)
from cotenant.service.asked import MachineSpec, Moments, Settings, TaskSpec
from cotenant.service.core import Placement
from tests.service.asking import (
    SETTINGS,
    fleet,
    hosts,
    machine,
    promised,
    sampled,
    task,
)


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def core(clock: Clock) -> Iterator[Placement]:
    placement = Placement(SETTINGS, clock=clock)
    yield placement
    placement.close()


def words(core: Placement) -> list[str]:
    return [event.words for event in core.events()]


def test_tasks_fill_a_machine_before_the_next_is_begun(core: Placement) -> None:
    fleet(core, 3)
    where = [core.place([task(f"t{i}")]).result()[0].machine for i in range(8)]
    assert where == sorted(where)
    assert set(where) == {"m0", "m1", "m2"}
    for found in core.machines():
        assert found.overload is not None
        assert found.overload <= 0.01
        assert not found.over_promise


def test_first_fit_and_other_methods_are_settings(clock: Clock) -> None:
    settings = Settings(rho=0.01, method="max", rule="first-fit")
    placement = Placement(settings, clock=clock)
    placement.add_machines([machine("small", 1.0), machine("large", 2.0)]).result()
    asked = [sampled(f"t{i}", 0.1, 0.5) for i in range(6)]
    placed = placement.place(asked).result()
    assert [p.machine for p in placed] == ["small"] * 2 + ["large"] * 4
    assert placed[1].overload == 0.0  # told by the exact test all the same
    with pytest.raises(NothingFits, match=r"sum of maxima = 2\.5 > 2"):
        placement.place([sampled("more", 0.5)]).result()
    placement.close()


def test_a_list_is_placed_whole_or_not_at_all(core: Placement) -> None:
    fleet(core, 1)
    before = core.place([task("first")]).result()
    with pytest.raises(NothingFits) as caught:
        core.place([task("a"), task("b"), sampled("huge", 0.99)]).result()
    assert caught.value.task == "huge"
    assert "Pr[use > 1]" in caught.value.machines["m0"]
    assert [view.name for view in core.tasks()] == ["first"]
    assert core.machine("m0").tasks == ("first",)
    # The machine is as if nothing had been tried, to the last bit.
    core.release("first").result()
    again = core.place([task("first")]).result()
    assert again == before


def test_a_task_too_big_for_every_machine_is_told_so(core: Placement) -> None:
    fleet(core, 2)
    with pytest.raises(NothingFits, match="exceeds every machine by itself"):
        core.place([sampled("huge", 1.5)]).result()
    with pytest.raises(NothingFits, match="no machine of kind sla"):
        core.place([promised("video", "1/30")]).result()
    assert core.summary().refusals == {"cpu": 1, "machines": 1}


def test_the_same_request_twice_changes_nothing(core: Placement) -> None:
    fleet(core, 2)
    first = core.place([task("t")]).result()[0]
    second = core.place([task("t")]).result()[0]
    assert (second.repeated, second.to_dict()) == (True, first.to_dict())
    with pytest.raises(Conflict, match="'t' is placed with another demand"):
        core.place([task("t", 0.2)]).result()
    assert len(words(core)) == 3


def test_a_key_stands_for_one_request(core: Placement) -> None:
    fleet(core, 2)
    asked = [task("a"), task("b")]
    first = core.place(asked, key="k1").result()
    core.release("a").result()
    second = core.place(asked, key="k1").result()
    assert all(answer.repeated for answer in second)
    assert [a.to_dict() for a in second] == [a.to_dict() for a in first]
    assert [view.name for view in core.tasks()] == ["b"]
    with pytest.raises(Conflict, match="'k1' was used for another request"):
        core.place([task("c")], key="k1").result()


def test_a_name_twice_in_one_list_is_refused(core: Placement) -> None:
    fleet(core, 1)
    with pytest.raises(InvalidInput, match="'a' is given twice"):
        core.place([task("a"), task("a")]).result()


def test_memory_is_a_second_resource(core: Placement) -> None:
    core.add_machines([machine("m", 1.0, memory=100.0), machine("any", 1.0)]).result()
    asked = TaskSpec("big", {"cpu": Moments(0.1), "memory": (40.0, 80.0)})
    assert core.place([asked]).result()[0].machine == "m"
    asked = TaskSpec("more", {"cpu": Moments(0.1), "memory": (40.0,)})
    assert core.place([asked]).result()[0].machine == "any"
    assert core.machine("m").memory == pytest.approx(0.8)
    assert core.machine("any").memory is None


def test_replicas_are_kept_apart(core: Placement) -> None:
    fleet(core, 2)
    asked = [sampled(f"r{i}", 0.01, label="web") for i in range(2)]
    placed = core.place(asked).result()
    assert {answer.machine for answer in placed} == {"m0", "m1"}
    with pytest.raises(NothingFits, match="1 replicas of 'web' already there"):
        core.place([sampled("r2", 0.01, label="web")]).result()


def test_slas_go_to_machines_of_their_kind_and_are_rewritten(core: Placement) -> None:
    core.add_machines([hosts("rt", 2.0), machine("m")]).result()
    where = {}
    for name, text in (("a", "1/2"), ("b", "1/3"), ("c", "1/6"), ("d", "1/4")):
        answer = core.place([promised(name, text)]).result()[0]
        assert answer.machine == "rt"
        assert answer.overload is None
        where[name] = answer.granted
    assert where["a"] == "1/2"
    assert core.task("c").sla == "1/6"
    with pytest.raises(NothingFits):
        core.place([promised("all", "1/1")]).result()
    assert core.machine("rt").load > 0.5


def test_a_change_stays_where_it_fits_and_moves_where_not(core: Placement) -> None:
    fleet(core, 2)
    core.place([task("a"), task("b")]).result()
    stayed = core.change(task("a", 0.12)).result()
    assert (stayed.machine, stayed.moved_from) == ("m0", None)
    assert stayed.reason.startswith("fits where it is: Pr[use > 1] = ")
    moved = core.change(sampled("a", 0.9)).result()
    assert (moved.machine, moved.moved_from) == ("m1", "m0")
    assert moved.reason.startswith("could not stay on m0: Pr[use > 1] = ")
    assert core.machine("m0").tasks == ("b",)
    with pytest.raises(NothingFits):
        core.change(sampled("b", 0.95, 1.5)).result()
    assert core.machine("m0").tasks == ("b",)
    assert core.change(sampled("a", 0.9)).result().reason == "nothing changed"
    with pytest.raises(UnknownTask):
        core.change(task("ghost")).result()
    with pytest.raises(InvalidInput, match="cannot become sla"):
        core.change(promised("a", "1/2")).result()


def test_measurements_sharpen_what_is_believed(core: Placement) -> None:
    fleet(core, 1)
    core.place([task("t", 0.1, 0.01)]).result()
    view, overload = core.update_usage("t", {"cpu": [0.3] * 24}).result()
    assert view.usage["cpu"]["mean"] == pytest.approx(0.2)
    assert view.usage["cpu"]["observations"] == 48
    assert overload == core.machine("m0").overload
    for _ in range(40):
        core.update_usage("t", {"cpu": [0.3] * 24}).result()
    assert core.task("t").usage["cpu"]["mean"] == pytest.approx(0.3, abs=0.01)


def test_a_broken_promise_is_shown_not_hidden(core: Placement) -> None:
    fleet(core, 1)
    core.place([task("t", 0.1, 0.0)]).result()
    core.update_usage("t", {"cpu": [1.2] * 24}).result()
    found = core.machine("m0")
    assert found.overload == pytest.approx(0.5)
    assert found.over_promise
    assert core.summary().over_promise == 1


def test_a_failed_feed_keeps_the_last_value_and_its_age(
    core: Placement, clock: Clock
) -> None:
    fleet(core, 1)
    core.place([task("t", 0.1, 0.0)]).result()
    core.update_usage("t", {"cpu": [0.3] * 24}).result()
    before = core.task("t")
    clock.now += 60
    after = core.fail_usage("t", "HTTP 500 from the metrics server").result()
    assert after.usage == before.usage
    assert after.measured_at == before.measured_at == clock.now - 60
    assert core.summary().stale_tasks == 1
    for nothing in ({}, {"cpu": []}, {"cpu": [float("nan")]}, {"cpu": [-1.0]}):
        with pytest.raises(InvalidInput):
            core.update_usage("t", nothing).result()
    assert core.task("t").usage == before.usage
    core.update_usage("t", {"cpu": [0.3]}).result()
    assert core.summary().stale_tasks == 0
    clock.now += SETTINGS.stale_after + 1
    assert core.summary().stale_tasks == 1
    assert core.task("t").usage["cpu"]["mean"] > 0.1


def test_a_draining_machine_takes_nothing_and_leaves_when_empty(
    core: Placement,
) -> None:
    fleet(core, 2)
    core.place([task("t")]).result()
    assert core.drain("m1").result() is None
    view = core.drain("m0").result()
    assert view is not None
    assert view.draining
    with pytest.raises(NothingFits, match="takes no more tasks"):
        core.place([task("u")]).result()
    with pytest.raises(Conflict, match="'m0' is draining"):
        core.add_machines([machine("m0")]).result()
    core.release("t").result()
    with pytest.raises(UnknownMachine):
        core.machine("m0")
    core.add_machines([machine("m0")]).result()
    assert core.place([task("u")]).result()[0].machine == "m0"


def test_machines_are_declared_once(core: Placement) -> None:
    fleet(core, 1)
    fleet(core, 1)
    assert len(words(core)) == 1
    with pytest.raises(Conflict, match="'m0' is in the fleet as"):
        core.add_machines([machine("n"), machine("m0", 2.0)]).result()
    assert [m.name for m in core.machines()] == ["m0"]


def test_a_reservation_counts_until_it_is_confirmed(core: Placement) -> None:
    fleet(core, 2)
    held = core.reserve("uid-1", sampled("pod", 0.6), ["m1", "ghost"]).result()
    assert held.machine == "m1"
    assert core.machine("m1").reserved == 1
    assert core.tasks() == []
    verdicts = core.assess(sampled("other", 0.6), ["m0", "m1"])
    assert [v.fits for v in verdicts] == [True, False]
    own = core.assess(sampled("pod", 0.6), ["m0", "m1"], uid="uid-1")
    assert [v.fits for v in own] == [True, True]
    placed = core.confirm("uid-1", sampled("pod", 0.6), "m0").result()
    assert placed.machine == "m0"
    assert core.machine("m1").reserved == 0
    again = core.confirm("uid-1", sampled("pod", 0.6), "m0").result()
    assert again.repeated


def test_asking_again_for_a_pod_replaces_its_reservation(core: Placement) -> None:
    fleet(core, 2)
    core.reserve("uid", sampled("pod", 0.6), ["m0"]).result()
    core.reserve("uid", sampled("pod", 0.6), ["m0"]).result()
    assert core.machine("m0").reserved == 1
    core.reserve("uid", sampled("pod", 0.6), ["m1"]).result()
    assert [m.reserved for m in core.machines()] == [0, 1]
    assert core.unreserve("uid").result()
    assert not core.unreserve("uid").result()


def test_a_reservation_runs_out(core: Placement, clock: Clock) -> None:
    fleet(core, 1)
    core.reserve("uid", sampled("pod", 0.6), ["m0"], lasts=10.0).result()
    with pytest.raises(NothingFits):
        core.place([sampled("other", 0.6)]).result()
    clock.now += 10.0
    core.place([sampled("other", 0.6)]).result()
    assert core.machine("m0").reserved == 0


def test_a_bound_pod_counts_even_where_it_does_not_fit(core: Placement) -> None:
    fleet(core, 1)
    core.place([sampled("a", 0.6)]).result()
    core.confirm("uid", sampled("b", 0.6), "m0").result()
    assert core.machine("m0").over_promise
    with pytest.raises(UnknownMachine):
        core.confirm("uid", sampled("c", 0.6), "ghost").result()


def test_assessing_leaves_no_trace(core: Placement) -> None:
    fleet(core, 3)
    core.place([task(f"t{i}") for i in range(5)]).result()
    core.reserve("uid", task("pod"), ["m0", "m1"]).result()
    names = ["m0", "m1", "m2"]
    first = core.assess(task("q"), names)
    core.assess(task("pod"), names, uid="uid")
    assert core.assess(task("q"), names) == first
    assert all(0 <= a.score <= 10 for a in first)
    assert {a.machine for a in first if a.score == 10} <= set(names)


@pytest.mark.parametrize("later", [0, 1, 6])
def test_a_pod_is_judged_as_if_its_own_room_were_not_held(
    core: Placement, later: int
) -> None:
    pod, names = sampled("pod", *[0.1] * 29, 0.5), ["m0", "m1"]
    with closing(Placement(SETTINGS)) as twin:
        for one in (core, twin):
            fleet(one, 2)
            one.place([sampled(t, *[0.1] * 9, 0.3) for t in "abc"]).result()
        machine = core.reserve("uid", pod, names).result().machine
        for number in range(later):
            other = sampled(f"later-{number}", 0.001, 0.002 + 0.001 * number)
            for one in (core, twin):
                one.reserve(other.name, other, [machine]).result()
        assert core.assess(pod, names, "uid") == twin.assess(pod, names)
        assert core.assess(pod, names) != twin.assess(pod, names)


def test_a_machine_too_small_for_a_task_is_told_apart(core: Placement) -> None:
    core.add_machines([machine("small"), machine("large", 4.0)]).result()
    core.place([sampled("a", 3.5)]).result()
    small, large = core.assess(sampled("b", 2.0), ["small", "large"])
    assert (small.fits, small.ever) == (False, False)
    assert (large.fits, large.ever) == (False, True)


def test_room_made_by_leaving_tasks_is_judged_exactly(core: Placement) -> None:
    fleet(core, 1)
    core.place([sampled("a", 0.3), sampled("b", 0.3), sampled("c", 0.3)]).result()
    core.reserve("uid", sampled("pod", 0.1), ["m0"]).result()
    pod = sampled("pod", 0.4)
    assert not core.fits_without(pod, "m0", [])
    assert not core.fits_without(pod, "m0", ["a"])
    assert core.fits_without(pod, "m0", ["a"], uid="uid")
    assert core.fits_without(pod, "m0", ["a", "b", "ghost"])
    assert not core.fits_without(pod, "ghost", [])
    assert not core.fits_without(sampled("huge", 1.1), "m0", ["a", "b", "c"])
    assert core.machine("m0").tasks == ("a", "b", "c")


def test_the_ledger_reads_like_a_log(core: Placement) -> None:
    fleet(core, 1)
    core.place([task("web-7")]).result()
    core.release("web-7").result()
    assert words(core) == [
        "added machine m0",
        "placed web-7 on m0, risk 0.0061 % of 1 %",
        "released web-7 from m0",
    ]
    assert [e.number for e in core.events(after=1, limit=1)] == [2]


@pytest.mark.parametrize(
    "make",
    [
        lambda: MachineSpec("", {"cpu": 1.0}),
        lambda: MachineSpec("x" * 254, {"cpu": 1.0}),
        lambda: MachineSpec("a\nb", {"cpu": 1.0}),
        lambda: MachineSpec("m", {"memory": 1.0}),
        lambda: MachineSpec("m", {"cpu": 0.0}),
        lambda: MachineSpec("m", {"cpu": float("inf")}),
        lambda: MachineSpec("m", {"cpu": 1.5}, "sla"),
        lambda: MachineSpec("m", {"cpu": 1.0, "gpu": 1.0}),
        lambda: TaskSpec("t"),
        lambda: TaskSpec("t", {"memory": (1.0,)}),
        lambda: TaskSpec("t", {"cpu": ()}),
        lambda: TaskSpec("t", {"cpu": (float("nan"),)}),
        lambda: Moments(-1.0),
        lambda: Moments(0.0, 1.0),
        lambda: Moments(1.0, float("inf")),
        lambda: Settings(rho=0.0),
        lambda: Settings(method="esscher"),
        lambda: Settings(rule="worst-fit"),
        lambda: Settings(stale_after=0.0),
    ],
)
def test_values_that_cannot_be_right_are_refused(make: object) -> None:
    with pytest.raises(InvalidInput):
        make()  # type: ignore[operator]
