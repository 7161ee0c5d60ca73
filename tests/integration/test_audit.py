"""The audit of dependencies shows every finding, and says what it could not look up."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
AUDIT = runpy.run_path(str(ROOT / ".ci" / "audit.py"))
CLEAN = {"name": "numpy", "version": "2.4.6", "vulns": []}
SKIPPED = {"name": "zict", "skip_reason": "not found"}
FOUND = {
    "name": "jinja2",
    "version": "3.1.0",
    "vulns": [{"id": "PYSEC-1", "fix_versions": ["3.1.6"]}],
}


@pytest.mark.parametrize(
    ("packages", "status", "words"),
    [
        ([CLEAN], 0, "1 dependencies audited, 0 findings\n"),
        ([CLEAN, SKIPPED], 0, "0 findings, 1 could not be looked up"),
        ([CLEAN, SKIPPED, FOUND], 1, "jinja2 3.1.0: PYSEC-1, fixed in 3.1.6"),
        ([], 0, "0 dependencies audited, 0 findings, 0 could not be looked up"),
    ],
)
def test_findings_fail_and_what_was_not_looked_up_is_said(
    capsys, packages, status, words
):
    assert AUDIT["tell"](packages) == status
    assert words in capsys.readouterr().out


@pytest.mark.parametrize("answer", [[], [SKIPPED]])
def test_a_database_that_does_not_answer_is_said_and_does_not_fail(
    capsys, monkeypatch, answer
):
    monkeypatch.setitem(AUDIT["main"].__globals__, "look_up", lambda file: answer)
    assert AUDIT["main"]() == 0
    assert "dependencies not audited" in capsys.readouterr().out
