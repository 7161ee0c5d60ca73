"""The pruned admission picks what asking every machine picks, bit for bit."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.colocate.exact import ExactAdmission
from cotenant.colocate.pruned import PrunedAdmission
from cotenant.colocate.rules import best_fit, first_fit
from cotenant.demand.usage import Hours, Usage
from tests.strategies import rhos, samples

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


def pair(
    sizes: list[float], rho: float, slots: int = 1
) -> tuple[ExactAdmission, PrunedAdmission]:
    plain, pruned = ExactAdmission(rho, slots=slots), PrunedAdmission(rho, slots=slots)
    for size in sizes:
        plain.grow(size)
        pruned.grow(size)
    return plain, pruned


def of_hours(values: np.ndarray, slots: int) -> Usage:
    """Return a usage whose time-of-day slots differ, if there are some."""
    usage = Usage.from_samples(values)
    if slots == 1:
        return usage
    parts = [Usage.from_samples(part) for part in np.array_split(values, slots)]
    hours = Hours(
        np.cumsum([0, *(len(part.values) for part in parts)]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.array([part.mean for part in parts]),
        np.array([part.variance for part in parts]),
    )
    return replace(usage, hours=hours)


def expected(
    plain: ExactAdmission, demand: Usage, allowed: np.ndarray, best: bool
) -> int | None:
    rule = best_fit if best else first_fit
    return rule(plain.fits(demand) & allowed, plain.fullness())


@settings(max_examples=150, deadline=None)
@given(
    sizes=capacities,
    rho=rhos,
    asked=st.lists(mixed, min_size=1, max_size=25),
    best=st.booleans(),
    data=st.data(),
)
def test_it_picks_what_the_rule_picks_among_all_machines(
    sizes: list[float], rho: float, asked: list[Usage], best: bool, data: st.DataObject
) -> None:
    plain, pruned = pair(sizes, rho)
    held: list[tuple[int, Usage]] = []
    for demand in asked:
        allowed = np.array(data.draw(st.lists(st.booleans(), min_size=len(sizes))))
        allowed = allowed[: len(sizes)]
        liked = pruned.fullness() if best else np.zeros(len(sizes))
        chosen = pruned.pick(demand, allowed, liked)
        assert chosen == expected(plain, demand, allowed, best)
        machine = len(held) % len(sizes) if chosen is None else chosen
        for admission in (plain, pruned):
            admission.add(machine, demand)
        held.append((machine, demand))
        if len(held) > 3 and data.draw(st.booleans()):
            gone = held.pop(data.draw(st.integers(0, len(held) - 1)))
            for admission in (plain, pruned):
                admission.remove(*gone)


def test_it_picks_the_same_on_a_fleet_packed_to_the_limit() -> None:
    random = np.random.default_rng(5)
    plain, pruned = pair([1.0] * 60, 0.01)
    everything = np.ones(60, dtype=np.bool_)
    refused = 0
    for _ in range(700):
        usage = Usage.from_samples(random.gamma(2.0, random.uniform(0.005, 0.05), 30))
        chosen = pruned.pick(usage, everything, pruned.fullness())
        assert chosen == best_fit(plain.fits(usage), plain.fullness())
        if chosen is None:
            refused += 1
            continue
        plain.add(chosen, usage)
        pruned.add(chosen, usage)
    assert 0 < refused < 650


@pytest.mark.parametrize("slots", [1, 2])
def test_a_refusal_is_remembered_until_the_machine_changes(slots: int) -> None:
    random = np.random.default_rng(6)
    plain, pruned = pair([1.0] * 9, 0.01, slots)
    kinds = [of_hours(random.gamma(2.0, 0.02, 30), slots) for _ in range(3)]
    held: list[tuple[int, Usage]] = []
    everything = np.ones(9, dtype=np.bool_)
    for step in range(500):
        usage = kinds[step % 3]
        chosen = pruned.pick(usage, everything, pruned.fullness())
        assert chosen == best_fit(plain.fits(usage), plain.fullness())
        if chosen is not None:
            held.append((chosen, usage))
            plain.add(chosen, usage)
            pruned.add(chosen, usage)
        elif step % 5 == 0:
            gone = held.pop(random.integers(len(held)))
            plain.remove(*gone)
            pruned.remove(*gone)


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
    plain, pruned = pair(sizes, 0.05)
    machine = st.integers(0, len(sizes) - 1)
    where = [data.draw(machine) for _ in asked]
    with pruned.deferred():
        for number, demand in zip(where, asked, strict=True):
            plain.add(number, demand)
            pruned.add(number, demand)
    assert pruned.fullness().tolist() == plain.fullness().tolist()
    for number in range(len(sizes)):
        assert pruned.overload(number) == plain.overload(number)
        assert pruned.verdict(number, probe) == plain.verdict(number, probe)
    if asked:
        pruned.remove(where[0], asked[0])
        plain.remove(where[0], asked[0])
    everything = np.ones(len(sizes), dtype=np.bool_)
    chosen = pruned.pick(probe, everything, pruned.fullness())
    assert chosen == best_fit(plain.fits(probe), plain.fullness())


@given(sizes=capacities, asked=st.lists(mixed, max_size=9), probe=mixed)
@settings(max_examples=40, deadline=None)
def test_verdicts_of_some_machines_are_the_verdicts_one_by_one(
    sizes: list[float], asked: list[Usage], probe: Usage
) -> None:
    plain, pruned = pair(sizes, 0.05)
    for number, demand in enumerate(asked):
        plain.add(number % len(sizes), demand)
        pruned.add(number % len(sizes), demand)
    some = list(range(0, len(sizes), 2))[::-1]
    assert pruned.verdicts(some, probe) == [plain.verdict(m, probe) for m in some]


@pytest.mark.parametrize("capacity", [1.0, 64.0, 0.37])
def test_load_of_one_machine_is_its_fullness(capacity: float) -> None:
    _, pruned = pair([capacity] * 2, 0.05)
    pruned.add(1, Usage.from_samples([0.1, 0.2]))
    assert [pruned.load(0), pruned.load(1)] == pruned.fullness().tolist()
