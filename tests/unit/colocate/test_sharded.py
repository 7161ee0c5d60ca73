"""Groups of machines: the promise holds, nothing is shared, one group is the placer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotenant.colocate.methods import make_admission
from cotenant.colocate.placer import Placer
from cotenant.colocate.sharded import ShardedPlacer
from cotenant.demand.usage import Usage
from cotenant.errors import DoesNotFit, InvalidInput, UnknownTask
from tests.strategies import usages

RHO, SIZE = 0.1, 100.0


def plain() -> Placer[Usage, float]:
    return Placer(make_admission("gaussian", RHO), lambda task, demand: 1.0)


def sharded(groups: int) -> ShardedPlacer[Usage, float]:
    placers = [plain() for _ in range(groups)]
    return ShardedPlacer(placers, [SIZE] * groups, lambda u: u.mean)


def constant(value: float) -> Usage:
    return Usage.from_samples([value])


@given(st.lists(usages, max_size=12))
def test_one_group_places_as_its_placer_would(demands: list[Usage]) -> None:
    one, alone = sharded(1), plain()
    for number, demand in enumerate(demands):
        assert one.place(f"t{number}", demand) == alone.place(f"t{number}", demand)
    assert one.machines == alone.machines


@given(st.lists(usages, max_size=16), st.integers(1, 4))
def test_no_group_breaks_the_promise(demands: list[Usage], groups: int) -> None:
    placer = sharded(groups)
    for number, demand in enumerate(demands):
        placed = placer.place(f"t{number}", demand)
        assert placer.tasks(placed.machine)[f"t{number}"] == demand
    for machine in range(len(placer.machines)):
        on = make_admission("gaussian", RHO)
        on.grow(1.0)
        for demand in placer.tasks(machine).values():
            assert on.fits(demand)[0]
            on.add(0, demand)


@given(st.lists(usages, min_size=1, max_size=12), st.integers(1, 3))
def test_spare_capacity_is_that_of_the_machines(
    demands: list[Usage], groups: int
) -> None:
    placer = sharded(groups)
    for number, demand in enumerate(demands):
        placer.place(f"t{number}", demand)
    for number in range(0, len(demands), 2):
        placer.remove(f"t{number}")
    for group, spare in enumerate(placer.spare):
        machines = [m for m in range(len(placer.machines)) if placer.group(m) == group]
        load = sum(u.mean for m in machines for u in placer.tasks(m).values())
        assert spare == pytest.approx(SIZE - load)


def test_a_task_goes_where_most_is_spare() -> None:
    placer = sharded(2)
    groups = [
        placer.group(placer.place(name, constant(value)).machine)
        for name, value in (("a", 0.6), ("b", 0.3), ("c", 0.4), ("d", 0.1))
    ]
    assert groups == [0, 1, 1, 0]
    assert len(placer.machines) == 2


def test_a_group_without_machines_left_passes_a_task_on() -> None:
    def none(task: str, demand: Usage) -> float:
        raise DoesNotFit(task, "cpu", "no machine is left")

    closed = Placer(make_admission("gaussian", RHO), none)
    placer = ShardedPlacer([closed, plain()], [9.0, 1.0], lambda u: u.mean)
    assert placer.group(placer.place("a", constant(0.2)).machine) == 1
    nothing = ShardedPlacer([closed], [9.0], lambda u: u.mean)
    with pytest.raises(DoesNotFit, match="no machine is left"):
        nothing.place("a", constant(0.2))
    assert nothing.spare == [9.0]


def test_tasks_that_left_may_come_back_and_strangers_cannot_leave() -> None:
    placer = sharded(2)
    first = placer.place("a", constant(0.2))
    with pytest.raises(InvalidInput, match="'a' is placed already"):
        placer.place("a", constant(0.2))
    assert placer.remove("a") == first
    assert placer.spare == [SIZE, SIZE]
    with pytest.raises(UnknownTask):
        placer.remove("a")
    assert placer.place("a", constant(0.3)).machine == first.machine
