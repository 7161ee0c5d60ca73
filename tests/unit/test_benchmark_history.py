"""What a release measured is kept by part, with a machine that nothing names."""

import json
from pathlib import Path

import pytest

from benchmarks import history
from benchmarks.timing import Row


def row(part: str, gain: float | None) -> Row:
    return Row(part, "place tasks", 1.0, 2.0, "s", "a loop", gain)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "FOLDER", tmp_path)


def test_a_part_that_is_run_again_replaces_itself_alone() -> None:
    history.keep([row("packing", 2.0), row("judging", 3.0)])
    file = history.keep([row("packing", 2.123456)])
    rows = json.loads(file.read_text())["rows"]
    assert [(r["part"], r["gain"]) for r in rows] == [
        ("judging", 3.0),
        ("packing", 2.123),
    ]


def test_the_newest_release_is_compared_with() -> None:
    assert history.latest() == {}
    for release, gain in (("0.9.0", 1.0), ("0.10.0", 2.0)):
        rows = [{**vars(row("packing", gain))}, {**vars(row("peers", None))}]
        history.file_of(release).write_text(json.dumps({"rows": rows}))
    assert history.latest() == {("packing", "place tasks", "a loop"): 2.0}


def test_the_machine_is_described_and_not_named() -> None:
    told = history.machine()
    assert told["cores"] >= 1
    assert told["libraries"]["numpy"]
    facts = ("processor", "cores", "memory_gib", "system", "python", "libraries")
    assert tuple(told) == facts
    assert str(Path.home()) not in json.dumps(told)
