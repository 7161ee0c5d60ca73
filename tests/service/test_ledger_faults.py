"""Crashes, full disks, lost databases, and several processes at once."""

import ctypes
import errno
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cotenant.errors import CotenantError, ServiceUnavailable
from cotenant.service import ledger as ledger_module
from cotenant.service.core import Placement
from cotenant.service.state import State
from tests.service.asking import SETTINGS, check_books, fleet, sampled, state_of, task
from tests.service.databases import Cluster

ROUNDS = int(os.environ.get("COTENANT_KILL_ROUNDS", "4"))


def child(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.service.child", *arguments],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_when_the_process_is_killed(
    database: str,
) -> None:
    dice = random.Random(0)
    placed: dict[str, str] = {}
    leaving: set[str] = set()
    gone: set[str] = set()
    for number in range(ROUNDS):
        process = child("churn", database, str(number), "6")
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        timer = threading.Timer(dice.uniform(0.05, 0.8), process.kill)
        timer.start()
        lines = [line.split() for line in process.stdout if line.endswith("\n")]
        assert process.wait() == -signal.SIGKILL
        for word, name, *where in lines:
            if word == "placed":
                placed[name] = where[0]
            elif word == "releasing":
                leaving.add(name)
            else:
                gone.add(name)
        assert process.stdin is not None
        process.stdin.close()
        process.stdout.close()
        state = state_of(database)
        check_books(state)
        for name in placed.keys() - leaving:
            assert state.held[name].machine == placed[name]
        assert not gone & state.held.keys()
        # What was never acknowledged may be there or not; the next round needs room.
        sweep(database, state)
        placed.clear()
    assert leaving


def sweep(database: str, state: State) -> None:
    if len(state.held) > 40:
        core = Placement(SETTINGS, database)
        for future in [core.release(name) for name in state.held]:
            future.result()
        core.close()


@pytest.mark.slow
def test_two_processes_on_one_ledger_never_book_twice(database: str) -> None:
    core = Placement(SETTINGS, database)
    fleet(core, 12)
    core.close()
    children = [child("fill", database, who) for who in ("one", "two")]
    for process in children:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in children:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    told = [process.communicate(timeout=120)[0].split("\n") for process in children]
    assert [process.returncode for process in children] == [0, 0]
    lines = [line.split() for output in told for line in output if line]
    assert {line[0] for line in lines} == {"placed"}
    state = state_of(database)
    check_books(state)
    firsts = [name for _, name, _, again in lines if again == "first"]
    assert sorted(firsts) == sorted(state.held)
    for _, name, where, _ in lines:
        assert state.held[name].machine == where
    assert len([name for name in firsts if name.startswith("all-")]) > 5
    # Either may be quicker and fill the fleet, but both were answered.
    assert all(any(output) for output in told)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a file system of one megabyte."""
    folder = tmp_path / "small"
    folder.mkdir()
    libc = ctypes.CDLL(None, use_errno=True)
    options = b"size=1m"
    if libc.mount(b"tmpfs", bytes(folder), b"tmpfs", 0, options) != 0:
        pytest.skip("may not mount a small file system")
    yield folder
    assert libc.umount2(bytes(folder), 2) == 0


def fill_disk(ballast: Path) -> None:
    try:
        with ballast.open("wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise


def test_a_full_disk_is_told_and_survived(small_disk: Path) -> None:
    database = f"sqlite:///{small_disk}/ledger.db"
    core = Placement(SETTINGS, database)
    fleet(core, 4)
    core.place([task("before")]).result()
    ballast = small_disk / "ballast"
    fill_disk(ballast)
    refused: dict[str, str] = {}
    accepted: list[str] = []
    for number in range(30):
        name = f"t{number}"
        try:
            core.place([sampled(name, 0.001, *([0.001] * 400))]).result()
        except ServiceUnavailable as error:
            refused[name] = str(error)
        else:
            accepted.append(name)
    assert refused
    assert all("full" in words or "disk" in words for words in refused.values())
    assert not core.summary().durable
    assert {v.name for v in core.tasks()} == {"before", *accepted}
    ballast.unlink()
    for name in refused:
        assert not core.place([sampled(name, 0.001)]).result()[0].repeated
    assert core.summary().durable
    shown = {view.name for view in core.tasks()}
    core.close()
    state = state_of(database)
    assert shown == set(state.held) == {"before", *accepted, *refused}
    check_books(state)


def test_a_locked_database_is_told_and_survived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "WAIT", 0.2)
    core = Placement(SETTINGS, f"sqlite:///{tmp_path}/ledger.db")
    fleet(core, 1)
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ServiceUnavailable, match="locked"):
        core.place([task("t")]).result()
    assert not core.summary().durable
    assert core.tasks() == []
    assert len(core.assess(task("t"), ["m0"])) == 1  # reading goes on
    other.execute("ROLLBACK")
    other.close()
    assert core.place([task("t")]).result()[0].machine == "m0"
    assert core.summary().durable
    core.close()


@pytest.mark.slow
def test_a_lost_server_is_told_and_survived(postgres: Cluster) -> None:
    database = postgres.fresh()
    core = Placement(SETTINGS, database)
    fleet(core, 4)
    core.place([task("before")]).result()
    postgres.stop()
    try:
        with pytest.raises(ServiceUnavailable):
            core.place([task("during")]).result()
        assert [view.name for view in core.tasks()] == ["before"]
        with pytest.raises(CotenantError):
            core.events()
    finally:
        postgres.start()
    for name in ("during", "after"):
        core.place([task(name)]).result()
    core.close()
    state = state_of(database)
    assert set(state.held) == {"before", "during", "after"}
    check_books(state)


def test_an_idle_service_notices_that_the_database_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_module, "WAIT", 0.1)
    core = Placement(SETTINGS, f"sqlite:///{tmp_path}/ledger.db")
    fleet(core, 1)
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ServiceUnavailable):
        core.place([task("t")]).result()
    other.execute("ROLLBACK")
    other.close()
    for _ in range(100):
        if core.summary().durable:
            break
        time.sleep(0.1)
    assert core.summary().durable
    core.close()


def test_a_stopped_service_refuses(tmp_path: Path) -> None:
    core = Placement(SETTINGS, f"sqlite:///{tmp_path}/ledger.db")
    core.close()
    for future in (core.place([task("t")]), core.repack()):
        with pytest.raises(ServiceUnavailable, match="stopping"):
            future.result()
