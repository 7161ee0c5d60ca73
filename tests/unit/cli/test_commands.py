"""The commands as a person and a program use them."""

import json
from pathlib import Path
from typing import Any

import pytest

from cotenant.cli import run
from cotenant.cli.reading import read_rho
from cotenant.errors import InvalidInput
from cotenant.traces.synthetic import daily

MACHINE = ["--machine", "cpu=8,memory=32Gi"]


@pytest.fixture(scope="module")
def usage(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("usage") / "usage.csv"
    daily(60, 1, seed=1).write_csv(path)
    return str(path)


def answer(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert run([*words, "-o", "json", "-q"]) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_plan_has_every_key_of_the_contract(
    usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = answer(["plan", usage, *MACHINE, "--slo", "99.9%"], capsys)
    assert (plan["apiVersion"], plan["kind"]) == ("cotenant/v1", "Plan")
    assert plan["settings"]["method"] == "exact"
    assert plan["settings"]["rule"] == "best-fit"
    assert plan["settings"]["rho"] == 0.001
    assert plan["settings"]["seed"] == 0
    assert plan["settings"]["capacity"] == {"cpu": 8.0, "memory": 32 * 2**30}
    summary = plan["summary"]
    assert (
        summary["tasks"]
        == summary["placed"]
        == 60 - plan["cleaning"]["tasks_dropped"].get("all_zero", 0)
    )
    assert summary["machines"] == len(plan["machines"])
    assert set(summary["overload"]) == {
        *("mean", "worst_machine", "machines_above_rho", "low", "high", "judged_by")
    }
    assert summary["overload"]["machines_above_rho"] == 0
    assert set(plan["machines"][0]) >= {"machine", "capacity", "tasks", "mean"}
    assert plan["unplaced"] == []
    assert plan["cleaning"]["rows"] == 60 * 288


def test_the_same_command_gives_the_same_bytes_but_for_seconds(
    usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["plan", usage, *MACHINE, "--judge", "samples", "--order", "random"]
    plans = [answer(words, capsys) for _ in range(2)]
    for plan in plans:
        for row in plan["comparison"]:
            del row["seconds"]
    assert plans[0] == plans[1]


def test_compare_rows_keep_the_order_asked_for(
    usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compare", usage, *MACHINE, "--method", "max", "--method", "exact mean:2"]
    words += ["--rule", "first-fit", "--rule", "best-fit"]
    rows = answer(words, capsys)["rows"]
    assert [(r["method"], r["rule"]) for r in rows] == [
        (m, r) for m in ("max", "exact", "mean:2") for r in ("first-fit", "best-fit")
    ]
    assert set(rows[0]) >= {
        *("method", "rule", "machines", "normalized_machines", "overload_mean"),
        *("worst_machine", "machines_above_rho", "seconds"),
    }


def test_csv_lists_every_task_once(
    usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", usage, *MACHINE, "-o", "csv", "-q"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "task,machine"
    assert len(lines) == len(set(lines)) > 50


def test_a_plan_is_explained_and_replayed(
    usage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = str(tmp_path / "plan.json")
    words = ["plan", usage, *MACHINE, "--slo", "99%", "-o", "json", "--out", saved]
    assert run([*words, "-q"]) == 0
    plan = json.loads(Path(saved).read_text())
    task = plan["machines"][0]["tasks"][-1]
    assert run(["explain", saved, "--task", task]) == 0
    said = capsys.readouterr().out
    assert task in said
    assert "Pr[use > 8]" in said
    assert "99.9th percentile" in said
    assert run(["explain", saved, "--machine", "m-0001"]) == 0
    assert "m-0001 holds" in capsys.readouterr().out
    replay = answer(["replay", saved, usage], capsys)
    assert replay["kind"] == "Replay"
    assert replay["promised"] == 0.01
    assert replay["overload"]["judged_by"] == "aligned"
    assert replay["missing_tasks"] == []


def test_a_replayed_plan_reproduces_its_own_aligned_numbers(
    usage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = str(tmp_path / "plan.json")
    words = ["plan", usage, *MACHINE, "--judge", "aligned", "-o", "json", "-q"]
    assert run([*words, "--out", saved]) == 0
    plan = json.loads(Path(saved).read_text())
    replay = answer(["replay", saved, usage], capsys)
    assert replay["overload"] == plan["summary"]["overload"]
    assert [m["overload"] for m in replay["machines"]] == [
        m["overload"] for m in plan["machines"]
    ]


def test_the_report_is_written_whole_and_holds_the_answer(
    usage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.html"
    assert run(["plan", usage, *MACHINE, "--report", str(report)]) == 0
    seen = capsys.readouterr()
    assert "machines" in seen.out
    assert str(report) in seen.err
    assert report.read_text().lstrip().lower().startswith("<!doctype html")
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_import_writes_a_file_that_plans_alike(
    usage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parquet = str(tmp_path / "usage.parquet")
    assert answer(["import", usage, "--to", parquet], capsys)["tasks"] == 60
    plans = [answer(["plan", source, *MACHINE], capsys) for source in (usage, parquet)]
    assert plans[0]["machines"] == plans[1]["machines"]


def test_the_demo_leaves_trace_plan_and_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["demo", "--folder", str(tmp_path)]) == 0
    names = sorted(p.name for p in tmp_path.iterdir())
    assert names == ["plan.json", "report.html", "usage.parquet"]
    seen = capsys.readouterr()
    assert "machines" in seen.out
    assert "open the report in a browser" in seen.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["plan", "nowhere.csv"], 2, "nowhere.csv does not exist"),
        (["plan", "{usage}"], 2, "--machine"),
        (["plan", "{usage}", "--slo", "101%"], 2, "slo is '101%'"),
        (["plan", "{usage}", "--slo", "99%", "--rho", "0.1"], 2, "not both"),
        (["plan", "{usage}", "--capacity", "4", "--method", "p95"], 2, "method"),
        (["plan", "{usage}", "--capacity", "4x"], 2, "4x"),
        (["plan", "{usage}", "--capacity", "4", "--bogus"], 2, "bogus"),
        (["plan", "{usage}", "--capacity", "4", "--spread", "team"], 2, "team"),
        (["plan", "{usage}", "--machine", "cpu=4,memory=1"], 2, "same unit"),
        (["plan", "{bad}", "--capacity", "4"], 5, 'line 3: cpu is "abc"'),
        (["plan", "{idle}", "--capacity", "4"], 5, "1 all_zero"),
        (["explain", "{bad}", "--task", "a"], 5, "is not JSON"),
        (["explain", "gone.json", "--task", "a"], 2, "gone.json"),
        (["nonsense"], 2, "nonsense"),
        (["plan", "{usage}", "--capacity", "4", "--slots", "0"], 2, "slots is 0"),
        (["plan", "{usage}", "--capacity", "4", "--out", "{usage}"], 2, "is a source"),
        (["plan", "{usage}", "--machine", "cpu=1,cpu=2"], 2, "given twice"),
        (["plan", "{quote}", "--capacity", "4"], 5, "line 3: has a quote"),
        (["plan", "{latin}", "--capacity", "4"], 5, "line 2: is not UTF-8"),
        (["plan", "{far}", "--capacity", "4"], 5, "years apart"),
        (["explain", "{plan}", "--task", "WEB"], 2, "did you mean 'web'"),
        (["explain", "{damaged}", "--task", "web"], 5, "damaged plan"),
    ],
)
def test_errors_are_one_sentence_with_the_code_of_the_contract(
    words: list[str],
    code: int,
    said: str,
    usage: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "bad.csv").write_text("task,time,cpu\na,0,0.1\na,60,abc\n")
    (tmp_path / "idle.csv").write_text("task,time,cpu\na,0,0\na,60,0\n")
    (tmp_path / "quote.csv").write_text('task,time,cpu\na,0,0.1\n"b,60,0.2\n')
    (tmp_path / "latin.csv").write_bytes(b"task,time,cpu\ncaf\xe9,0,0.1\nb,60,x\n")
    (tmp_path / "far.csv").write_text("task,time,cpu\na,0,0.1\na,9e9,0.2\n")
    small = tmp_path / "small.csv"
    small.write_text("task,time,cpu\nweb,0,0.1\nweb,60,0.2\n")
    words_of_plan = ["plan", str(small), "--capacity", "4", "-o", "json", "-q"]
    assert run([*words_of_plan, "--out", str(tmp_path / "plan.json")]) == 0
    content = json.loads((tmp_path / "plan.json").read_text())
    content["machines"][0]["capacity"]["cpu"] = "lots"
    (tmp_path / "damaged.json").write_text(json.dumps(content))
    files = {
        **{n: str(tmp_path / f"{n}.csv") for n in ("quote", "latin", "far")},
        **{n: str(tmp_path / f"{n}.json") for n in ("plan", "damaged")},
        "usage": usage,
        "bad": str(tmp_path / "bad.csv"),
        "idle": str(tmp_path / "idle.csv"),
    }
    assert run([word.format(**files) for word in words]) == code
    seen = capsys.readouterr()
    assert seen.out == ""
    sentence = seen.err.strip().splitlines()[-1]
    assert sentence.startswith("cotenant: ")
    assert said in sentence


def test_a_task_too_big_exits_3_and_plans_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "usage.csv"
    path.write_text("task,time,cpu\nbig,0,9\nbig,60,9\nsmall,0,1\nsmall,60,1\n")
    assert run(["plan", str(path), "--capacity", "4", "-o", "json", "-q"]) == 3
    plan = json.loads(capsys.readouterr().out)
    assert plan["unplaced"] == [
        {
            "task": "big",
            "resource": "cpu",
            "reason": "exceeds every machine by itself: Pr[use > 4] = 1 > 0.01",
        }
    ]
    assert plan["summary"]["placed"] == 1


def test_a_missed_promise_exits_4_only_when_asked(usage: str) -> None:
    words = ["plan", usage, "--capacity", "4", "--method", "mean:1", "-q"]
    assert run(words) == 0
    assert run([*words, "--fail-on-overload"]) == 4


def test_replicas_go_to_different_machines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "usage.csv"
    rows = [f"web-{i},{60 * t},0.1,web" for i in range(3) for t in range(3)]
    path.write_text("task,time,cpu,service\n" + "\n".join(rows))
    words = ["plan", str(path), "--capacity", "4", "--spread", "service"]
    assert answer(words, capsys)["summary"]["machines"] == 3


def test_a_fleet_file_gives_mixed_machines_and_no_normalised_count(
    usage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fleet = tmp_path / "fleet.csv"
    fleet.write_text(
        "name,type,count,cpu,memory,cost\nbig,c8,1,8,32Gi,8\nsmall,c2,,2,8Gi,2.5\n"
    )
    plan = answer(["plan", usage, "--fleet", str(fleet), "--slo", "95%"], capsys)
    assert plan["machines"][0]["machine"] == "big"
    assert plan["machines"][1]["machine"] == "small-0001"
    assert plan["summary"]["normalized_machines"] is None


def test_few_samples_are_warned_about_and_set_aside_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "usage.csv"
    rows = [f"long,{60 * t},0.5" for t in range(30)] + ["short,0,2.0"]
    path.write_text("task,time,cpu\n" + "\n".join(rows))
    words = ["plan", str(path), "--capacity", "4"]
    plan = answer(words, capsys)
    assert plan["summary"]["tasks"] == 2
    assert "1 of 2 tasks with fewer than 24 samples" in plan["warnings"][0]
    plan = answer([*words, "--min-samples", "24"], capsys)
    assert plan["summary"]["tasks"] == 1
    assert plan["cleaning"]["tasks_dropped"] == {"short": 1}
    assert plan["cleaning"]["share_of_load"] == {"short": pytest.approx(0.8)}
    assert any("80% of the load was set aside" in w for w in plan["warnings"])
    plan = answer([*words, "--min-samples", "24", "--keep-short"], capsys)
    assert plan["summary"]["tasks"] == 2


def test_deciding_on_the_first_samples_judges_on_the_rest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "usage.csv"
    rows = [f"t,{60 * i},{0.1 if i < 30 else 5}" for i in range(60)]
    path.write_text("task,time,cpu\n" + "\n".join(rows))
    words = ["plan", str(path), "--capacity", "4"]
    plan = answer([*words, "--observe", "0.5"], capsys)
    assert plan["summary"]["overload"]["mean"] == 1.0
    assert plan["settings"]["observe"] == 0.5


@pytest.mark.parametrize(
    ("slo", "rho"),
    [("99.9%", 0.001), ("0.999", 0.001), ("99.99 %", 1e-4), ("50%", 0.5)],
)
def test_slos_are_read_as_shares_of_time(slo: str, rho: float) -> None:
    assert read_rho(slo, None) == rho


@pytest.mark.parametrize("slo", ["100%", "0", "1", "abc", "-5%", "nan"])
def test_slos_that_promise_all_or_nothing_are_refused(slo: str) -> None:
    with pytest.raises(InvalidInput, match="slo"):
        read_rho(slo, None)
