"""`sla check`, `rewrite`, `export` and `audit` as a person and a program use them."""

import json
from pathlib import Path
from typing import Any

import pytest

from cotenant.cli import run


def code(words: str) -> int:
    return run(words.split())


def said(words: str, capsys: pytest.CaptureFixture[str], expected: int) -> str:
    assert code(words) == expected
    return capsys.readouterr().out


def answer(
    words: str, capsys: pytest.CaptureFixture[str], expected: int = 0
) -> dict[str, Any]:
    return dict(json.loads(said(f"{words} -o json", capsys, expected)))


def test_check_exits_0_or_4(capsys: pytest.CaptureFixture[str]) -> None:
    safe = answer("sla check 1/10 1/30", capsys)
    assert (safe["safe"], safe["exact"], safe["paper"]) == (True, True, "condition 1")
    assert safe["counterexample"] is None
    unsafe = answer("sla check 1/30 1/10", capsys, 4)
    # Nothing in the first ten slots.
    assert unsafe["counterexample"] == {
        "length": 30,
        "granted": [[10, 20]],
        "origin": 0,
    }


def test_check_shows_the_proof_and_where_the_paper_is_wrong(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = said("sla check 1/3:1/11 1/7:2/7", capsys, 4)
    assert "not safe" in shown
    assert "misses periods 154, 157, 160 of 1/7:2/7" in shown
    assert "theorem 2 condition 1, wrongly" in shown
    assert "cotenant sla rewrite 1/7:2/7 --period 3" in shown
    shown = said("sla check 1/2 3/6 --phase any", capsys, 4)
    assert "counted from slot 1" in shown
    assert "by theorem 3, for aligned windows and phases" in shown
    assert "rewrite 3/6 --period 2 --phase any" in shown


def test_check_reads_windows_and_phases(capsys: pytest.CaptureFixture[str]) -> None:
    # One miss in four periods: two in a row may straddle two windows of two.
    assert code("sla check 1/1:1/4 1/1:1/2 -o json") == 0
    assert code("sla check 1/1:1/4 1/1:1/2 --window sliding -o json") == 4
    capsys.readouterr()
    assert code("sla check 1/2 3/6 --phase odd") == 2
    assert 'phase is "odd"' in capsys.readouterr().err


def test_rewrite_names_the_price(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer("sla rewrite 10/50 --period 20", capsys)
    assert (found["budget"], found["paper_budget"]) == (5, 10)
    shown = said("sla rewrite 10/50 --period 20", capsys, 0)
    assert "5/20   keeps 10/50: 25 % of a machine, 25 % more than the 20 %" in shown
    assert "MorphoSys asks 10/20, 50 %" in shown
    shown = said("sla rewrite 10/50 --period 60 --misses 1/9", capsys, 4)
    assert "no budget at period 60 keeps 10/50" in shown


def test_rewrite_takes_misses_in_their_form(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer("sla rewrite 1/30:2/5 --period 10 --misses 1/9", capsys)
    assert found["rewritten"] == "1/10:1/9"
    for text in ("1", "1/", "a/b", "-1/2"):
        assert run(["sla", "rewrite", "1/30", "--period", "9", "--misses", text]) == 2
        assert "expected MISSES/WINDOW" in capsys.readouterr().err


def test_export_writes_settings_to_stdout_and_notes_to_stderr(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert code("sla export 1/30 --to cgroup") == 0
    written = capsys.readouterr()
    assert written.out == 'echo "1000 30000" > /sys/fs/cgroup/TASK/cpu.max\n'
    assert "a limit, not a reservation" in written.err
    assert code("sla export 1/30 --to cgroup -q") == 0
    assert capsys.readouterr().err == ""
    found = answer("sla export 10/300 --to xen --tick-ms 0.1", capsys)
    assert found["values"] == {"budget_us": 1_000, "period_us": 30_000}


def test_long_settings_are_not_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    shown = said("sla export 10/300 --to chrt -q", capsys, 0)
    assert shown.count("\n") == 1
    assert len(shown) > 100


def test_export_refuses_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert code("sla export 1/30:2/5 --to libvirt") == 2
    expected = "libvirt cannot express misses; export 1/30, which keeps 1/30:2/5"
    assert expected in capsys.readouterr().err


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "log.csv"
    path.write_text("start,end\n0,0.002\n0.010,0.012\n0.0305,0.04\n")
    return str(path)


def test_audit_exits_0_4_or_5(log: str, capsys: pytest.CaptureFixture[str]) -> None:
    kept = answer(f"sla audit {log} --sla 2/10:1/4", capsys)
    assert (kept["kept"], kept["periods"], kept["missed"]) == (True, 4, 1)
    broken = answer(f"sla audit {log} --sla 2/10", capsys, 4)
    assert (broken["kept"], broken["windows_broken"]) == (False, 1)
    assert broken["worst_windows"] == [
        {"period": 2, "start_s": 0.02, "misses": 1, "unclear": 0, "kept": False}
    ]
    assert code(f"sla audit {log} --sla 1/100") == 5
    assert "covers no whole period of 100 ms in its 40 ms" in capsys.readouterr().err


def test_audit_tells_people_what_was_missed_where(
    log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = said(f"sla audit {log} --sla 2/10", capsys, 4)
    assert "broken   2/10: 1 of 4 periods missed, none allowed" in shown
    assert "0.020 s" in shown
    table = said(f"sla audit {log} --sla 2/10 -o csv", capsys, 4)
    assert table.splitlines()[:2] == ["period,start_s,misses,unclear,kept"] + [
        "0,0.0,0,0,true"
    ]


def test_audit_says_when_readings_are_too_coarse(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "stat"
    path.write_text("1\nusage_usec 0\n2\nusage_usec 500000\n")
    shown = said(f"sla audit {path} --sla 1/10", capsys, 5)
    assert "cannot tell" in shown
    assert "100 periods fall between readings" in shown


def test_audit_without_data_exits_5(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("time,total\n")
    assert code(f"sla audit {path} --sla 1/10") == 5
    assert "no two readings" in capsys.readouterr().err
    assert code(f"sla audit {tmp_path}/none --sla 1/10") == 2


def examples() -> list[tuple[str, str]]:
    """Return the commands of the page on SLAs that need no file, and their output."""
    page = Path(__file__).parents[3] / "docs" / "sla.md"
    blocks = page.read_text(encoding="utf-8").split("```console\n$ cotenant ")[1:]
    found = [block.split("\n```", 1)[0].partition("\n") for block in blocks]
    return [(words, shown) for words, _, shown in found if ".csv" not in words]


@pytest.mark.parametrize(("words", "shown"), examples())
def test_the_examples_of_the_page_are_what_is_printed(
    words: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code(words) in (0, 4)
    lines = capsys.readouterr().out.rstrip().splitlines()
    assert [line.rstrip() for line in lines] == shown.splitlines()


def test_the_page_has_examples_to_hold_it_to() -> None:
    assert len(examples()) == 3
