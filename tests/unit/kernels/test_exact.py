"""The convolution kernels against enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.colocate.cells import grid
from cotenant.colocate.exact import ExactAdmission
from cotenant.demand.usage import Usage
from cotenant.kernels.cells import to_cells
from tests.oracles import enumerated_overload
from tests.strategies import samples


def machine(usages: list[Usage], capacity: float, cells: int = 500) -> ExactAdmission:
    admission = ExactAdmission(0.5, cells)
    admission.grow(capacity)
    for usage in usages:
        admission.add(0, usage)
    return admission


@settings(deadline=None)
@given(
    drawn=st.lists(samples(size=5), min_size=1, max_size=4),
    capacity=st.sampled_from([0.5, 1.0, 1.2]),
)
def test_overload_equals_enumeration_of_small_distributions(
    drawn: list[list[float]], capacity: float
) -> None:
    usages = [Usage.from_samples(s) for s in drawn]
    expected = enumerated_overload(usages, capacity)
    assert machine(usages, capacity).overload(0) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(drawn=st.lists(samples(size=5), min_size=2, max_size=4))
def test_the_test_of_a_joining_task_equals_enumeration(
    drawn: list[list[float]],
) -> None:
    *held, last = [Usage.from_samples(s) for s in drawn]
    value = machine(held, 1.0).verdict(0, last).value
    assert value == pytest.approx(enumerated_overload([*held, last], 1.0), abs=1e-12)


def test_usage_equal_to_capacity_is_no_overload() -> None:
    halves = [Usage.from_samples([0.5]) for _ in range(2)]
    assert machine(halves, 1.0).overload(0) == 0.0
    clipped = [Usage.from_samples([0.2, 1.0]), Usage.from_samples([0.0])]
    assert machine(clipped, 1.0).overload(0) == 0.0


def test_ten_tenths_fill_a_machine_without_overload() -> None:
    tenths = [Usage.from_samples([0.1]) for _ in range(10)]
    assert machine(tenths, 1.0).overload(0) == 0.0
    assert machine([*tenths, tenths[0]], 1.0).overload(0) == 1.0


def test_a_task_alone_is_judged_by_its_samples_not_by_the_grid() -> None:
    nearly = Usage.from_samples([0.9999, 0.99995, 1.00001])
    assert machine([nearly], 1.0).overload(0) == pytest.approx(1 / 3)


def test_splitting_keeps_mass_and_mean() -> None:
    usage = Usage.from_samples(np.random.default_rng(1).gamma(2.0, 0.05, 300))
    hours = usage.by_hour(1)
    parts = to_cells(hours.offsets, usage.values, usage.weights, 0.002, 1)
    _, cells, mass, pinned = parts
    assert mass.sum() == pytest.approx(1.0)
    assert (cells * mass).sum() * 0.002 == pytest.approx(usage.mean)
    assert pinned.sum() == 0.0
    assert (np.diff(cells) > 0).all()


@pytest.mark.parametrize("far", [1e12, 1e19, 1e60])
def test_usage_far_beyond_a_machine_keeps_its_share_of_time(far: float) -> None:
    usage = Usage.from_samples([0.5, far, far * 0.75, 0.25])
    _, _, mass, pinned = to_cells(
        np.array([0, 4]), usage.values, usage.weights, 0.002, 1
    )
    assert mass.sum() == pytest.approx(1.0)
    assert (mass >= 0).all()
    assert (pinned >= 0).all()
    steady = Usage.from_samples([0.1])
    assert machine([steady], 1.0).verdict(0, usage).value == pytest.approx(0.5)


def test_a_finer_grid_changes_overload_by_less_than_half_a_percent() -> None:
    random = np.random.default_rng(2)
    usages = [Usage.from_samples(random.gamma(2.0, 0.02, 200)) for _ in range(15)]
    coarse, fine = (machine(usages, 1.0, cells).overload(0) for cells in (500, 8000))
    assert coarse == pytest.approx(fine, rel=5e-3)
    assert 1e-4 < fine < 0.1


def test_small_tails_keep_their_digits() -> None:
    rare = Usage.from_samples([0.0] * 999 + [0.4])
    value = machine([rare] * 4, 1.0).overload(0)
    expected = 4 * 1e-9 * (1 - 1e-3) + 1e-12
    assert value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("capacity", "cells"), [(1.0, 500), (4.0, 800), (64.0, 640), (0.7, 700)]
)
def test_round_capacities_get_round_cells(capacity: float, cells: int) -> None:
    assert grid(capacity) == cells


def test_other_capacities_get_the_least_number_of_cells() -> None:
    assert grid(1 / 3) == 500
    assert grid(np.pi, least=1000) == 1000


def test_steady_tasks_that_fit_together_are_never_in_overload() -> None:
    thirds = [Usage.from_samples([0.3333])] * 3
    assert machine(thirds, 1.0).overload(0) == 0.0
    assert machine(thirds[:2], 1.0).verdict(0, thirds[0]).value == 0.0
    assert machine(thirds, 1.0).verdict(0, thirds[0]).value > 0.9
