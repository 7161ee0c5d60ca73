"""A real Dask scheduler and real workers, each a process of its own, one killed."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from cotenant.cli import run
from cotenant.errors import InvalidInput, TraceError
from cotenant.study.grid_result import study_grid
from cotenant.traces import pieces
from cotenant.traces.jobs.lublin import lublin
from cotenant.traces.jobs.source import read_jobs
from cotenant.traces.jobs.swf_writer import write_swf
from cotenant.traces.synthetic import matched
from cotenant.workers import mapped, open_workers, send

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow  # starts a scheduler and its workers

RUNS = [{"method": ["gaussian", "mean:1.25"], "rho": [0.05]}]
GRID = {
    "problems": 24,
    "tasks": 60,
    "realisations": 20_000,
    "pool": {"source": "pool/*.csv", "min_samples": 1},
    "runs": RUNS,
}


class Cluster:
    """A scheduler and two workers that stand in a folder without any file of ours."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "scheduler.json"
        self._all: list[subprocess.Popen[bytes]] = []
        self._start("scheduler", "--port", "0", "--no-dashboard")
        deadline = time.monotonic() + 60
        while not self._file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.address = json.loads(self._file.read_text())["address"]

    def add_worker(self) -> "subprocess.Popen[bytes]":
        return self._start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")

    def wait_for(self, workers: int) -> None:
        with distributed.Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=60)

    def _start(self, what: str, *options: str) -> "subprocess.Popen[bytes]":
        words = [sys.executable, "-m", f"distributed.cli.dask_{what}", *options]
        process = subprocess.Popen(
            [*words, "--scheduler-file", str(self._file)],
            cwd=self._folder,
            stderr=subprocess.DEVNULL,
        )
        self._all.append(process)
        return process

    def stop(self) -> None:
        for process in reversed(self._all):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    (tmp_path / "elsewhere").mkdir()
    made = Cluster(tmp_path / "elsewhere")
    yield made
    made.stop()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with a pool, which the workers cannot see."""
    folder = tmp_path / "here"
    (folder / "pool").mkdir(parents=True)
    matched(80, seed=3).write_csv(folder / "pool" / "usage.csv")
    monkeypatch.chdir(folder)
    return folder


Advance = Callable[[str, int, int], None]


def killer(worker: "subprocess.Popen[bytes]", after: Callable[[], None]) -> Advance:
    """Kill a worker, the hard way, as soon as one cell is done."""

    def advance(what: str, done: int, total: int) -> None:
        if worker.poll() is None:
            assert done < total, "there was nothing left to lose"
            worker.kill()
            worker.wait()
            after()

    return advance


def test_a_killed_worker_changes_nothing(cluster: Cluster, here: Path) -> None:
    alone = study_grid(GRID).to_dict()
    lost, _ = cluster.add_worker(), cluster.add_worker()
    cluster.wait_for(2)
    kill = killer(lost, after=lambda: None)
    together = study_grid(GRID, cluster.address, advance=kill).to_dict()
    assert lost.poll() == -9
    assert json.dumps(together) == json.dumps(alone)


def test_lost_work_waits_for_the_next_worker(cluster: Cluster, here: Path) -> None:
    alone = study_grid(GRID).to_dict()
    # The only one: it also held what all cells read.
    lost = cluster.add_worker()
    kill = killer(lost, after=cluster.add_worker)
    together = study_grid(GRID, cluster.address, advance=kill).to_dict()
    assert lost.poll() == -9
    assert json.dumps(together) == json.dumps(alone)


def test_commands_print_the_same_bytes(cluster: Cluster, here: Path) -> None:
    write_swf(here / "log.swf", lublin(300, 128, 1))
    clusters = ["--cluster", "128@1", "--cluster", "128@2"]
    commands = [
        ["compare", "pool/usage.csv", "--unit", "fraction", "--judge", "samples"],
        ["compare", "pool/usage.csv", "--unit", "fraction", "--judge", "aligned"],
        ["backtest", "days.csv", "--capacity", "8", "--rho", "0.05"],
        ["queue", "log.swf", *clusters, "--shake", "30", "--replicas", "3"],
        ["churn", "--arrival-rate", "0.2", "--session", "1", "--replicas", "2"],
    ]
    several_days().write_csv(here / "days.csv")
    cluster.add_worker()
    for words in commands:
        told = [answer(words, workers) for workers in ("1", "2", cluster.address)]
        assert told[0] == told[1] == told[2]
        assert told[0]["kind"]


def test_pieces_of_an_import_are_shared_out(
    cluster: Cluster, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 50_000)
    cluster.add_worker()
    files = []
    for workers in ("1", "2", cluster.address):
        words = ["import", "pool/usage.csv", "--unit", "fraction", "--to", "o.parquet"]
        assert run([*words, "--workers", workers, "-q", "--out", "told.txt"]) == 0
        files.append((here / "o.parquet").read_bytes())
    assert files[0] == files[1] == files[2]
    assert not [file.name for file in here.iterdir() if file.name.startswith(".")]


def several_days() -> pl.DataFrame:
    """Return 12 tasks over four days, a sample an hour."""
    random = np.random.default_rng(5)
    hours = np.arange(96)
    rows = [
        {
            "task": f"t{task}",
            "time": 3600.0 * hour,
            "cpu": float(random.gamma(2.0, 0.3)),
        }
        for task in range(12)
        for hour in hours.tolist()
    ]
    return pl.DataFrame(rows)


def answer(words: list[str], workers: str) -> dict[str, Any]:
    """Run a command; return its JSON without what the contract exempts."""
    run([*words, "--workers", workers, "-q", "-o", "json", "--out", "told.json"])
    told: dict[str, Any] = json.loads(Path("told.json").read_text())
    told.pop("command", None)
    for row in told["rows"]:
        row.pop("seconds", None)
    return told


def test_an_error_on_a_worker_is_told_as_if_it_were_here(
    cluster: Cluster, here: Path
) -> None:
    cluster.add_worker()
    (here / "bad.swf").write_text("; a log\n1 0 -1 ten\n")
    with pytest.raises(TraceError) as alone:
        read_jobs(str(here / "bad.swf"), "swf")
    with (
        open_workers(cluster.address) as workers,
        pytest.raises(TraceError) as far,
    ):
        mapped(workers, read_jobs, [str(here / "bad.swf")], "swf")
    assert alone.value.line == 2
    assert vars(far.value) == vars(alone.value)
    assert str(far.value) == str(alone.value)


def test_a_cluster_on_this_machine_is_gone_with_the_block() -> None:
    with open_workers("local:2") as workers:
        assert mapped(workers, pow, range(4), send(workers, 3)) == [0, 1, 8, 27]
        pids = mapped(workers, eval, ["__import__('os').getpid()"])
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_a_scheduler_that_does_not_answer_is_told_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: refused
        where = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        code = run(["study", "gpa", "--problems", "1", "--workers", where, "-q"])
    assert code == 2
    assert f"no Dask scheduler answers at {where} within" in capsys.readouterr().err


def test_a_scheduler_without_workers_is_told(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cotenant.workers.dask.WORKERS_S", 0.2)
    with (
        pytest.raises(InvalidInput, match="has no worker after"),
        open_workers(cluster.address),
    ):
        raise AssertionError("opened")


def test_workers_of_another_version_are_refused(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.add_worker()
    monkeypatch.setattr("cotenant.workers.dask.version", lambda package: "9.9")
    with (
        pytest.raises(InvalidInput, match=r"runs cotenant 0\..*; expected 9\.9"),
        open_workers(cluster.address),
    ):
        raise AssertionError("opened")
