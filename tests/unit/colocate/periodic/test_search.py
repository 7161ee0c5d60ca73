"""Searches over rewrites judged by trying everything."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.colocate.periodic.candidates import Rewriting, asked
from cotenant.colocate.periodic.doubling import Doublings, bases
from cotenant.colocate.periodic.harmonic import pack_chains
from cotenant.colocate.periodic.host_tests import TESTS
from cotenant.colocate.periodic.search import (
    Budget,
    HostSearch,
    by_degree,
    rewrite_host,
)
from cotenant.demand.sla import Sla

keeps = TESTS["response-time"].keeps
some_slas = st.builds(
    lambda period, share: Sla(max(1, period * share // 10), period),
    st.sampled_from([4, 5, 6, 8, 9, 10, 12]),
    st.integers(1, 6),
)
choices = st.lists(st.lists(some_slas, min_size=1, max_size=3), min_size=1, max_size=4)


def budget(
    nodes: int = 10**6, seconds: float | None = None, times: Sequence[float] = ()
) -> Budget:
    clock = iter(times)
    found = Budget(nodes, seconds, lambda: next(clock, 0.0))
    found.start()
    return found


@pytest.mark.parametrize("order", ["breadth", "depth"])
@settings(max_examples=150, deadline=None)
@given(options=choices)
def test_one_host_is_rewritten_exactly_when_some_combination_passes(
    order: str, options: list[list[Sla]]
) -> None:
    possible = any(keeps(list(c)) for c in itertools.product(*options))
    found = rewrite_host(options, keeps, budget(), order)
    assert (found is not None) == possible
    if found is not None:
        assert keeps(found)
        assert all(f in own for f, own in zip(found, options, strict=True))


@settings(max_examples=60, deadline=None)
@given(options=choices.filter(lambda o: len(o) <= 3), hosts=st.integers(1, 2))
def test_hosts_are_filled_exactly_when_some_assignment_passes(
    options: list[list[Sla]], hosts: int
) -> None:
    def possible() -> bool:
        for chosen in itertools.product(*options):
            for places in itertools.product(range(hosts), repeat=len(chosen)):
                groups = [
                    [s for s, p in zip(chosen, places, strict=True) if p == host]
                    for host in range(hosts)
                ]
                if all(map(keeps, groups)):
                    return True
        return False

    admission = TESTS["response-time"].make()
    for host in range(hosts):
        admission.grow(host)
    search = HostSearch(admission, np.ones(hosts, np.bool_), hosts)
    found = search.run(options, budget())
    assert (found is not None) == possible()
    expected = [0.0] * hosts
    for host, sla in found or []:
        expected[host] += sla.utilization
    assert admission.fullness().tolist() == pytest.approx(expected)


def test_tasks_with_the_fewest_choices_come_first_then_the_largest() -> None:
    small, large = Sla(1, 10), Sla(5, 10)
    assert by_degree([[small, small], [small], [large]]) == [2, 1, 0]


def test_a_limit_on_nodes_cuts_at_the_same_place_every_time() -> None:
    options = [[Sla(1, 10), Sla(1, 7)]] * 6
    runs = []
    for _ in range(2):
        limited = budget(nodes=5)
        runs.append((rewrite_host(options, keeps, limited, "breadth"), limited.spent))
        assert limited.struck == "5 search nodes"
    assert runs == [(None, 5), (None, 5)]


def test_a_time_limit_cuts_by_the_clock_it_is_given() -> None:
    limited = budget(seconds=2.0, times=[0.0, 1.0, 1.5, 2.5])
    options = [[Sla(1, 10), Sla(1, 7)]] * 6
    assert rewrite_host(options, keeps, limited, "breadth") is None
    assert (limited.spent, limited.struck) == (2, "2 s")


def test_bases_keep_divisors_of_the_given_periods_when_they_are_thinned_out() -> None:
    found = bases([100_000, 123_457, 3 * 100_003], least_period=90_000)
    assert len(found) <= 128 + 3
    assert {100_000, 123_457, 100_003} <= set(found)


@settings(max_examples=40, deadline=None)
@given(
    slas=st.lists(
        st.builds(
            lambda base, theta, share: Sla(
                base * theta * share // 100 + 1, base * theta
            ),
            st.sampled_from([10, 12, 15]),
            st.integers(1, 6),
            st.integers(2, 30),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_chains_hold_every_task_once_and_pass_the_exact_test(slas: list[Sla]) -> None:
    doublings = Doublings(bases(s.period for s in slas), Rewriting("exact"))
    hosts = pack_chains(slas, doublings)
    assert hosts is not None
    assert sorted(i for host in hosts for i, _ in host) == list(range(len(slas)))
    for host in hosts:
        assert keeps([offered for _, offered in host])
        periods = sorted(offered.period for _, offered in host)
        assert all(b % a == 0 for a, b in itertools.pairwise(periods))


def test_a_task_that_no_base_serves_leaves_packing_to_others() -> None:
    slas = [Sla(1, 10), Sla(1, 30)]
    doublings = Doublings(bases([30], least_period=20), Rewriting("exact", 20))
    assert pack_chains(slas, doublings) is None
    assert doublings.rewrite_host([]) is None
    assert doublings.rewrite_host([asked(slas[1])]) == [Sla(1, 30)]
