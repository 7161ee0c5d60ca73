"""An admission with an index picks what the plain rule picks among all machines."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.colocate import RULES
from cotenant.colocate.methods import METHODS, Test, make_admission
from cotenant.colocate.pack import Policy, pack
from cotenant.colocate.periodic.host_tests import TESTS, UnitHost, host_test
from cotenant.colocate.picking import Picks, Runs, pick
from cotenant.demand.sla import Sla
from cotenant.demand.task import Task
from cotenant.demand.usage import Hours, Usage
from cotenant.fleet import Fleet
from cotenant.kernels.index import following, make_index, put
from cotenant.kernels.tree import NONE
from tests.strategies import rhos, samples

NAMES = ["gaussian", "cumulants", "esscher", "exact", "max", "cantelli:1.7", "mean:0.9"]
NAMES += ["percentile:90", "requests"]
SLOTS = [*product(NAMES, [1]), ("exact", 2)]


def of_hours(values: np.ndarray | list[float]) -> Usage:
    """Return a usage that also has two time-of-day slots, unlike if possible."""
    usage = Usage.from_samples(values, request=float(np.max(values)))
    halves = np.array_split(np.resize(values, max(len(values), 2)), 2)
    parts = [Usage.from_samples(half) for half in halves]
    hours = Hours(
        np.cumsum([0, *(len(part.values) for part in parts)]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.array([part.mean for part in parts]),
        np.array([part.variance for part in parts]),
    )
    return replace(usage, hours=hours)


def drawn(seed: int, scale: float, spikes: float) -> Usage:
    random = np.random.default_rng(seed)
    values = random.gamma(1.5, scale, 40) * random.uniform(0.5, 1.0)
    return of_hours(np.where(random.random(40) < spikes, values * 5, values))


smooth = st.builds(
    drawn,
    st.integers(0, 1000),
    st.sampled_from([0.002, 0.01, 0.05, 0.2]),
    st.sampled_from([0.0, 0.05]),
)
mixed = st.one_of(samples(most=0.9).map(of_hours), smooth)
rules = st.sampled_from(list(RULES))
POPULATION = [drawn(seed, 0.02, 0.05) for seed in range(20)]


def made(name: str, slots: int, rho: float) -> Test:
    return make_admission(name, rho, slots=slots, population=POPULATION)


def test_the_suite_has_every_method_with_an_index() -> None:
    able = {name for name in METHODS if name not in ("one-factor", "welch", "replay")}
    assert {name.split(":")[0] for name in NAMES} == able
    for name in NAMES:
        assert isinstance(made(name, 1, 0.1), Picks)
        assert isinstance(made(name, 1, 0.1), Runs)


@pytest.mark.parametrize(("name", "slots"), SLOTS)
@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.sampled_from([1.0, 1.0, 1.0, 4.0, 0.37]), min_size=1),
    rho=rhos,
    asked=st.lists(mixed, min_size=1, max_size=25),
    rule=rules,
    data=st.data(),
)
def test_it_picks_what_the_rule_picks_among_all(
    name: str,
    slots: int,
    sizes: list[float],
    rho: float,
    asked: list[Usage],
    rule: str,
    data: st.DataObject,
) -> None:
    admission = made(name, slots, rho)
    for size in sizes:
        admission.grow(size)
    held: list[tuple[int, Usage]] = []
    for demand in asked:
        machines = len(admission.fullness())
        mask = data.draw(
            st.none() | st.lists(st.booleans(), min_size=machines, max_size=machines)
        )
        allowed = None if mask is None else np.array(mask)
        fits = admission.fits(demand)
        if allowed is not None:
            fits = fits & allowed
        expected = RULES[rule](fits, admission.fullness())
        assert pick(admission, RULES[rule], demand, allowed) == expected
        # Where none fits it is put where it does not belong: overfull ones count too.
        machine = len(held) % machines if expected is None else expected
        admission.add(machine, demand)
        held.append((machine, demand))
        if len(held) > 3 and data.draw(st.booleans()):
            admission.remove(*held.pop(data.draw(st.integers(0, len(held) - 1))))
        if data.draw(st.integers(0, 9)) == 0:
            admission.grow(sizes[0])


@pytest.mark.parametrize(("name", "slots"), SLOTS)
@pytest.mark.parametrize("rule", list(RULES))
@pytest.mark.parametrize("rho", [0.2, 0.01, 1e-4])
def test_it_packs_to_the_limit_as_the_rule_does(
    name: str, slots: int, rule: str, rho: float
) -> None:
    random = np.random.default_rng(5)
    kinds = [drawn(seed, random.choice([0.005, 0.01, 0.03]), 0.03) for seed in range(9)]
    usages = [
        kinds[random.integers(9)] if random.random() < 0.3 else drawn(seed, 0.02, 0.05)
        for seed in range(400)
    ]
    plain, indexed = made(name, slots, rho), made(name, slots, rho)
    assert isinstance(indexed, Runs)
    empty = made(name, slots, rho)
    empty.grow(1.0)
    expected = []
    for usage in usages:
        machine = RULES[rule](plain.fits(usage), plain.fullness())
        if machine is None and empty.fits(usage)[0]:
            machine = len(plain.fullness())
            plain.grow(1.0)
        expected.append(-1 if machine is None else machine)
        if machine is not None:
            plain.add(machine, usage)
    assert indexed.run(usages, RULES[rule], 1.0).tolist() == expected
    assert max(expected) > 5
    assert indexed.fullness().tolist() == plain.fullness().tolist()
    # The state that is left is that of packing one by one.
    for number in [n for n in (3, 350, 77) if expected[n] >= 0]:
        plain.remove(expected[number], usages[number])
        indexed.remove(expected[number], usages[number])
        probe = drawn(1000 + number, 0.01, 0.0)
        found = RULES[rule](plain.fits(probe), plain.fullness())
        assert pick(indexed, RULES[rule], probe) == found
        assert indexed.fits(probe).tolist() == plain.fits(probe).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_rebalancing_a_run_is_rebalancing_its_machines(name: str) -> None:
    usages = [drawn(seed, 0.03, 0.05) for seed in range(150)]
    admission = make_admission(name, 0.01, population=usages)
    assert isinstance(admission, Runs)
    admission.run(usages, RULES["best-fit"], 1.0)
    tasks = [Task(f"t{number}", {"cpu": usage}) for number, usage in enumerate(usages)]
    policy = Policy(name, rho=0.01, rebalance=True)
    packing = pack(tasks, Fleet.of_equal({"cpu": 1.0}), policy)
    place = {t.name: m for m, on in enumerate(packing.tasks) for t in on}
    expected = [place.get(task.name, -1) for task in tasks]
    assert admission.rebalanced().tolist() == expected
    assert packing.moved


@pytest.mark.parametrize("name", TESTS)
@settings(max_examples=60, deadline=None)
@given(asked=st.lists(st.tuples(st.integers(1, 6), st.integers(2, 24))), rule=rules)
def test_periodic_hosts_are_found_by_what_is_left_of_them(
    name: str, asked: list[tuple[int, int]], rule: str
) -> None:
    """Room is what utilization leaves of a host, need the task's: no test is laxer."""
    admission = host_test(name).make()
    index = make_index(5, rule == "best-fit")
    for machine in range(5):
        admission.grow(UnitHost("m", machine))
        put(index, machine, 0.0, 1.0)
    for budget, period in asked:
        task = Sla(min(budget, period), period)
        fits, fullness = admission.fits(task), admission.fullness()
        machine, need = NONE, task.utilization - 1e-9
        while (machine := following(index, machine, need)) != NONE:
            if fits[machine]:
                break
        expected = RULES[rule](fits, fullness)
        assert machine == (NONE if expected is None else expected)
        if expected is not None:
            admission.add(expected, task)
            full = float(admission.fullness()[expected])
            put(index, expected, full, 1.0 - full)
