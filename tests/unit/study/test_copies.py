"""Cells name copies of their files where the files themselves may be out of reach."""

import json
from pathlib import Path

import pytest

from cotenant.study.copies import Copies


def test_folders_and_sources_are_renamed_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "here").mkdir()
    (tmp_path / "logs" / "a.swf").write_text("a log")
    (tmp_path / "logs" / "unread.swf").write_text("another")
    (tmp_path / "here" / "pool.csv").write_text("a pool")
    monkeypatch.chdir(tmp_path / "here")
    copies = Copies.of(
        {"../logs": [Path("../logs/a.swf")], "pool.csv": [Path("pool.csv")]}
    )
    cell = {
        "folder": "../logs",
        "part": "pool.csv",
        "grid": {"pool": {"source": ["pool.csv", "prometheus+http://x"], "tasks": 3}},
    }
    monkeypatch.chdir(tmp_path)
    told = json.loads(copies.renamed(json.dumps(cell)))
    folder, (pool, live) = Path(told["folder"]), told["grid"]["pool"]["source"]
    assert [file.name for file in folder.iterdir()] == ["a.swf"]
    assert (folder / "a.swf").read_text() == "a log"
    assert Path(pool).read_text() == "a pool"
    assert live == "prometheus+http://x"
    assert told["part"] == "pool.csv"
    assert told["grid"]["pool"]["tasks"] == 3


def test_the_same_content_is_copied_once_and_other_content_apart(
    tmp_path: Path,
) -> None:
    file = tmp_path / "pool.csv"
    cell = json.dumps({"source": str(file)})
    renamed = []
    for content in ("one", "one", "two"):
        file.write_text(content)
        copies = Copies.of({str(file): [file]})
        renamed.append(json.loads(copies.renamed(cell))["source"])
    assert renamed[0] == renamed[1] != renamed[2]
    assert Path(renamed[0]).read_text() == "one"
    assert Path(renamed[2]).read_text() == "two"
