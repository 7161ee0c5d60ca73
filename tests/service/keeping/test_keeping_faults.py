"""Crashes in the middle of nights and watches lose nothing and repeat nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cotenant.errors import ServiceUnavailable
from cotenant.service import ledger as ledger_module
from cotenant.service.keeping import keeper as keeper_module
from cotenant.service.keeping.history import MOMENTS
from tests.service.keeping.days import Fed, generated

TASKS, DAYS, STEP = 9, 3, MOMENTS // 4


class Killed(BaseException):
    """The process is gone: nothing catches it, nothing is tidied up."""


def usage() -> np.ndarray:
    found = 1.6 * generated(TASKS, DAYS + 1, seed=3)
    return found[:, : DAYS * MOMENTS + 1]


def prepare(database: str) -> None:
    fed = Fed(database=database)
    fed.machines(6)
    for i in range(TASKS):
        fed.place(f"t{i}", 0.05)
    fed.close()


def told(fed: Fed) -> list[tuple[str, str, Any]]:
    return [(event.kind, event.words, event.data) for event in fed.events()]


def live(database: str, steps: Callable[[str], None]) -> list[tuple[str, str, Any]]:
    """Feed some days; whenever the process is killed, start it again and go on."""
    values = usage()
    at = 0
    while True:
        fed = Fed(database=database)
        try:
            fed.settle()
            while at < values.shape[1]:
                steps("feed")
                part = values[:, at : at + STEP]
                fed.feed(at, {f"t{i}": row for i, row in enumerate(part)})
                at += STEP
                steps("fed")
                fed.settle()
            return told(fed)
        except Killed:
            pass
        finally:
            fed.close()


@contextmanager
def watched(
    monkeypatch: pytest.MonkeyPatch, steps: Callable[[str], None]
) -> Iterator[None]:
    """Pass every step of a night and a watch by `steps`, in the keeper's thread."""
    with monkeypatch.context() as patched:
        for name in ("plan_night", "record_night", "plan_watch", "record_watch"):
            real = getattr(keeper_module, name)

            def stepped(*args: Any, real: Any = real, name: str = name) -> Any:
                steps(f"before {name}")
                found = real(*args)
                steps(f"after {name}")
                return found

            if name.startswith("plan"):
                patched.setattr(keeper_module, name, stepped)
        yield


@pytest.mark.slow
def test_a_kill_between_any_two_steps_changes_nothing_of_what_comes_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    prepare(f"sqlite:///{tmp_path}/whole.db")
    with watched(monkeypatch, seen.append):
        expected = live(f"sqlite:///{tmp_path}/whole.db", seen.append)
    kinds = [kind for kind, *_ in expected]
    assert kinds.count("night") == DAYS
    assert kinds.count("moved") >= 3
    for killed in range(0, len(seen), 2):
        count = iter(range(10**6))

        def steps(
            step: str, count: Iterator[int] = count, killed: int = killed
        ) -> None:
            if next(count) == killed:
                raise Killed

        database = f"sqlite:///{tmp_path}/{killed}.db"
        prepare(database)
        with watched(monkeypatch, steps):
            assert live(database, steps) == expected, f"killed at {seen[killed]}"


@pytest.mark.slow
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(failing=st.sets(st.integers(0, 40), max_size=6))
def test_writes_that_fail_are_made_again_once(
    failing: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("failing")
    database = f"sqlite:///{folder}/ledger.db"
    whole = f"sqlite:///{folder}/whole.db"
    for one in (database, whole):
        prepare(one)
    expected = live(whole, lambda step: None)
    real, count = ledger_module.Writing.append, iter(range(10**6))

    def append(writing: Any, fresh: Any) -> None:
        real(writing, fresh)
        if fresh and next(count) in failing:
            raise ServiceUnavailable("the ledger is not available: disk full")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ledger_module.Writing, "append", append)
        fed = Fed(database=database)
        values = usage()
        for at in range(0, values.shape[1], STEP):
            part = values[:, at : at + STEP]
            sent = {f"t{i}": row for i, row in enumerate(part)}
            again(lambda sent=sent, at=at: fed.feed(at, sent))
            again(fed.settle)
        assert told(fed) == expected
        fed.close()


def again(do: Callable[[], object]) -> None:
    for _ in range(50):
        try:
            do()
        except ServiceUnavailable:
            continue
        return
    raise AssertionError("it never worked")
