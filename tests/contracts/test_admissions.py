"""Every admission of the table keeps the promises of `colocate/admission.py`."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.colocate.methods import METHODS, Test, make_admission
from cotenant.demand.usage import Usage
from tests.oracles import brute_rule
from tests.strategies import rhos, samples

NAMES = ["exact", "gaussian", "cantelli", "cantelli:1.7", "mean:1.25", "percentile:95"]
NAMES += ["max", "requests", "cumulants", "esscher", "one-factor", "welch"]
NAMES += ["replay", "replay:1.2"]
POPULATION = [Usage.from_samples([0.1 * k, 0.3, 0.05 * k]) for k in range(8)]


def ask(drawn: list[float], extra: float) -> Usage:
    usage = Usage.from_samples(drawn, request=max(drawn) + extra)
    return replace(usage, series=np.resize(drawn, 24))


asked = st.builds(ask, samples(), st.sampled_from([0.0, 0.1]))
fewer = settings(max_examples=40, deadline=None)


each = pytest.mark.parametrize("name", NAMES)


def grown(
    name: str, rho: float = 0.05, capacity: float = 1.0, machines: int = 1
) -> Test:
    admission = make_admission(name, rho, population=POPULATION)
    for _ in range(machines):
        admission.grow(capacity)
    return admission


def test_every_method_of_the_table_is_in_this_suite() -> None:
    assert {name.split(":")[0] for name in NAMES} == set(METHODS)


@each
@fewer
@given(demand=asked)
def test_answers_have_one_entry_a_machine(name: str, demand: Usage) -> None:
    admission = make_admission(name, 0.05, population=POPULATION)
    for machines in range(3):  # none open yet is a case of its own
        fits, fullness = admission.fits(demand), admission.fullness()
        assert (fits.shape, fits.dtype) == ((machines,), np.bool_)
        assert (fullness.shape, fullness.dtype) == ((machines,), np.float64)
        admission.grow(1.0)


@each
@fewer
@given(demands=st.lists(asked, max_size=5))
def test_fullness_is_mean_load_over_capacity(name: str, demands: list[Usage]) -> None:
    admission = grown(name, capacity=4.0)
    for demand in demands:
        admission.add(0, demand)
    means = [d.series.mean() if name.startswith("replay") else d.mean for d in demands]
    expected = sum(means) / 4.0
    assert admission.fullness()[0] == pytest.approx(expected, abs=1e-12)


@each
@fewer
@given(before=st.lists(asked, max_size=4), leaver=asked, data=st.data())
def test_removal_restores_the_machine_bit_for_bit(
    name: str, before: list[Usage], leaver: Usage, data: st.DataObject
) -> None:
    plain, changed = grown(name), grown(name)
    place = data.draw(st.integers(0, len(before)))
    for number, demand in enumerate([*before[:place], leaver, *before[place:]]):
        changed.add(0, demand)
        if number != place:
            plain.add(0, demand)
    changed.remove(0, leaver)
    assert changed.fullness()[0] == plain.fullness()[0]
    for probe in [*before, leaver]:
        assert changed.verdict(0, probe) == plain.verdict(0, probe)


@each
@fewer
@given(first=asked, probe=asked)
def test_adding_touches_no_other_machine(name: str, first: Usage, probe: Usage) -> None:
    admission = grown(name, machines=3)
    before = [admission.verdict(m, probe) for m in range(3)]
    admission.add(1, first)
    for machine in (0, 2):
        assert admission.verdict(machine, probe) == before[machine]


# `welch` is left out: see its notes.
@pytest.mark.parametrize("name", [name for name in NAMES if name != "welch"])
@fewer
@given(held=st.lists(asked, min_size=1, max_size=4), probe=asked)
def test_a_fuller_machine_never_admits_more(
    name: str, held: list[Usage], probe: Usage
) -> None:
    admission = grown(name, machines=2)
    for demand in held[:-1]:
        admission.add(0, demand)
        admission.add(1, demand)
    admission.add(1, held[-1])
    fits = admission.fits(probe)
    assert fits[0] or not fits[1]


# `esscher` is left out: see the notes of `find_tilt`.
@pytest.mark.parametrize("name", [name for name in NAMES if name != "esscher"])
@fewer
@given(held=st.lists(asked, max_size=4), probe=asked, rhos=st.tuples(rhos, rhos))
def test_a_stricter_rho_never_admits_what_a_looser_one_refuses(
    name: str, held: list[Usage], probe: Usage, rhos: tuple[float, float]
) -> None:
    strict, loose = grown(name, min(rhos)), grown(name, max(rhos))
    for demand in held:
        strict.add(0, demand)
        loose.add(0, demand)
    assert loose.fits(probe)[0] or not strict.fits(probe)[0]


@each
@fewer
@given(held=st.lists(asked, max_size=4), probe=asked)
def test_the_verdict_says_what_fits_says(
    name: str, held: list[Usage], probe: Usage
) -> None:
    admission = grown(name, machines=2)
    for demand in held:
        admission.add(1, demand)
    verdicts = [admission.verdict(machine, probe) for machine in range(2)]
    assert [v.fits for v in verdicts] == admission.fits(probe).tolist()
    assert all(str(v.words) for v in verdicts)


@each
@fewer
@given(data=st.data())
def test_capacities_may_differ(name: str, data: st.DataObject) -> None:
    small, large, mixed = grown(name), grown(name, capacity=2.5), grown(name)
    mixed.grow(2.5)
    for demand in data.draw(st.lists(asked, max_size=3)):
        small.add(0, demand)
        large.add(0, demand)
        mixed.add(0, demand)
        mixed.add(1, demand)
    probe = data.draw(asked)
    assert mixed.fits(probe).tolist() == [small.fits(probe)[0], large.fits(probe)[0]]


@given(rows=st.lists(st.tuples(st.booleans(), st.integers(0, 3)), max_size=6))
def test_rules_agree_with_a_look_at_every_machine(rows: list[tuple[bool, int]]) -> None:
    from cotenant.colocate import RULES

    fits = np.array([fit for fit, _ in rows], dtype=np.bool_)
    fullness = np.array([full / 4 for _, full in rows])
    expected = {
        "best-fit": brute_rule(fits.tolist(), fullness.tolist()),
        "first-fit": brute_rule(fits.tolist(), [0.0] * len(rows)),
    }
    assert {name: rule(fits, fullness) for name, rule in RULES.items()} == expected
