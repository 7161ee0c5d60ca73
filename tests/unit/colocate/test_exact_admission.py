"""What an exact admission does for many machines at once it does as one by one."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.colocate import exact_pool
from cotenant.colocate.exact import ExactAdmission
from cotenant.colocate.picking import pick
from cotenant.colocate.rules import best_fit
from cotenant.demand.usage import Hours, Usage
from tests.strategies import samples

capacities = st.lists(st.sampled_from([1.0, 1.0, 1.0, 4.0, 0.37]), min_size=1)
demands = samples(most=0.9).map(Usage.from_samples)
smooth = st.builds(
    lambda seed, scale: Usage.from_samples(
        np.random.default_rng(seed).gamma(1.5, scale, 40)
    ),
    st.integers(0, 1000),
    st.sampled_from([0.01, 0.05, 0.2]),
)
mixed = st.one_of(demands, smooth)


def pair(sizes: list[float], rho: float) -> tuple[ExactAdmission, ExactAdmission]:
    plain, gathered = ExactAdmission(rho), ExactAdmission(rho)
    for size in sizes:
        plain.grow(size)
        gathered.grow(size)
    return plain, gathered


@settings(max_examples=40, deadline=None)
@given(
    sizes=capacities,
    asked=st.lists(mixed, max_size=25),
    probe=mixed,
    data=st.data(),
)
def test_filling_at_once_leaves_the_bits_of_adding_one_by_one(
    sizes: list[float], asked: list[Usage], probe: Usage, data: st.DataObject
) -> None:
    plain, gathered = pair(sizes, 0.05)
    machine = st.integers(0, len(sizes) - 1)
    where = [data.draw(machine) for _ in asked]
    # Blocks so small that some machines are filled over several of them.
    with patch.object(exact_pool, "BLOCK", 3), gathered.deferred():
        for number, demand in zip(where, asked, strict=True):
            plain.add(number, demand)
            gathered.add(number, demand)
    assert gathered.fullness().tolist() == plain.fullness().tolist()
    for number in range(len(sizes)):
        assert gathered.overload(number) == plain.overload(number)
        assert gathered.verdict(number, probe) == plain.verdict(number, probe)
    if asked:
        gathered.remove(where[0], asked[0])
        plain.remove(where[0], asked[0])
    chosen = pick(gathered, best_fit, probe)
    assert chosen == best_fit(plain.fits(probe), plain.fullness())


@given(sizes=capacities, asked=st.lists(mixed, max_size=9), probe=mixed)
@settings(max_examples=40, deadline=None)
def test_verdicts_of_some_machines_are_the_verdicts_one_by_one(
    sizes: list[float], asked: list[Usage], probe: Usage
) -> None:
    plain, gathered = pair(sizes, 0.05)
    for number, demand in enumerate(asked):
        plain.add(number % len(sizes), demand)
        gathered.add(number % len(sizes), demand)
    some = list(range(0, len(sizes), 2))[::-1]
    assert gathered.verdicts(some, probe) == [plain.verdict(m, probe) for m in some]


@pytest.mark.parametrize("capacity", [1.0, 64.0, 0.37])
def test_load_of_one_machine_is_its_fullness(capacity: float) -> None:
    _, admission = pair([capacity] * 2, 0.05)
    admission.add(1, Usage.from_samples([0.1, 0.2]))
    assert [admission.load(0), admission.load(1)] == admission.fullness().tolist()


def of_hours(values: np.ndarray, slots: int) -> Usage:
    """Return a usage whose time-of-day slots differ, if there are some."""
    usage = Usage.from_samples(values)
    parts = [Usage.from_samples(part) for part in np.array_split(values, slots)]
    hours = Hours(
        np.cumsum([0, *(len(part.values) for part in parts)]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.array([part.mean for part in parts]),
        np.array([part.variance for part in parts]),
    )
    return replace(usage, hours=hours)


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_a_packed_fleet_is_picked_from_as_if_every_machine_were_asked(
    slots: int,
) -> None:
    random = np.random.default_rng(slots)
    admission = ExactAdmission(0.02, slots=slots)
    for _ in range(20):
        admission.grow(1.0)
    everything = np.ones(20, dtype=np.bool_)
    refused = 0
    for number in range(300):
        # Some have values past the capacity of any machine.
        scale = 0.2 if number % 10 == 0 else random.uniform(0.005, 0.05)
        usage = of_hours(random.gamma(2.0, scale, 60), slots)
        fits = admission.fits(usage)
        chosen = admission.pick(usage, best_fit, everything)
        assert chosen == best_fit(fits, admission.fullness())
        refused += int((~fits).sum())
        if chosen is not None:
            admission.add(chosen, usage)
    assert refused > 1_000
