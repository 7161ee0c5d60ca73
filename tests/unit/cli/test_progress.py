"""Progress: what, how far, how fast, how long still; nothing where it is unwelcome."""

import pytest

from cotenant.cli import progress
from cotenant.cli.pace import Pace
from cotenant.cli.progress import Watch

MB = 1_000_000


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_a_run_before_has_done_does_not_count_as_speed() -> None:
    clock = Clock()
    pace = Pace(True, clock)
    assert pace.words(500 * MB, 1_000 * MB) == ""
    clock.now = 10.0
    assert pace.words(600 * MB, 1_000 * MB) == "10.0 MB/s, 40 s left"


def test_counts_that_are_no_bytes_tell_the_time_left_only() -> None:
    clock = Clock()
    pace = Pace(False, clock)
    pace.words(0, 64)
    clock.now = 90.0
    assert pace.words(16, 64) == "4 min 30 s left"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress.time, "monotonic", clock)
    monkeypatch.setattr(progress, "Pace", lambda in_bytes: Pace(in_bytes, clock))
    return clock


def watched(quiet: bool, clock: Clock) -> None:
    with Watch(quiet) as watch:
        for _ in range(100):
            watch.reading(MB, 100 * MB)
            clock.now += 1.0


def test_without_a_terminal_a_line_comes_now_and_then(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    watched(False, clock)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "reading 16 %, 1.0 MB/s, 1 min 24 s left"
    assert len(lines) == 6


def test_nothing_is_shown_if_quiet(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    watched(True, clock)
    assert capsys.readouterr().err == ""


def test_short_work_shows_nothing(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with Watch() as watch:
        watch.step("sorting", 1, 2)
        clock.now += 1.0
        watch.step("sorting", 2, 2)
    assert capsys.readouterr().err == ""
