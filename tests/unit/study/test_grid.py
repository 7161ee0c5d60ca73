"""A grid is data: checked, expanded, run problem by problem, summed up."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from cotenant.colocate.pack import pack
from cotenant.demand.task import Task
from cotenant.demand.usage import Usage
from cotenant.errors import InvalidInput, SourceNotFound
from cotenant.fleet import Fleet
from cotenant.kernels import montecarlo
from cotenant.study.grid import Run, as_text, asks_rho, make_grid, read_grid
from cotenant.study.grid_cells import run_cell
from cotenant.study.grid_pool import PoolSpec, open_pool, stamp_of
from cotenant.study.grid_result import study_grid

RUNS = [{"method": ["gaussian", "mean:1.25"], "rho": [0.1, 0.01]}]
SMALL = {"problems": 2, "tasks": 120, "realisations": 500, "runs": RUNS}


def test_lists_are_expanded_and_methods_without_rho_appear_once() -> None:
    runs = make_grid(SMALL).runs
    assert [(r.method, r.rho) for r in runs] == [
        ("gaussian", 0.1),
        ("gaussian", 0.01),
        ("mean:1.25", None),
    ]


def test_runs_keep_their_place_on_the_way_to_another_process() -> None:
    runs = [
        {
            "method": ["mean:1.25", "gaussian"],
            "rho": [0.1, 0.01],
            "capacity": [1.0, 0.5],
            "rebalance": [True, False],
            "clairvoyance": [0.5, 1.0],
        }
    ]
    tables = {**SMALL, "runs": runs}
    sent = json.loads(as_text(tables, 0, ""))["grid"]
    assert list(sent["runs"][0]) != list(runs[0])
    assert make_grid(sent).runs == make_grid(tables).runs
    assert len(make_grid(tables).runs) == 24


@pytest.mark.parametrize(
    ("method", "asks"),
    [("exact", True), ("cantelli", True), ("cantelli:2", False), ("max", False)],
)
def test_some_methods_ask_for_rho(method: str, asks: bool) -> None:
    assert asks_rho(method) == asks


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"problem": 3}, "key 'problem'"),
        ({"problems": 0}, "problems is 0"),
        ({"realisations": 1.5}, "realisations is 1.5"),
        ({"seed": -1}, "seed is -1"),
        ({"runs": []}, "no \\[\\[runs\\]\\]"),
        ({"runs": [{"rho": 0.1}]}, "no method"),
        ({"runs": [{"method": "exact"}]}, "asks for rho"),
        ({"runs": [{"method": "exactly"}]}, "method is 'exactly'"),
        ({"runs": [{"method": "max", "data": "sums"}]}, "data is 'sums'"),
        ({"runs": [{"method": "max", "clairvoyance": 0}]}, "clairvoyance is 0"),
        ({"runs": [{"method": "max", "clairvoyance": 0.9999}]}, "leaves none"),
        ({"runs": [{"method": "max", "capacity": -1}]}, "capacity is -1"),
        ({"runs": [{"method": "max", "capacity": "big"}]}, "wrong"),
        ({"pool": {"source": "matched", "mean": 0.1}}, "mean of its own"),
        ({"pool": {"source": []}}, "source is empty"),
        ({"pool": {"sources": "matched"}}, "key 'sources'"),
    ],
)
def test_wrong_grids_are_refused_in_a_sentence(
    change: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        make_grid({**SMALL, **change})


def test_a_grid_file_is_read_and_named_in_errors(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('title = "Own"\n[[runs]]\nmethod = "max"\n')
    assert make_grid(read_grid(str(file))).title == "Own"
    file.write_text("title = \n")
    with pytest.raises(InvalidInput, match=r"own\.toml is not TOML"):
        read_grid(str(file))
    file.write_text('[[runs]]\nmethod = "most"\n')
    with pytest.raises(InvalidInput, match=r"own\.toml: method is 'most'"):
        read_grid(str(file))
    with pytest.raises(SourceNotFound):
        read_grid(str(tmp_path / "none.toml"))


def test_a_cell_counts_what_a_matrix_of_realisations_shows() -> None:
    value = run_cell(as_text(SMALL, 1, ""))
    grid = make_grid(SMALL)
    # The same draws, kept as a matrix, and the engine on plain samples of them.
    random = np.random.default_rng([0, 1])
    pool = open_pool(grid.pool, 0)
    samples = pool.take(random.choice(pool.size, 120, replace=False))
    seeds = random.integers(2**64, size=120, dtype=np.uint64)
    matrix = montecarlo.draw(samples.offsets, samples.instantaneous, seeds, 0, 500)
    tasks = [
        Task(str(i), {"cpu": Usage.from_samples(row)}) for i, row in enumerate(matrix)
    ]
    for run, row in zip(grid.runs, value["runs"], strict=True):
        packing = pack(tasks, Fleet.of_equal({"cpu": 1.0}), run.policy(0))
        loads = [
            matrix[[int(t.name) for t in on]].sum(axis=0, dtype=np.float64)
            for on in packing.tasks
        ]
        assert row["machines"] == len(packing.machines)
        assert row["overloaded"] == sum(int((load > 1.0).sum()) for load in loads)
        assert row["moments"] == 500 * len(loads)


def test_held_out_realisations_judge() -> None:
    runs = [{"method": "mean:1", "clairvoyance": [0.1, 1.0]}]
    few, all_seen = run_cell(as_text({**SMALL, "runs": runs}, 0, ""))["runs"]
    assert few["moments"] == few["machines"] * 450
    assert all_seen["moments"] == all_seen["machines"] * 500


def test_exact_with_known_distributions_leaves_no_machine_above() -> None:
    runs = [{"method": "exact", "rho": 0.01, "data": "distributions"}]
    (row,) = run_cell(as_text({**SMALL, "runs": runs}, 0, ""))["runs"]
    assert row["machines_above_rho"] == 0
    assert row["worst_machine"] <= 0.01


def test_averages_promise_more_than_they_keep() -> None:
    runs = [{"method": "gaussian", "rho": 0.01, "data": ["instantaneous", "averages"]}]
    result = study_grid({**SMALL, "tasks": 400, "runs": runs})
    samples, averages = result.rows
    assert averages.machines < samples.machines
    assert averages.exact is not None
    assert samples.exact is not None
    assert averages.exact > 1.5 * samples.exact


def test_rows_sum_up_problems_and_repeat() -> None:
    one, two = study_grid(SMALL), study_grid(SMALL)
    assert one == two
    row = one.find("gaussian", 0.1)
    cells = [run_cell(as_text(SMALL, n, ""))["runs"][0] for n in range(2)]
    q = [cell["overloaded"] / cell["moments"] for cell in cells]
    assert row.overload == pytest.approx(np.mean(q))
    assert row.machines == np.mean([cell["machines"] for cell in cells])
    assert row.low <= row.overload <= row.high
    assert row.error == pytest.approx(row.exact / 0.1 - 1)  # type: ignore[operator]
    assert one.find("mean:1.25").error is None
    with pytest.raises(KeyError):
        one.find("exact", 0.1)
    frame = one.to_frame()
    assert frame.height == 3
    assert frame["method"].to_list() == ["gaussian", "gaussian", "mean:1.25"]


def test_a_pool_of_files_is_scaled_cut_into_days_and_stamped(tmp_path: Path) -> None:
    file = tmp_path / "usage.csv"
    day = 86_400.0
    rows = [
        {"task": task, "time": t * 600.0, "cpu": 0.1 + 0.1 * (t >= 144)}
        for task in ("a", "b")
        for t in range(288 if task == "a" else 100)
    ]
    pl.DataFrame(rows).write_csv(file)
    spec = PoolSpec(source=(str(file),), mean=0.03, by_day=True)
    pool = open_pool(spec, 0)
    assert pool.size == 3
    first, second, third = (
        pool.take(np.array([n])).instantaneous.mean() for n in range(3)
    )
    assert second == pytest.approx(2 * first)
    assert third == pytest.approx(first)
    assert np.mean([first, second, third]) == pytest.approx(0.03)
    assert set(pool.cleaning) >= {"rows", "tasks_dropped"}
    stamp = stamp_of(spec)
    file.write_text(file.read_text() + f"c,{day},0.5\n")
    assert stamp_of(spec) != stamp
    with pytest.raises(InvalidInput, match="no averages"):
        pool.take(np.array([0])).of("averages")


def test_idle_short_and_failing_tasks_are_set_aside_and_counted(
    tmp_path: Path,
) -> None:
    file = tmp_path / "usage.csv"
    rows = [
        {"task": task, "time": t * 300.0, "cpu": 0.0 if task == "idle" else 0.1}
        for task, many in (("long", 30), ("short", 5), ("idle", 30))
        for t in range(many)
    ]
    pl.DataFrame(rows).write_csv(file)
    runs = [{"method": "max"}]
    pool = {"source": str(file)}
    result = study_grid({**SMALL, "pool": pool, "runs": runs, "tasks": 10})
    assert result.cleaning["tasks_dropped"] == {"all_zero": 1, "short": 1}
    assert result.mean_load == pytest.approx(1.0)


def test_runs_are_checked_when_made() -> None:
    with pytest.raises(InvalidInput, match="does not ask for rho"):
        Run("max", 0.1)
    with pytest.raises(InvalidInput, match="cannot cut"):
        Run("max", data="distributions", clairvoyance=0.5)
