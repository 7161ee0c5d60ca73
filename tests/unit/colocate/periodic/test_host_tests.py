"""Host tests for periodic SLAs: known verdicts, chain covers, which implies which."""

import itertools
import json
import math
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.colocate.periodic.bounds import chains_of, utilization
from cotenant.colocate.periodic.chains import chain_cover
from cotenant.colocate.periodic.host_tests import TESTS, host_test, response_times
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput
from tests.shared import VECTORS

NAMES = {
    "liu-layland": "LL",
    "hyperbolic": "hyperbolic",
    "harmonic": "chain_bound",
    "response-time": "RTA",
    "edf": "EDF",
}


def parsed(*texts: str) -> list[Sla]:
    return [Sla.parse(text) for text in texts]


def test_the_verified_verdicts_hold() -> None:
    file = VECTORS / "sla.json"
    if not file.exists():
        pytest.skip("the verified cases are not at hand")
    rows = [
        row for row in json.loads(file.read_text()) if row["kind"] == "schedulability"
    ]
    assert rows
    for row in rows:
        slas = [Sla(budget, period) for budget, period in row["input"]["tasks"]]
        expected = row["expected"]
        found = {key: TESTS[name].keeps(slas) for name, key in NAMES.items()}
        assert found == {key: expected[key] for key in found}, row["id"]
        assert len(chains_of(slas)) == expected["min_chains"]


@pytest.mark.parametrize(
    ("texts", "admitted"),
    [
        # Two tasks at exactly the bound 2 (sqrt 2 - 1) are irrational; just below it.
        (("41/100", "41/100"), {"liu-layland", "hyperbolic"}),
        # (1 + 1/2)(1 + 1/3) = 2 exactly: rationals decide, not rounding.
        (("1/2", "3/9"), {"hyperbolic", "harmonic no", "chain-hyperbolic"}),
        (("1/2", "2/4"), {"harmonic", "chain-hyperbolic"}),
    ],
)
def test_bounds_are_decided_in_rationals(
    texts: tuple[str, ...], admitted: set[str]
) -> None:
    slas = parsed(*texts)
    for name in admitted:
        word, _, no = name.partition(" ")
        assert host_test(word).keeps(slas) is not bool(no)


def test_one_task_too_many_by_a_billionth_is_refused_by_every_test() -> None:
    slas = [Sla(5 * 10**8, 10**9), Sla(5 * 10**8 + 1, 10**9)]
    assert not any(test.keeps(slas) for test in TESTS.values())
    assert TESTS["edf"].keeps([slas[0], slas[0]])


def brute_chains(periods: Sequence[int]) -> int:
    """Try every way to split periods into groups and count the fewest chains."""
    best = len(periods)
    for labels in itertools.product(range(len(periods)), repeat=len(periods)):
        groups = [
            [p for p, label in zip(periods, labels, strict=True) if label == group]
            for group in set(labels)
        ]
        chained = all(
            b % a == 0 for group in groups for a, b in itertools.pairwise(group)
        )
        if chained:
            best = min(best, len(groups))
    return best


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(1, 48), min_size=1, max_size=5))
def test_chain_covers_are_the_smallest(periods: set[int]) -> None:
    cover = chain_cover(tuple(sorted(periods)))
    assert sorted(p for chain in cover for p in chain) == sorted(periods)
    assert all(b % a == 0 for chain in cover for a, b in itertools.pairwise(chain))
    assert len(cover) == brute_chains(sorted(periods))


def test_a_greedy_cover_would_need_more_chains() -> None:
    # Following 2, 6, 12 greedily strands 4 and 3; 2, 4, 12 and 3, 6 is enough.
    assert len(chain_cover((2, 3, 4, 6, 12))) == 2


@st.composite
def hosts(draw: st.DrawFn) -> list[Sla]:
    slas = []
    for period in draw(st.lists(st.integers(1, 60), min_size=1, max_size=6)):
        slas.append(Sla(draw(st.integers(0, math.ceil(period / 2))), period))
    return slas


@settings(max_examples=500, deadline=None)
@given(slas=hosts())
def test_no_bound_admits_what_response_times_refuse(slas: list[Sla]) -> None:
    verdicts = {name: test.keeps(slas) for name, test in TESTS.items()}
    weaker = [
        ("liu-layland", "hyperbolic"),
        ("liu-layland", "harmonic"),
        ("harmonic", "chain-hyperbolic"),
        ("hyperbolic", "chain-hyperbolic"),
        ("chain-hyperbolic", "response-time"),
        ("response-time", "edf"),
    ]
    for weak, strong in weaker:
        assert verdicts[strong] or not verdicts[weak], (weak, strong)


@settings(max_examples=200, deadline=None)
@given(slas=hosts())
def test_one_chain_is_full_at_utilization_one(slas: list[Sla]) -> None:
    if len(chains_of(slas)) == 1:
        full = utilization(slas) <= Fraction(1)
        assert TESTS["response-time"].keeps(slas) is full
        assert TESTS["harmonic"].keeps(slas) is full


def test_response_times_come_in_the_order_given() -> None:
    assert response_times(parsed("2/9", "1/3", "2/6")) == [6, 1, 3]


def test_an_unknown_test_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="response-time"):
        host_test("rta")
