"""`sla fits`, `place`, `from-video` and `churn` as people and programs use them."""

import json
from pathlib import Path

import pytest

from cotenant.cli import run


@pytest.fixture
def slas(tmp_path: Path) -> str:
    file = tmp_path / "slas.csv"
    rows = ["task,budget,period,period_low,period_high,misses,window"]
    rows += ["a,3,10,,,,", "b,5,15,10,20,,", "c,6,20,,,1,10", "d,9,25,,,,"]
    file.write_text("\n".join(rows) + "\n")
    return str(file)


def test_fits_answers_in_words_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sla", "fits", "1/2", "2/5"]) == 0
    assert "they share one host" in capsys.readouterr().out
    assert run(["sla", "fits", "1/2", "2/5", "--test", "liu-layland"]) == 3
    capsys.readouterr()
    assert run(["sla", "fits", "1/2", "3/5", "-o", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["response_times"] == [1, None]
    assert run(["sla", "fits", "3/2"]) == 2


def test_place_answers_in_every_form(
    slas: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sla", "place", slas]) == 0
    assert "machines' worth of promises" in capsys.readouterr().out
    assert run(["sla", "place", slas, "-o", "json", "--strategy", "portfolio"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["kind"] == "SlaPlacement"
    assert answer["summary"]["machines"] == len(answer["machines"])
    out = tmp_path / "placed.csv"
    assert run(["sla", "place", slas, "-o", "csv", "--out", str(out)]) == 0
    assert out.read_text().startswith("task,machine,core,asked,given\n")


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["--test", "rta"], 2, "test is 'rta'"),
        (["--migration", "all"], 2, "repack forced or periodic"),
        (["--time-limit", "-1"], 2, "time limit is -1"),
        (["--rewrite", "all"], 2, "rewrite is 'all'"),
    ],
)
def test_options_that_cannot_be_right_are_named(
    slas: str,
    words: list[str],
    code: int,
    sentence: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["sla", "place", slas, *words]) == code
    assert sentence in capsys.readouterr().err


def test_a_damaged_file_is_bad_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "slas.csv"
    file.write_text("task,budget,period\na,x,2\n")
    assert run(["sla", "place", str(file)]) == 5
    assert "line 2" in capsys.readouterr().err


def test_from_video_makes_a_file_that_place_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    film = tmp_path / "film.dat"
    rows = [(n + 1, "IPB"[n % 3], 40 * n, 900 - 300 * (n % 3)) for n in range(30)]
    film.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    out = tmp_path / "slas.csv"
    words = ["sla", "from-video", str(film), "--theta", "1", "--theta", "3"]
    words += ["--bandwidth", "50k"]
    assert run([*words, "-o", "csv", "--out", str(out)]) == 0
    assert run(["sla", "place", str(out), "-o", "json"]) == 0
    machine = json.loads(capsys.readouterr().out)["machines"][0]
    assert [task["asked"] for task in machine["cores"][0]["tasks"]] == [
        "36/120",
        "108/360",
    ]
    assert run(words) == 0
    assert "film@3" in capsys.readouterr().out
    words = ["churn", str(film), "--theta", "1-2", "--replicas", "1", "-q"]
    assert run([*words, "--strategy", "edf"]) == 2
    assert "--bandwidth" in capsys.readouterr().err


def test_churn_shows_strategies_side_by_side(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["churn", "--theta", "1-3", "--session", "5", "--replicas", "1", "-q"]
    words += ["--strategy", "edf", "--strategy", "given", "--arrival-rate", "4"]
    assert run(words) == 0
    assert "than Liu-Layland first fit" in capsys.readouterr().out
    assert run([*words, "-o", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["strategy"] for row in rows] == ["first-fit", "edf", "given"]
    assert run(["churn", "--theta", "a-b"]) == 2
