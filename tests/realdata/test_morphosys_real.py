"""The MorphoSys study on the public video traces, a small part of it."""

import json
import os
from pathlib import Path

import pytest

from cotenant.cli import run
from cotenant.errors import InvalidInput, SourceNotFound
from cotenant.study.morphosys.cells import PARTS, cells_of, run_cell
from cotenant.study.morphosys.study import study_morphosys
from cotenant.study.morphosys.told import tell

ROOT = Path(__file__).parents[3]
FOLDER = Path(os.environ.get("COTENANT_DATA", ROOT / "shared" / "data")) / "video"

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="the traces are not at hand"),
]


@pytest.fixture
def kept(tmp_path: Path) -> str:
    """Cells of two parts, done: the study only puts them together."""
    file = tmp_path / "cells.jsonl"
    from cotenant.study.cells import Kept

    done = Kept(file)
    for cell in cells_of(["fluid", "uptime"], str(FOLDER), 2):
        done.keep(cell.text(), run_cell(cell.text()))
    return str(file)


@pytest.mark.slow
def test_finished_cells_are_put_beside_what_was_published(
    kept: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = study_morphosys(str(FOLDER), ["fluid", "uptime"], 2, 1, kept)
    assert {row.strategy for row in found.part("fluid")} >= {"first-fit", "edf"}
    first = found.along("fluid", "first-fit")
    assert [one.mean for one in first] == [0.0] * 5
    # The same requests: an exact test wastes less, and one that is never worse least.
    plain = found.along("fluid", "response-time")
    edf = found.along("fluid", "edf")
    pairs = zip(plain, edf, strict=True)
    assert all(0.2 < p.mean < e.mean < 1.0 for p, e in pairs)
    told = tell(found)
    assert [s.title for s in told.sections] == [
        "Published and measured",
        "Fluid requests",
        "Uptime classes",
    ]
    assert "no placement changed" in told.findings[-1]
    words = ["study", "morphosys", str(FOLDER), "--part", "fluid", "--replicas", "2"]
    page = tmp_path / "study.html"
    assert run([*words, "--keep", kept, "-q", "-o", "json", "--report", str(page)]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "StudyMorphosys"
    assert "share of fluid requests" in page.read_text()


def test_uptime_classes_leave_the_exact_budgets_as_they_are() -> None:
    cells = list(cells_of(["uptime"], str(FOLDER), 1))
    machines = {run_cell(cell.text())["exact"]["machines"] for cell in cells}
    assert len(machines) == 1


def test_unknown_parts_and_missing_traces_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="part is 'figures'"):
        study_morphosys(str(FOLDER), ["figures"])
    with pytest.raises(SourceNotFound, match="silenceOfTheLambs_verbose"):
        study_morphosys(str(tmp_path), PARTS)
