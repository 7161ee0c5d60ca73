"""Placing a file of SLAs and comparing strategies under churn: results as a whole."""

import json
import math

import numpy as np
import pytest

from cotenant.colocate.periodic.candidates import Rewriting
from cotenant.colocate.periodic.policy import SlaPolicy
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput
from cotenant.planning.sla.churn import run_churn
from cotenant.planning.sla.place import fits, place_slas
from cotenant.planning.sla.strategies import STRATEGIES
from cotenant.planning.sla.streams import made_streams, video_streams
from cotenant.planning.sla.video import slas_from_video
from cotenant.sim.requests import Load
from cotenant.traces.video import Video

FINE = Rewriting("exact", least_period=400)


def drawn(count: int, seed: int, fluid: bool = False) -> dict[str, Sla]:
    random = np.random.default_rng(seed)
    slas = {}
    for number in range(count):
        base = (400, 500, 533)[random.integers(3)]
        period = base * int(random.integers(1, 11))
        budget = math.ceil(period * random.uniform(0.03, 0.15))
        low = high = None
        if fluid and random.random() < 0.5:
            low, high = max(1, period - base), period + base
        slas[f"t{number}"] = Sla(budget, period, 0, 1, low, high)
    return slas


def test_the_summary_adds_up() -> None:
    slas = drawn(60, 3)
    placed = place_slas(slas, SlaPolicy(rewriting=FINE))
    summary = placed.summary
    asks = sum(sla.utilization for sla in slas.values())
    assert summary.utilization == pytest.approx(asks)
    assert summary.wasted == pytest.approx(summary.machines - asks)
    first = placed.baselines[0]
    assert first.test == "liu-layland"
    gain = 1.0 - summary.wasted / (first.machines - asks)
    assert summary.efficiency_over_first_fit == pytest.approx(gain)
    frame = placed.to_frame()
    assert sorted(frame["task"]) == sorted(slas)
    assert frame["machine"].n_unique() == summary.machines
    assert (frame["asked"] != frame["given"]).sum() == summary.rewritten


def test_the_portfolio_is_never_worse_than_any_of_its_ways() -> None:
    slas = drawn(60, 4, fluid=True)
    policy = SlaPolicy(rewriting=FINE)
    ways = ("in-order", "harmonic-first", "chains", "portfolio")
    machines = [place_slas(slas, policy, strategy=w).summary.machines for w in ways]
    assert machines[-1] <= min(machines[:-1])


def test_the_same_input_gives_the_same_bytes() -> None:
    policy = SlaPolicy(
        rewriting=FINE, repack="forced", migration="all", search_nodes=50
    )
    first, second = (
        json.dumps(place_slas(drawn(40, 5), policy).to_dict()) for _ in range(2)
    )
    assert first == second


def test_moves_and_cores_have_names_people_know() -> None:
    policy = SlaPolicy(
        rewriting=FINE, repack="periodic", repack_every=20, migration="all", cores=2
    )
    placed = place_slas(drawn(60, 6), policy).to_dict()
    assert set(placed["moves"][0]) == {
        "task",
        "from",
        "to",
        "before",
        "after",
        "reason",
    }
    assert {m["from"].split(" core ")[1] for m in placed["moves"]} <= {"0", "1"}
    assert placed["machines"][0]["machine"] == "m-0001"
    assert {core["core"] for m in placed["machines"] for core in m["cores"]} == {0, 1}


@pytest.mark.slow
def test_the_static_experiment_reaches_its_bars() -> None:
    host = {"repack": "forced", "search_nodes": 50}
    paper = SlaPolicy(
        test="harmonic",
        rewriting=Rewriting("paper", 400),
        repack="forced",
        search_nodes=50,
    )
    bars = {False: (0.73, 0.36), True: (0.78, 0.55)}
    for fluid, (portfolio_bar, paper_bar) in bars.items():
        ours, theirs = [], []
        for seed in range(2):
            slas = drawn(200, seed, fluid)
            own = place_slas(
                slas, SlaPolicy(rewriting=FINE, **host), strategy="portfolio"
            )
            ours.append(own.summary.efficiency_over_first_fit)
            theirs.append(place_slas(slas, paper).summary.efficiency_over_first_fit)
        assert np.mean(ours) >= portfolio_bar
        assert np.mean(theirs) >= paper_bar - 0.1  # two of the twelve seeds


