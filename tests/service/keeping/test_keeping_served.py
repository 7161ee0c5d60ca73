"""`cotenant serve --promise tomorrow`, fed over HTTP by a simulator at speed."""

import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cotenant.service.keeping.history import MOMENTS
from cotenant.study.tomorrow.sets import SETS, history_of
from tests.service.keeping.days import generated
from tests.service.keeping.simulator import HOURS, Simulator
from tests.service.test_server import _until_ready, serving
from tests.shared import DATA, needs_data

RHO = 0.01
OPTIONS = ("--promise", "tomorrow", "--rho", str(RHO))


@contextmanager
def fed(
    folder: Path,
    names: list[str],
    usage: np.ndarray,
    present: np.ndarray,
    capacity: float,
) -> Iterator[tuple[subprocess.Popen[bytes], Simulator]]:
    """Serve from a folder, with a simulator in front."""
    with serving(folder, *OPTIONS) as (process, url):
        _until_ready(process, url)
        feed = Simulator(url, names, usage, present, capacity)
        try:
            yield process, feed
        finally:
            feed.close()


def check(days: dict[str, Any], events: list[dict[str, Any]], count: int) -> None:
    """Every day was counted once, and every move has a reason."""
    nights = [event for event in events if event["kind"] == "night"]
    assert [n["data"]["day"]["day"] for n in nights] == list(
        range(nights[0]["data"]["day"]["day"], nights[0]["data"]["day"]["day"] + count)
    )
    moved = [event for event in events if event["kind"] == "moved"]
    assert all(event["data"]["reason"] for event in moved)
    assert Counter(event["data"]["by"] for event in moved).keys() <= {"night", "guard"}
    assert sum(day["moves"] for day in days["days"]) + days["moved_today"] == len(moved)


@pytest.mark.slow
def test_a_day_excluded_at_the_start_is_excluded_once(tmp_path: Path) -> None:
    options = (*OPTIONS, "--exclude-day", "2026-11-30", "--conservative")
    for _ in range(2):
        with serving(tmp_path, *options) as (process, url):
            _until_ready(process, url)
            feed = Simulator(url, [], np.zeros((0, 0)), np.zeros((0, 0)), 1.0)
            why = "excluded when the service was started"
            assert feed.ask("GET", "/v1/days")["excluded"] == {"2026-11-30": why}
            assert [event["kind"] for event in feed.events()] == ["day_excluded"]
            feed.close()


@pytest.mark.slow
def test_days_at_speed_come_to_the_same_when_every_night_is_killed(
    tmp_path: Path,
) -> None:
    days, tasks = 3, 30
    usage = generated(tasks, days, seed=11)
    present = np.ones((tasks, days), dtype=np.bool_)
    present[:3, 1:] = False
    names = [f"t{i}" for i in range(tasks)]
    dice = random.Random(0)
    whole = _lived(tmp_path / "whole", names, usage, present, None)
    other = _lived(tmp_path / "killed", names, usage, present, dice)
    assert whole == other


def _lived(
    folder: Path,
    names: list[str],
    usage: np.ndarray,
    present: np.ndarray,
    dice: random.Random | None,
) -> list[tuple[str, str, Any]]:
    """Return the ledger of some days; with dice, the service is killed every night."""
    folder.mkdir()
    days = present.shape[1]
    hour, started = 0, False
    while True:
        with fed(folder, names, usage, present, 1.0) as (process, feed):
            if not started:
                feed.declare(12)
                started = True
            feed.placed = {task["name"] for task in feed.ask("GET", "/v1/tasks")}
            feed.settle()
            while hour < days * HOURS:
                if hour % HOURS == 0:
                    feed.arrive(hour // HOURS)
                feed.hour(hour)
                hour += 1
                if dice is not None and hour % HOURS == 1 and hour > 1:
                    time.sleep(dice.uniform(0.0, 0.4))
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                    break
                told = feed.settle()
            else:
                events = feed.events()
                check(told, events, days - 1)
                return [(e["kind"], e["words"], e["data"]) for e in events]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["azure averages", "bitbrains"])
class TestRealDays:
    """Twenty days of a public trace."""

    pytestmark = needs_data

    def test_the_promise_is_kept_with_few_moves(
        self, tmp_path: Path, name: str
    ) -> None:
        history, count = history_of(str(DATA), name), 20
        usage = history.usage[:, :count].reshape(len(history.names), -1)
        names = [one.replace("/", "-") for one in history.names]
        present, capacity = history.present[:, :count], SETS[name].capacity
        with fed(tmp_path, names, usage, present, capacity) as (_, feed):
            feed.declare(40)
            for hour in range(count * HOURS):
                if hour % HOURS == 0:
                    feed.arrive(hour // HOURS)
                feed.hour(hour)
                told = feed.settle()
            check(told, feed.events(), count - 1)
            delivered = feed.overloaded / feed.observed
            assert delivered <= RHO
            measured = [
                d["overload"] for d in told["days"] if d["overload"] is not None
            ]
            assert np.mean(measured) == pytest.approx(delivered, rel=0.15)
            moves = np.array([day["moves"] for day in told["days"]])
            share = (moves / present[:, : count - 1].sum(axis=0)).mean()
            assert share <= 0.04
            # The last night again: the same first hour of the same day.
            before = len(feed.events())
            feed.hour(count * HOURS - 1)
            assert feed.settle()["days"] == told["days"]
            again = [event["kind"] for event in feed.events()[before:]]
            assert again == ["read"]
            machines = {task["machine"] for task in feed.ask("GET", "/v1/tasks")}
            print(
                f"{name}: {delivered / RHO:.2f} rho, {100 * share:.1f} % moved a day, "
                f"at most {100 * (moves / present.sum(axis=0)[:-1]).max():.1f} %, "
                f"{len(machines)} machines"
            )
            assert usage.shape[1] == count * MOMENTS
