"""The main job on every real trace, as a planner would type it."""

import json
from typing import Any

import pytest

from cotenant.cli import run
from tests.shared import DATA, needs_data

pytestmark = needs_data
METHODS = "gaussian exact mean:1.25 mean:2 percentile:95 max cantelli:1.0"
SOURCES = {
    "planetlab": (
        ["planetlab/20110303.tar.gz"],
        ["--capacity", "4", "--unit", "percent"],
    ),
    "bitbrains": (["bitbrains/rnd-2013-7"], ["--machine", "cpu=16"]),
    "opendc": (["bitbrains/opendc-bitbrains-small"], ["--machine", "cpu=16"]),
    "azure": (["azure2017/microsoft_max_100.csv.gz"], ["--capacity", "4"]),
    "alibaba": (["alibaba2018"], ["--capacity", "2"]),
    "google-jobs": (["google2011/GCD_VMs.tar.gz"], ["--capacity", "8"]),
    "cloudwatch": (["nab-aws"], ["--capacity", "2"]),
    "google-format": (["google-format"], ["--capacity", "1"]),
}


def answer(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert run([*words, "-o", "json", "-q"]) in (0, 3)
    return dict(json.loads(capsys.readouterr().out))


def test_exact_keeps_the_promise_on_planetlab_and_gaussian_does_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    paths, options = SOURCES["planetlab"]
    words = ["compare", *(str(DATA / p) for p in paths), *options, "--slo", "99.9%"]
    words += ["--judge", "exact", "--method", METHODS]
    rows = {r["method"]: r for r in answer(words, capsys)["rows"]}
    assert rows["exact"]["machines_above_rho"] == 0
    assert -0.15 <= rows["exact"]["overload_mean"] / 0.001 - 1 <= 0
    assert rows["gaussian"]["overload_mean"] > 0.001
    assert rows["gaussian"]["machines"] < rows["exact"]["machines"]
    assert rows["max"]["overload_mean"] == 0.0


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_every_trace_is_planned_within_its_promise(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    paths, options = SOURCES[name]
    words = ["plan", *(str(DATA / p) for p in paths), *options, "--slo", "99%"]
    words += ["--promise", "history", "--judge", "exact"]
    plan = answer(words, capsys)
    summary = plan["summary"]
    assert summary["placed"] + len(plan["unplaced"]) == summary["tasks"] > 0
    assert summary["overload"]["machines_above_rho"] == 0
    assert summary["overload"]["worst_machine"] <= 0.01
    assert plan["cleaning"]["rows"] > 0
    placed = [task for machine in plan["machines"] for task in machine["tasks"]]
    assert len(placed) == len(set(placed)) == summary["placed"]
    for refusal in plan["unplaced"]:
        assert refusal["resource"] == "cpu"
        assert ">" in refusal["reason"]


@pytest.mark.parametrize("name", sorted(set(SOURCES) - {"google-format"}))
def test_every_trace_is_compared(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    paths, options = SOURCES[name]
    words = ["compare", *(str(DATA / p) for p in paths), *options, "--slo", "99%"]
    words += ["--judge", "exact", "--method", METHODS]
    rows = answer(words, capsys)["rows"]
    assert [r["method"] for r in rows] == METHODS.split()
    exact = next(r for r in rows if r["method"] == "exact")
    assert exact["machines_above_rho"] == 0
