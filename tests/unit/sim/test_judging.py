"""Judges agree with each other, with enumeration, and with a replay by hand."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.demand.usage import Usage
from cotenant.errors import InvalidInput
from cotenant.kernels.overload import add_realisations
from cotenant.metrics import normalized_machines, poisson_interval
from cotenant.sim.judge import Carried, judge_exact, judge_samples
from cotenant.sim.replay import replay_aligned
from cotenant.traces.collect import read_usage
from cotenant.traces.trace import Trace
from tests.oracles import enumerated_overload, replayed_overload
from tests.strategies import samples


def trace_of(rows: list[tuple[str, float, float]], folder: Path) -> Trace:
    path = folder / "usage.parquet"
    frame = pl.DataFrame(rows, schema=["task", "time", "cpu"], orient="row")
    frame.cast({"time": pl.Float64, "cpu": pl.Float64}).write_parquet(path)
    return read_usage([str(path)])


@settings(max_examples=25, deadline=None)
@given(drawn=st.lists(samples(size=5), min_size=1, max_size=4))
def test_exact_and_sampled_overload_agree_with_enumeration(
    drawn: list[list[float]],
) -> None:
    machine = Carried(1.0, [Usage.from_samples(s) for s in drawn])
    expected = enumerated_overload(machine.usages, 1.0)
    assert judge_exact([machine]).overload[0] == pytest.approx(expected, abs=1e-12)
    sampled = judge_samples([machine], seed=1, realisations=4_000)
    noise = 5 * np.sqrt(expected * (1 - expected) / 4_000) + 1e-12
    assert abs(sampled.overload[0] - expected) <= noise + 5 / 4_000


def test_realisations_follow_the_weights() -> None:
    usage = Usage.from_samples([0.1] * 70 + [0.2] * 25 + [0.9] * 5)
    load = np.zeros(100_000)
    uniforms = np.random.default_rng(0).random(len(load))
    add_realisations(usage.values, usage.weights, uniforms, load)
    values, counts = np.unique(load, return_counts=True)
    assert values.tolist() == [0.1, 0.2, 0.9]
    assert counts / len(load) == pytest.approx([0.7, 0.25, 0.05], abs=0.005)


def test_the_same_seed_gives_the_same_realisations() -> None:
    machine = Carried(0.5, [Usage.from_samples([0.1, 0.3, 0.4])] * 2)
    first, again, other = (judge_samples([machine], s).overloaded for s in (3, 3, 4))
    assert first == again != other


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_aligned_replay_equals_adding_up_by_hand(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tasks, moments = data.draw(st.integers(1, 4)), data.draw(st.integers(2, 6))
    cells = st.integers(0, 60).map(lambda n: n / 100)
    rows = [
        (f"t{task}", 300 * moment, data.draw(cells))
        for task in range(tasks)
        for moment in range(moments)
    ]
    machine_of = {f"t{task}": task % 2 for task in range(tasks)}
    trace = trace_of(
        [(t, float(m), u) for t, m, u in rows], tmp_path_factory.mktemp("r")
    )
    seen = replay_aligned(trace, machine_of, [0.8, 0.8])
    expected = replayed_overload(rows, machine_of, 0.8)
    for machine, overload in expected.items():
        assert seen.judgement.overload[machine] == pytest.approx(overload)
    assert seen.skipped == 0


def test_together_is_worse_than_apart_when_tasks_move_together(tmp_path: Path) -> None:
    wave = [0.1, 0.1, 0.1, 0.9] * 25
    rows = [(t, 300.0 * i, u) for t in "ab" for i, u in enumerate(wave)]
    seen = replay_aligned(trace_of(rows, tmp_path), {"a": 0, "b": 0}, [1.0])
    assert seen.judgement.overload[0] == pytest.approx(0.25)
    alone = Usage.from_samples(wave)
    independent = judge_exact([Carried(1.0, [alone, alone])]).overload[0]
    assert independent == pytest.approx(1 / 16)


def test_a_missing_sample_is_held_but_a_long_gap_is_not_judged(tmp_path: Path) -> None:
    moments = [0, 1, 2, 4, 5, 6, 7, 8, 9, 30, 31, 32]
    rows = [("a", 60.0 * moment, 0.6) for moment in moments]
    seen = replay_aligned(trace_of(rows, tmp_path), {"a": 0}, [0.5])
    # 33 moments; after moment 9 the sample holds for 10 and 11, then nobody knows.
    assert seen.skipped == 18
    assert seen.moments[0] == seen.overloaded[0] == 15


def test_a_trace_without_time_cannot_be_replayed(tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("task,cpu\na,0.1\na,0.2\nb,0.3\n")
    with pytest.raises(InvalidInput, match="carries no time"):
        replay_aligned(read_usage([str(path)]), {"a": 0}, [1.0])


def test_the_timeline_is_the_share_of_machines_in_overload(tmp_path: Path) -> None:
    rows = [("a", 0.0, 0.9), ("a", 60.0, 0.1), ("b", 0.0, 0.1), ("b", 60.0, 0.1)]
    seen = replay_aligned(trace_of(rows, tmp_path), {"a": 0, "b": 1}, [0.5, 0.5])
    assert seen.judgement.timeline == ((0.0, 0.5), (60.0, 0.0))


@pytest.mark.parametrize(("count", "low", "high"), [(0, 0.0, 3.69), (15, 8.40, 24.74)])
def test_the_poisson_interval_is_garwoods(count: int, low: float, high: float) -> None:
    found = poisson_interval(count, 1000)
    assert found == pytest.approx((low / 1000, high / 1000), abs=1e-5)


def test_normalised_machines_divide_by_the_least_that_carry_the_mean() -> None:
    assert normalized_machines(47, 27.3) == pytest.approx(47 / 28)
    assert normalized_machines(5, 5.0 + 1e-12) == 1.0
    assert normalized_machines(0, 0.0) is None
