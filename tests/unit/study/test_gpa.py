"""The study of the paper: few problems, every part, words and pictures."""

import json
from pathlib import Path

import pytest

from cotenant.cli import run
from cotenant.errors import InvalidInput
from cotenant.report.charts import Chart
from cotenant.report.pictures import svg, write_pictures
from cotenant.report.study_charts import Curve, Dots, curves_chart, dots_chart
from cotenant.study.gpa.beside import MEASURES, beside
from cotenant.study.gpa.names import change, scientific
from cotenant.study.gpa.study import PARTS, study_gpa
from cotenant.study.gpa.told import tell
from cotenant.study.gpa.trace import run_trace, shown, trace_text
from cotenant.study.profile.parts import Absent
from cotenant.study.published import GPA


def test_every_printed_number_can_be_measured() -> None:
    keys = {one.key for one in GPA}
    assert set(MEASURES) <= keys
    assert all(k.split()[0] in ("machines", "q") for k in keys - set(MEASURES))


def test_unknown_parts_are_refused() -> None:
    with pytest.raises(InvalidInput, match="part is 'figures'"):
        study_gpa(parts=["figures"])


def test_the_base_case_stands_beside_the_paper(tmp_path: Path) -> None:
    keep = str(tmp_path / "kept.jsonl")
    study = study_gpa(parts=["base"], problems=1, keep=keep)
    ours = {row.printed.key: row.ours.get("matched") for row in beside(study)}
    assert 26 <= ours["machines mean:1"] <= 31  # type: ignore[operator]
    assert 1e-3 <= ours["q gaussian 0.001"] <= 2.5e-3  # type: ignore[operator]
    assert ours["rebalancing"] is None
    told = tell(study)
    assert told.sections[0].title == "Printed and measured"
    assert [c.key for s in told.sections for c in s.charts] == [
        "base q matched",
        "base machines matched",
    ]
    # Resumed: nothing is run again, the answer is the same.
    assert study_gpa(parts=["base"], problems=1, keep=keep).to_dict() == study.to_dict()
    assert study.to_frame().height == 28


@pytest.mark.slow
def test_every_part_is_run_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = [part for part in PARTS if not part.startswith("grouping")]
    words = [word for part in small for word in ("--part", part)]
    report, figures = tmp_path / "page.html", tmp_path / "figures"
    options = ["--problems", "1", "-q", "-o", "json", "--workers", "1"]
    files = ["--report", str(report), "--figures", str(figures)]
    assert run(["study", "gpa", *words, *options, *files]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["kind"] == "StudyGpa"
    assert {part["part"] for part in made["parts"]} == set(small)
    assert made["missing"] == ["planetlab", "google-job-days"]
    assert made["settings"]["command"].startswith("cotenant study gpa --part base")
    page = report.read_text()
    assert "Figures 7 and 8" in page
    assert all(f"Figure {number}" in page for number in range(9, 14))
    assert len(list(figures.glob("*.svg"))) >= 7


def test_the_trace_part_shows_figures_one_to_six() -> None:
    cell = json.loads(trace_text({"source": "matched"}, 0, tasks=300))
    value = json.loads(json.dumps(run_trace(cell)))
    parts = shown(value)
    assert not any(isinstance(part, Absent) for part in parts.values())
    for name, part in parts.items():
        assert json.loads(json.dumps(part.to_dict())) == value[name]
    assert not value["timed"]


def test_a_grid_of_ones_own_runs_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, report = tmp_path / "own.toml", tmp_path / "own.html"
    file.write_text(
        'title = "Own"\nproblems = 2\ntasks = 100\nrealisations = 200\n'
        '[[runs]]\nmethod = ["gaussian", "max"]\nrho = 0.01\n'
        "rebalance = [true, false]\n"
    )
    words = ["study", str(file), "-q", "--workers", "1"]
    assert run([*words, "-o", "json", "--report", str(report)]) == 0
    made = json.loads(capsys.readouterr().out)
    assert [row["method"] for row in made["rows"]] == ["gaussian"] * 2 + ["max"] * 2
    assert "Own" in report.read_text()
    assert run(words) == 0
    said = capsys.readouterr().out
    assert "yes" in said
    assert "max" in said
    assert run(["study", str(tmp_path / "none.toml")]) == 2
    assert run(["study", "nothing"]) == 2


def test_numbers_are_written_with_their_power() -> None:
    assert scientific(1e-20) == "< 1e-15"
    assert change(1.0, 0.0) == "none left"
    assert change(1e-5, 1e-3) == "100 times more"


def test_charts_survive_as_svg(tmp_path: Path) -> None:
    dots = dots_chart(
        ["a", "b"], [Dots("x", [0.0, 1e-3]), Dots("y", [None, 0.1])], "q", True
    )
    curves = curves_chart([Curve("x", ["1", "2"], [1e-3, 0.0])], "n", "q")
    charts = [Chart("Dots one", "", "", dots), Chart("curves", "", "", curves)]
    write_pictures(charts, str(tmp_path / "new"))
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == [
        "curves.svg",
        "dots-one.svg",
    ]
    assert "var(--" not in svg(charts[0])
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot write"):
        write_pictures(charts, str(tmp_path / "file"))
