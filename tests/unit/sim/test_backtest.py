"""Histories, plans for the next day, and what they delivered."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.colocate.margin import MarginRule
from cotenant.errors import InvalidInput, TraceError
from cotenant.fleet import Fleet
from cotenant.kernels import margin as kernel
from cotenant.planning.backtest import run_backtest
from cotenant.sim.backtest import Setting, backtest
from cotenant.sim.donor import donor
from cotenant.sim.history import History, read_history
from cotenant.sim.planners import Plain, Tomorrow, by_method
from cotenant.traces.collect import from_frame, read_usage
from cotenant.traces.schema import ReadOptions
from cotenant.traces.synthetic import daily, matched
from cotenant.traces.trace import Trace

DAY = 86_400.0


def trace_of(rows: list[tuple[str, float, float]]) -> Trace:
    frame = pl.DataFrame(rows, schema=["task", "time", "cpu"], orient="row")
    return from_frame(frame.cast({"time": pl.Float64, "cpu": pl.Float64}), "fraction")


def history_of(usage: np.ndarray) -> History:
    present = np.isfinite(usage).all(axis=2)
    names = [f"t{i}" for i in range(len(usage))]
    return History(names, usage, present)


def test_a_history_is_laid_out_by_day_and_moment() -> None:
    rows = [("a", d * DAY + m * 21_600, d + m / 10) for d in range(2) for m in range(4)]
    history = read_history(trace_of(rows))
    assert (history.days, history.moments) == (2, 4)
    assert history.usage[0].tolist() == [[0.0, 0.1, 0.2, 0.3], [1.0, 1.1, 1.2, 1.3]]


def test_holes_are_filled_and_days_without_half_their_samples_are_absent() -> None:
    rows = [("a", m * 21_600.0, m / 10) for m in (1, 3)]
    rows += [("a", DAY, 0.9), *(("b", d * DAY, 0.5) for d in (0, 1))]
    rows += [("b", d * DAY + m * 21_600, 0.5) for d in (0, 1) for m in (1, 2, 3)]
    history = read_history(trace_of(rows))
    assert history.usage[0, 0].tolist() == [0.1, 0.1, 0.1, 0.3]
    assert history.present.tolist() == [[True, False], [True, True]]
    assert history.there(1).tolist() == [1]


def test_a_history_on_disk_laid_out_in_small_groups_is_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = daily(30, 3, seed=4)
    some = np.random.default_rng(0).random(rows.height) < 0.7
    trace = from_frame(rows.filter(pl.Series(some)).sample(fraction=1.0, shuffle=True))
    trace = trace.first(600)
    whole = read_history(trace)
    monkeypatch.setattr("cotenant.traces.rows.IN_MEMORY", 0)
    monkeypatch.setattr("cotenant.sim.history.CELLS_AT_ONCE", 2_000)
    on_disk = read_history(trace)
    assert isinstance(on_disk.usage, np.memmap)
    np.testing.assert_array_equal(on_disk.usage, whole.usage)
    np.testing.assert_array_equal(on_disk.present, whole.present)


def test_a_missing_day_is_stood_in_for_by_the_nearest() -> None:
    usage = np.array([[[0.1], [np.nan], [0.3]], [[0.5], [0.6], [0.7]]])
    rows = history_of(usage).before(np.array([0, 1]), 3, window=3)
    assert rows.tolist() == [[0.1, 0.1, 0.3], [0.5, 0.6, 0.7]]


def test_the_last_day_ends_with_the_trace() -> None:
    rows = [("a", 0.3 * DAY + m * 21_600.0, float(m)) for m in range(7)]
    history = read_history(trace_of(rows))
    assert history.usage[0, 1].tolist() == [3.0, 4.0, 5.0, 6.0]
    assert history.usage[0, 0].tolist() == [0.0, 0.0, 1.0, 2.0]


def test_a_task_without_a_day_of_history_has_that_of_a_donor() -> None:
    usage = np.array([[[0.1], [0.2]], [[0.5], [0.6]], [[np.nan], [0.9]]])
    history = history_of(usage)
    rows = [history.before(np.array([2]), 1, 7, seed).tolist() for seed in range(20)]
    assert {row[0][0] for row in rows} == {0.1, 0.5}
    assert history.before(np.array([2]), 2, 7).tolist() == [[0.9, 0.9]]


def test_labels_and_requests_come_from_the_trace(tmp_path: Path) -> None:
    lines = ["task,time,cpu,cpu_request,app"]
    for task, request, app in (("a", 2.0, "web"), ("b", 4.0, "db")):
        lines += [f"{task},{m * 21_600},0.1,{request},{app}" for m in range(8)]
    (tmp_path / "usage.csv").write_text("\n".join(lines))
    options = ReadOptions(unit="cores", keep="app")
    trace = read_usage([str(tmp_path / "usage.csv")], "auto", options)
    history = read_history(trace, "app")
    assert dict(zip(history.names, history.labels, strict=True)) == {
        "a": "web",
        "b": "db",
    }
    assert sorted(history.requests) == [2.0, 4.0]


def donors(**known: object) -> set[int]:
    random = np.random.default_rng(0)
    be = np.array([True, True, True, False, False])
    settings = {"labels": (), "requests": (), **known}
    return {donor(4, be, random=random, **settings) for _ in range(50)}  # type: ignore[arg-type]


def test_donors_are_of_the_same_label_then_of_a_like_request() -> None:
    assert donors() == {0, 1, 2}
    assert donors(labels=["a", "b", "b", "c", "b"]) == {1, 2}
    assert donors(labels=["a", "b", "b", "c", "c"]) == {0, 1, 2}
    assert donors(requests=[1.0, 2.0, 8.0, 4.0, 3.0]) == {1}
    assert donors(requests=[2.0, 2.0, 8.0, 4.0, 2.5]) == {0, 1}
    assert donors(requests=[np.nan, 2.0, 9.0, 3.0, np.nan]) == {0, 1, 2}
    both = {"labels": ["b", "b", "a", "a", "b"], "requests": [9.0, 2.0, 4.0, 4.0, 4.0]}
    assert donors(**both) == {1}


def test_newcomers_are_planned_and_judged_like_all_others() -> None:
    usage = np.full((6, 4, 4), 0.2)
    usage[3:, :2] = np.nan
    setting = Setting(capacity=1.0, rho=0.1, orders=1, burn_in=1)
    assert setting.tasks(history_of(usage), 2).tolist() == list(range(6))
    days = backtest(history_of(usage), setting, Tomorrow(MarginRule(first=1.0)))
    assert [len(d.overloaded) for d in days] == [1, 2, 2]
    assert {d.overload for d in days} == {0.0}


def test_traces_without_days_cannot_be_backtested() -> None:
    with pytest.raises(InvalidInput, match="carries no time"):
        read_history(from_frame(matched(5), "fraction"))
    fleet = Fleet.of_equal({"cpu": 4.0})
    with pytest.raises(TraceError, match="at least two"):
        run_backtest(from_frame(daily(3, 1)), fleet, ["exact"], 0.01)


def plain_first_fit(
    history: np.ndarray, order: list[int], margin: float, allowed: int
) -> list[int]:
    machines: list[list[int]] = []
    closed: list[bool] = []
    placed = [-1] * len(history)

    def fits(tasks: list[int]) -> bool:
        headroom = (margin - 1) * sum(history[t].mean() for t in tasks)
        load = sum(history[t] for t in tasks)
        return int((load > 1.0 + 1e-9 - headroom).sum()) <= allowed

    for task in order:
        chosen = None
        if fits([task]):
            able = [
                m
                for m, held in enumerate(machines)
                if not closed[m] and fits([*held, task])
            ]
            chosen = able[0] if able else None
        if chosen is None:
            machines.append([])
            closed.append(not fits([task]))
            chosen = len(machines) - 1
        machines[chosen].append(task)
        placed[task] = chosen
    return placed


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_first_fit_by_replay_equals_a_plain_packing(data: st.DataObject) -> None:
    tasks, moments = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 6))
    cell = st.integers(0, 120).map(lambda n: n / 100)
    history = np.array(
        [[data.draw(cell) for _ in range(moments)] for _ in range(tasks)]
    )
    order = data.draw(st.permutations(range(tasks)))
    margin, allowed = (
        data.draw(st.sampled_from([1.0, 1.2])),
        data.draw(st.integers(0, 2)),
    )
    found = kernel.first_fit(history, np.array(order), 1.0, margin, allowed)
    assert found.tolist() == plain_first_fit(history, order, margin, allowed)


def test_a_day_is_planned_from_earlier_days_only() -> None:
    random = np.random.default_rng(0)
    usage = random.random((12, 6, 24)) * 0.3
    changed = usage.copy()
    changed[:, 4:] *= 3
    setting = Setting(capacity=1.0, rho=0.05, orders=2, burn_in=1)
    for planner in (Tomorrow, lambda: Plain(by_method("exact"))):
        first = planner().plan(history_of(usage), setting, 4)
        again = planner().plan(history_of(changed), setting, 4)
        assert [p.tolist() for p in first] == [p.tolist() for p in again]


def test_a_steady_load_needs_no_margin_and_keeps_the_promise() -> None:
    usage = np.tile(np.full((10, 1, 24), 0.2), (1, 8, 1))
    planner = Tomorrow(MarginRule(first=1.0))
    days = backtest(history_of(usage), Setting(1.0, 0.01, orders=2, burn_in=2), planner)
    assert {d.margin for d in days} == {1.0}
    assert {d.overload for d in days} == {0.0}
    assert {len(d.overloaded) for d in days} == {2}


def test_a_growing_load_raises_the_margin() -> None:
    growth = 1.06 ** np.arange(12)
    base = 0.1 + 0.05 * np.random.default_rng(1).random((30, 1, 48))
    planner = Tomorrow()
    backtest(
        history_of(base * growth[None, :, None]), Setting(1.0, 0.01, burn_in=2), planner
    )
    assert planner.margin > 1.05
    assert planner.correction > 0


def test_the_margin_keeps_a_promise_that_plain_planning_breaks() -> None:
    trace = from_frame(daily(120, 16, seed=4))
    result = run_backtest(
        trace, Fleet.of_equal({"cpu": 4.0}), ["tomorrow", "exact"], 0.01, orders=1
    )
    tomorrow, exact = result.rows
    assert tomorrow.overload_over_rho < exact.overload_over_rho
    assert tomorrow.overload_over_rho <= 1.15
    assert exact.overload_over_rho > 1.15
    assert result.to_dict()["kind"] == "Backtest"
    assert set(result.to_dict()["rows"][0]) >= {
        *("method", "days", "overload_over_rho", "low", "high", "days_above_rho"),
        *("machine_days_above_rho", "worst_machine_day", "machines", "moved_share"),
    }


def test_all_methods_see_the_same_arrivals() -> None:
    setting = Setting(1.0, 0.01, orders=3, seed=5)
    first, again = setting.arrivals(9, 4), setting.arrivals(9, 4)
    assert [o.tolist() for o in first] == [o.tolist() for o in again]
    assert len({tuple(o.tolist()) for o in first}) == 3


@pytest.mark.parametrize("method", ["tomorrow:bold", "median"])
def test_unknown_methods_are_refused(method: str) -> None:
    trace = from_frame(daily(5, 3))
    with pytest.raises(InvalidInput, match="method is"):
        run_backtest(trace, Fleet.of_equal({"cpu": 4.0}), [method], 0.01)
