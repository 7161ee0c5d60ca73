"""Cells of a study are kept as soon as they are done, and not run twice."""

from pathlib import Path

from cotenant.study.cells import Kept, run_cells


def length(text: str) -> dict[str, int]:
    return {"length": len(text)}


def test_cells_are_kept_and_resumed(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "kept.jsonl"
    seen: list[tuple[int, int]] = []
    run_cells(
        length, ["a", "bb"], Kept(file, "1"), 1, lambda _, d, t: seen.append((d, t))
    )
    assert seen == [(1, 2), (2, 2)]
    # A run that was killed leaves a line cut short.
    file.write_text(file.read_text() + '{"cell": "ccc", "va')
    kept = Kept(file, "1")
    assert set(kept.values) == {"a", "bb"}
    more = run_cells(length, ["bb", "ccc"], kept, 1, lambda *_: seen.append((0, 0)))
    assert more == {"bb": {"length": 2}, "ccc": {"length": 3}}
    assert seen[2:] == [(0, 0)]


def test_cells_of_another_version_are_run_again(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    file.write_text('{"cell": "a", "version": "0.0.0", "value": {}}\n')
    assert Kept(file, "1").values == {}
