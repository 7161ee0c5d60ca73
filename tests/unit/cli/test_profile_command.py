"""`cotenant profile` as people and programs use it."""

import csv
import io
import json
from pathlib import Path

import pytest

from cotenant.cli import run
from cotenant.traces.synthetic import daily, matched

PARTS = {
    *("correlation", "time_of_day", "drift", "spread", "variance_factor"),
    *("stationarity", "bias", "shapes", "normality", "percentile_error"),
}


@pytest.fixture(scope="module")
def usage(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("usage") / "usage.parquet"
    daily(60, 1, seed=1).write_parquet(path)
    return str(path)


def test_json_has_every_part_and_the_reading_options_apply(
    usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["profile", usage, "-o", "json", "-q"]
    assert run(words) == 0
    plain = json.loads(capsys.readouterr().out)
    assert (plain["apiVersion"], plain["kind"]) == ("cotenant/v1", "Profile")
    assert set(plain) >= PARTS
    assert "two days" in plain["drift"]["absent"]
    assert run([*words, "--scale", "2", "--unit", "millicores"]) == 0
    scaled = json.loads(capsys.readouterr().out)
    assert scaled["summary"]["mean"] == pytest.approx(plain["summary"]["mean"] * 0.002)


def test_the_terminal_leads_with_the_answer_and_ends_with_what_is_missing(
    usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["profile", usage]) == 0
    shown = capsys.readouterr()
    lines = [line for line in shown.out.splitlines() if line.strip()]
    assert lines[0].strip().endswith("tasks")
    assert lines[2].strip().startswith("·")
    assert "not shown  how days differ" in shown.out
    assert "nan" not in shown.out
    assert shown.err.startswith(("read 6", "read 5", "first run"))


def test_csv_has_a_line_a_number(
    usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["profile", usage, "-o", "csv", "-q"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["part"] for row in rows} < PARTS
    ratio = next(row for row in rows if row["quantity"] == "variance_ratio")
    assert float(ratio["value"]) > 1


def test_the_report_is_one_offline_page(
    usage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "profile.html"
    assert run(["profile", usage, "--report", str(report), "-q"]) == 0
    page = report.read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>") or "<!DOCTYPE html>" in page[:200]
    assert "What this trace cannot show" in page
    assert 'src="http' not in page
    assert capsys.readouterr().err == ""


def test_tasks_with_few_samples_are_looked_at_when_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "short.csv"
    matched(40).group_by("task", maintain_order=True).head(10).write_csv(file)
    for words, tasks in (([], 0), (["--min-samples", "5"], 40)):
        assert run(["profile", str(file), "-o", "json", "-q", *words]) == 0
        assert json.loads(capsys.readouterr().out)["summary"]["tasks"] == tasks


def test_options_out_of_range_are_a_usage_error(
    usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["profile", usage, "--min-samples", "0", "-q"]) == 2
    assert "min_samples is 0" in capsys.readouterr().err