def test_fits_tells_every_test_and_the_response_times() -> None:
    found = fits([Sla.parse("1/2"), Sla.parse("2/5")])
    assert found.tests == {
        "liu-layland": False,
        "hyperbolic": False,
        "harmonic": False,
        "chain-hyperbolic": False,
        "response-time": True,
        "edf": True,
    }
    assert found.response_times == (1, 4)
    assert found.to_dict()["kind"] == "SlaFit"
    with pytest.raises(InvalidInput, match="at least one"):
        fits([])


def test_nothing_to_place_and_unknown_strategies_are_refused() -> None:
    with pytest.raises(InvalidInput, match="at least one"):
        place_slas({})
    with pytest.raises(InvalidInput, match="portfolio"):
        place_slas(drawn(1, 0), strategy="best")
    with pytest.raises(InvalidInput, match="in-order"):
        place_slas(drawn(1, 0), SlaPolicy(test="liu-layland"), strategy="chains")


@pytest.mark.slow  # starts two processes
def test_churn_does_not_depend_on_how_replicas_are_shared_out() -> None:
    streams, load = made_streams(4, length=600_000), Load(2.0, theta_high=4)
    policy = SlaPolicy(rewriting=FINE, repack="forced", search_nodes=20)
    results = [
        run_churn(streams, load, policy, replicas=2, measured=1.0, workers=p).to_dict()
        for p in (1, 2)
    ]
    assert results[0] == results[1]
    rows = {row["strategy"]: row for row in results[0]["rows"]}
    assert rows["first-fit"]["efficiency"]["mean"] == 0.0
    assert (
        rows["edf"]["efficiency"]["mean"] >= rows["response-time"]["efficiency"]["mean"]
    )
    for row in rows.values():
        interval = row["efficiency"]
        assert interval["low"] <= interval["mean"] <= interval["high"]


def test_every_strategy_runs_and_a_single_replica_has_no_interval() -> None:
    streams, load = made_streams(3, length=300_000), Load(2.0, theta_high=3)
    policy = SlaPolicy(rewriting=FINE, search_nodes=20)
    found = run_churn(
        streams, load, policy, strategies=list(STRATEGIES), replicas=1, workers=1
    )
    assert [row.strategy for row in found.rows] == list(STRATEGIES)
    assert found.rows[0].efficiency.low is None
    assert found.to_frame().height == len(STRATEGIES)


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"strategies": ["best"]}, "strategy"),
        ({"replicas": 0}, "replicas"),
        ({"measured": 0.0}, "measured"),
    ],
)
def test_churn_settings_outside_their_range_are_named(
    values: dict[str, object], word: str
) -> None:
    with pytest.raises(InvalidInput, match=word):
        run_churn(made_streams(10), Load(), SlaPolicy(), **values)


def film(name: str = "film") -> Video:
    return Video(name, np.array([9, 3, 1] * 100, dtype=np.int64), 25.0, 3)


def test_video_slas_are_a_file_for_placing() -> None:
    found = slas_from_video([film()], [1, 2], 1000.0, sigma=1)
    assert found.to_frame().columns[:3] == ["task", "budget", "period"]
    assert found.to_frame().rows()[0] == ("film@1", 13, 120, 1, 240, 0, 1)
    assert [video.sla for video in found.videos] == ["13/120~1-240", "26/240~120-360"]
    with pytest.raises(InvalidInput, match="two traces"):
        slas_from_video([film(), film()], [1], 1000.0)
    with pytest.raises(InvalidInput, match="bandwidth"):
        slas_from_video([film()], [1], 0.0)


def test_video_streams_last_as_long_as_they_play_unless_cut() -> None:
    (plays,) = video_streams([film()], 1000.0, 2)
    assert (plays.length, plays.group, plays.budgets) == (12_000, 120, (13, 26))
    assert video_streams([film()], 1000.0, 2, 5_000)[0].length == 5_000
