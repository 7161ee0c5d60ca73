"""Arrivals and departures: requests as asked for, and what is measured of them."""

import itertools
import math

import numpy as np
import pytest

from cotenant.colocate.periodic.candidates import Rewriting
from cotenant.colocate.periodic.policy import SlaPolicy
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput
from cotenant.sim.churn import churn
from cotenant.sim.events import EventQueue
from cotenant.sim.requests import Load, Request, Stream, draw_requests

STREAMS = [
    Stream("a", 600_000, 400, tuple(40 * n for n in range(1, 11))),
    Stream("b", 300_000, 533, tuple(30 * n + 20 for n in range(1, 11))),
]
PLAIN = SlaPolicy(rewriting=Rewriting("none"))


def drawn(load: Load, hours: float = 20.0, seed: int = 1) -> list[Request]:
    random = np.random.default_rng(seed)
    return list(draw_requests(load, STREAMS, hours * 3.6e6, random))


def lasts(request: Request) -> int:
    return round(request.leaves - request.arrives)


def test_events_of_one_moment_come_by_priority_then_in_order() -> None:
    queue: EventQueue[str] = EventQueue()
    for time, priority, name in [(1, 1, "x"), (1, 0, "y"), (0, 5, "z"), (1, 1, "w")]:
        queue.put(time, priority, name)
    assert [queue.pop()[1] for _ in range(len(queue))] == ["z", "y", "x", "w"]


def test_arrivals_are_poisson_at_the_rate_asked() -> None:
    found = drawn(Load(arrival_rate=3.0), hours=100.0)
    gaps = np.diff([0.0, *(request.arrives for request in found)]) / 60_000.0
    assert gaps.mean() == pytest.approx(1 / 3.0, rel=0.03)
    assert gaps.std() == pytest.approx(1 / 3.0, rel=0.04)
    assert {lasts(request) for request in found} == {600_000, 300_000}


def test_a_swing_moves_arrivals_into_the_first_half_of_the_day() -> None:
    hours = [r.arrives / 3.6e6 % 24.0 for r in drawn(Load(swing=1.0), 240.0)]
    share = np.mean([hour < 12.0 for hour in hours])
    assert share == pytest.approx(0.5 + 1 / math.pi, abs=0.02)


def test_zipf_asks_for_the_second_stream_half_as_often() -> None:
    found = drawn(Load(popularity="zipf"), 100.0)
    assert np.mean(
        [r.sla.period % 400 == 0 and lasts(r) == 600_000 for r in found]
    ) == pytest.approx(2 / 3, abs=0.03)


def test_periods_are_theta_groups_and_fluid_ranges_never_empty() -> None:
    load = Load(arrival_rate=5.0, sigma=3, fluid_share=1.0, theta_low=2, theta_high=5)
    thetas = set()
    for request in drawn(load):
        stream = STREAMS[0] if lasts(request) == 600_000 else STREAMS[1]
        theta, rest = divmod(request.sla.period, stream.group)
        thetas.add(theta)
        sigma = min(3, theta)
        assert rest == 0
        assert request.sla.budget == stream.budgets[theta - 1]
        assert request.sla.period_low == max(1, (theta - sigma) * stream.group)
        assert request.sla.period_high == (theta + sigma) * stream.group
    assert thetas == {2, 3, 4, 5}


def test_shares_of_fluid_and_uptime_requests_are_met() -> None:
    found = drawn(Load(arrival_rate=5.0, fluid_share=0.3, uptime_share=0.6), 50.0)
    assert np.mean([r.sla.is_fluid for r in found]) == pytest.approx(0.3, abs=0.02)
    assert np.mean([r.sla.window > 1 for r in found]) == pytest.approx(0.6, abs=0.02)


@pytest.mark.parametrize(
    ("uptime", "literal", "theta", "misses", "window"),
    [
        (0.995, False, 1, 3, 750),  # floor(0.005 * 750): five minutes of 400 ms
        (0.995, False, 10, 0, 75),  # most periods get no miss at all
        (0.999, False, 1, 0, 750),
        (0.995, True, 10, 74, 75),  # as printed: nearly everything may be missed
        (0.992, False, 5, 1, 150),  # 0.008 * 150 = 1.2
        (0.98, False, 5, 3, 150),  # 0.02 * 150 is 3 in spite of rounding
    ],
)
def test_uptime_classes_tolerate_a_share_of_five_minutes(
    uptime: float, literal: bool, theta: int, misses: int, window: int
) -> None:
    load = Load(
        uptime=uptime,
        literal=literal,
        uptime_share=1.0,
        theta_low=theta,
        theta_high=theta,
    )
    slas = {r.sla for r in drawn(load) if r.sla.period == 400 * theta}
    assert {(sla.misses, sla.window) for sla in slas} == {(misses, window)}


def test_unallocated_capacity_is_integrated_by_hand() -> None:
    half, third = Sla(1, 2), Sla(1, 3)
    requests = [
        Request("a", 0.0, 10.0, half),
        Request("b", 2.0, 6.0, half),
        Request("c", 4.0, 20.0, third),
    ]
    found = churn(requests, PLAIN, 1.0, 9.0, lambda: 0.0)
    # 1-2: one host, half; 2-4: full; 4-9: c opened a second host, b left at 6.
    expected = 1 * 0.5 + 2 * 0.0 + 2 * (2 - 1 - 1 / 3) + 3 * (2 - 0.5 - 1 / 3)
    assert found.wasted == pytest.approx(expected / 8.0)
    assert found.machines == pytest.approx((3 * 1 + 5 * 2) / 8.0)
    assert (found.peak, found.arrivals, found.tried) == (2, 2, 0)


def test_a_leaver_makes_room_for_who_arrives_at_that_moment() -> None:
    requests = [Request("a", 0.0, 5.0, Sla(1, 1)), Request("b", 5.0, 9.0, Sla(1, 1))]
    assert churn(requests, PLAIN, 0.0, 9.0, lambda: 0.0).peak == 1


def test_the_same_seed_gives_the_same_requests_and_another_one_others() -> None:
    load = Load()
    assert drawn(load) == drawn(load)
    assert drawn(load) != drawn(load, seed=2)
    times = [r.arrives for r in drawn(load)]
    assert all(a < b for a, b in itertools.pairwise(times))


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"arrival_rate": 0.0}, "arrival rate"),
        ({"theta_low": 0}, "theta"),
        ({"theta_low": 5, "theta_high": 4}, "theta"),
        ({"sigma": -1}, "sigma"),
        ({"fluid_share": 1.5}, "fluid share"),
        ({"uptime": 99.5}, "uptime"),
        ({"swing": 2.0}, "swing"),
        ({"popularity": "normal"}, "popularity"),
    ],
)
def test_loads_outside_their_range_are_named(
    values: dict[str, object], word: str
) -> None:
    with pytest.raises(InvalidInput, match=word):
        Load(**values)


def test_streams_need_budgets_for_every_theta() -> None:
    with pytest.raises(InvalidInput, match="'a' has budgets up to theta 10"):
        drawn(Load(theta_high=11))
