"""The look-ahead study on tiny logs in place of the real ones."""

import json
from pathlib import Path

import pytest

from cotenant.cli import run
from cotenant.errors import InvalidInput, SourceNotFound
from cotenant.study.cells import Kept
from cotenant.study.look_ahead import CaseRow, LookAheadStudy, study_look_ahead
from cotenant.study.look_ahead_cells import (
    LOGS,
    SYSTEMS,
    Cell,
    cells_of,
    clusters_of,
    jobs_of,
    run_cell,
)
from cotenant.study.look_ahead_told import tell
from cotenant.traces.jobs.load import offered_load
from cotenant.traces.jobs.lublin import lublin
from cotenant.traces.jobs.swf_writer import write_swf


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("logs")
    for seed, log in enumerate(LOGS.values()):
        write_swf(path / log.file, lublin(60, 128, seed))
    return str(path)


def case(part: str, gain: float, error: float | None, over: float) -> CaseRow:
    errors = {} if error is None else {"tla": error, "look-ahead": error}
    means = {"best-fit": 2.0, "fastest-first": 1.0, "tla": 1.0, "look-ahead": 1.0}
    gains = {"tla": 0.5, "look-ahead": gain}
    replicas = 1 if error is None else 8
    shown = (means, "fastest-first", gains, errors, over, error, gains, True)
    return CaseRow(part, "nasa", "B", 0.7, "exact", replicas, *shown)


def test_the_table_has_160_cells_and_systems_their_sizes() -> None:
    assert len(list(cells_of(["table"], "", 8))) == 160
    assert len(list(cells_of(["shaken"], "", 8))) == 3 * 9 * 8
    assert [c.processors for c in clusters_of("lublin256", "best")] == [
        *(256, 128, 256, 120, 128)
    ]
    assert [c.processors for c in clusters_of("wagap", "F")] == [32, 512, 512, 512, 200]
    assert all(len(sizes) == len(speeds) for sizes, speeds in SYSTEMS.values())


@pytest.mark.parametrize("replica", [None, 2])
def test_every_replica_offers_the_load(folder: str, replica: int | None) -> None:
    cell = Cell("shaken", "nasa", "C", 0.6, replica=replica, folder=folder)
    jobs = jobs_of(cell)
    assert offered_load(jobs, clusters_of("nasa", "C")) == pytest.approx(0.6)


def test_a_cell_is_the_same_run_again(folder: str) -> None:
    cell = Cell("shaken", "sdsc5k", "D", 0.6, "user", 1, folder).text()
    assert run_cell(cell) == run_cell(cell)


def test_a_loss_is_beyond_two_errors() -> None:
    assert not case("shaken", -0.09, 0.05, 0.0).loses("look-ahead")
    assert case("shaken", -0.11, 0.05, 0.0).loses("look-ahead")
    assert case("shaken", 0.1, 0.05, -0.11).loses_to_tla
    # Single runs have no error; more than a percent counts.
    assert not case("table", -0.009, None, -0.009).loses("look-ahead")
    assert case("table", -0.011, None, -0.011).loses_to_tla


def test_findings_name_the_cases_that_lose() -> None:
    rows = (case("shaken", -0.2, 0.05, 0.1), case("shaken", 0.2, 0.05, 0.1))
    (said,) = tell(LookAheadStudy({}, rows)).findings
    assert "loses in nasa B 0.7" in said
    (said,) = tell(LookAheadStudy({}, rows[1:])).findings
    assert "loses nowhere" in said


def test_the_study_is_kept_and_resumed(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep = str(tmp_path / "kept.jsonl")
    words = ["study", "look-ahead", folder, "--part", "headline", "--keep", keep]
    assert run([*words, "-o", "json", "-q"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == "StudyLookAhead"
    assert [row["replicas"] for row in told["rows"]] == [1, 15]
    assert len(told["published"]) == 1
    done = Path(keep).read_text()
    assert len(done.splitlines()) == 16
    assert run([*words, "-q"]) == 0
    assert "Published and measured" in capsys.readouterr().out
    assert Path(keep).read_text() == done
    assert Kept(Path(keep)).values == {}  # of other defaults: not to be mixed up


def test_what_is_missing_or_unknown_is_named(folder: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="part is 'x'"):
        study_look_ahead(folder, ["x"])
    with pytest.raises(SourceNotFound, match=r"SDSC-SP2-sample-4606\.swf\.gz"):
        study_look_ahead(str(tmp_path), ["table"])
    with pytest.raises(InvalidInput, match="replicas is 0"):
        study_look_ahead(folder, ["shaken"], copies=0)
