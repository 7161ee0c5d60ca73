"""`cotenant queue` as a person and a program use it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from cotenant.cli import run
from cotenant.demand.job import Jobs
from cotenant.traces.jobs.swf_writer import write_swf

CLUSTERS = ["--cluster", "8@1", "--cluster", "16@4"]
BOTH = ["--allocator", "fastest-first", "--allocator", "look-ahead"]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    rng = np.random.default_rng(1)
    count = 200
    jobs = Jobs.of(
        submit_s=np.sort(rng.integers(0, 9_000, count)),
        processors=np.where(np.arange(count) == 7, 99, rng.integers(1, 17, count)),
        runtime_s=rng.integers(1, 900, count),
        estimate_s=np.full(count, 1000),
        user=rng.integers(0, 4, count),
    )
    path = tmp_path_factory.mktemp("log") / "log.swf.gz"
    write_swf(path, jobs)
    return str(path)


def answer(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert run([*words, "-o", "json", "-q"]) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_queue_has_every_key_of_the_contract(
    log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = answer(["queue", log, *CLUSTERS, "--load", "0.7"], capsys)
    assert (told["apiVersion"], told["kind"]) == ("cotenant/v1", "Queue")
    assert told["log"]["records"] == 200
    assert told["log"]["usable"] == 199
    assert told["log"]["rejected"] == {"too_large": 1}
    assert told["offered_load"] == 0.7
    (row,) = told["rows"]
    assert (row["allocator"], row["order"], row["jobs"]) == ("look-ahead", "fcfs", 199)
    assert row["standard_error_s"] is None
    assert row["average_turnaround_s"] > row["average_wait_s"] >= 0
    assert row["average_bounded_slowdown"] >= 1
    assert 0 < row["utilization"] <= 1
    assert row["decisions"] >= row["overrides"]
    assert row["makespan_s"] > 0
    assert row["seconds"] > 0
    assert sum(part["jobs"] for part in row["clusters"].values()) == 199
    assert sum(part["jobs"] for part in row["sizes"].values()) == 199


def test_shaken_rows_carry_errors_and_what_they_are_against(
    log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["queue", log, *CLUSTERS, *BOTH, "--shake", "30", "--replicas", "3"]
    first, second = answer(words, capsys)["rows"]
    assert first["replicas"] == second["replicas"] == 3
    assert first["standard_error_s"] > 0
    assert first["against_heuristic"] is None
    ratio = second["average_turnaround_s"] / first["average_turnaround_s"]
    assert second["against_heuristic"] == pytest.approx(ratio - 1)
    assert second["against_error"] > 0


def test_the_same_command_gives_the_same_but_for_seconds(
    log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["queue", log, *CLUSTERS, "--allocator", "random", "--shake", "9"]
    twice = [answer([*words, "--estimates", "uniform:3"], capsys) for _ in range(2)]
    for told in twice:
        for row in told["rows"]:
            del row["seconds"]
    assert twice[0] == twice[1]


def test_every_order_load_and_system_is_a_row(
    log: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for name, speed in (("slow", 1), ("fast", 4.0)):
        path = tmp_path / f"{name}.toml"
        path.write_text(f"[[cluster]]\nprocessors = 16\nspeed = {speed}\n")
        files += ["--clusters", str(path)]
    orders = [w for o in ("fcfs", "easy", "conservative") for w in ("--order", o)]
    loads = ["--load", "0.5", "--load", "0.8"]
    rows = answer(["queue", log, *files, *orders, *loads, *BOTH], capsys)["rows"]
    keys = {(r["system"], r["offered_load"], r["order"], r["allocator"]) for r in rows}
    assert len(keys) == len(rows) == 2 * 2 * 3 * 2
    assert {r["system"] for r in rows} == {"slow", "fast"}


def test_the_table_leads_with_the_answer(
    log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["queue", log, *CLUSTERS, *BOTH]) == 0
    out, err = capsys.readouterr()
    assert "average turnaround of 199 jobs with" in " ".join(out.split())
    assert "fastest-first" in out
    assert "against" in out
    assert err.startswith("200 records, 199 usable (1 larger than every cluster)")
    assert max(map(len, out.splitlines())) <= 100


def test_jobs_are_written_in_the_columns_of_batsim(
    log: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "jobs.csv"
    answer(["queue", log, *CLUSTERS, "--jobs-out", str(out)], capsys)
    header = (
        "job_id,submission_time,requested_number_of_resources,requested_time,"
        "starting_time,execution_time,finish_time,waiting_time,turnaround_time,"
        "stretch,cluster,speed,final_state"
    )
    assert out.read_text().splitlines()[0] == header
    rows = pl.read_csv(out)
    assert rows.height == 199
    assert (rows["finish_time"] - rows["starting_time"]).to_list() == pytest.approx(
        rows["execution_time"].to_list()
    )
    assert set(rows["cluster"]) == {"c1", "c2"}
    # The file is a job log again, with the same jobs.
    again = answer(["queue", str(out), *CLUSTERS], capsys)
    first = answer(["queue", log, *CLUSTERS], capsys)
    assert again["rows"][0]["average_turnaround_s"] == pytest.approx(
        first["rows"][0]["average_turnaround_s"]
    )


def test_only_the_first_records_are_used_if_asked(
    log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        answer(["queue", log, *CLUSTERS, "--jobs", "50"], capsys)["log"]["records"]
        == 50
    )


def test_pages_are_written(
    log: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gantt, page = tmp_path / "gantt.html", tmp_path / "page.html"
    words = ["queue", log, *CLUSTERS, *BOTH, "--gantt", str(gantt), "-q"]
    assert run([*words, "-o", "html", "--out", str(page)]) == 0
    assert capsys.readouterr().out == ""
    for path in (gantt, page):
        text = path.read_text()
        assert text.startswith("<!DOCTYPE html>")
        assert "look-ahead" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--allocator", "x"], "allocator is 'x'"),
        (["--order", "x"], "order is 'x'"),
        (["--cluster", "x"], "cluster is 'x'"),
        (["--cluster", "2@1"], "no job"),
        (["--estimates", "uniform:x"], "uniform:3"),
        (["--estimates", "exact:3"], "estimates are 'exact:3'"),
        (["--depth", "x"], "depth is 'x'"),
        (["--load", "0"], "load is 0"),
        (["--shake", "-1"], "shake is -1"),
        (["--clusters", "none.toml"], "cannot read none.toml"),
        (["--reserve", "x"], "reserve is 'x'"),
    ],
)
def test_what_cannot_be_right_is_a_usage_error_in_one_sentence(
    words: list[str],
    said: str,
    log: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if words == ["--cluster", "2@1"]:
        wide = Jobs.of(submit_s=[0], processors=[3], runtime_s=[1])
        log = str(tmp_path / "wide.swf")
        write_swf(Path(log), wide)
    assert run(["queue", log, *words, "-q"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    [
        "not toml",
        "",
        "[[cluster]]\nprocessors = 0\n",
        "[[cluster]]\nprocessors = 4\nsped = 2\n",
        "[[cluster]]\nprocessors = true\n",
    ],
)
def test_a_damaged_file_of_clusters_is_bad_data(
    text: str, log: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "clusters.toml"
    path.write_text(text)
    assert run(["queue", log, "--clusters", str(path), "-q"]) == 5
    assert str(path) in capsys.readouterr().err
