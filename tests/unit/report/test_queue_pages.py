"""Pages of the queue: what they say, and that a browser draws them."""

import json
import re
from pathlib import Path

import pytest

from cotenant.fleet import Cluster
from cotenant.planning.queue.compare import compare_queue
from cotenant.planning.queue.results import QueueComparison
from cotenant.planning.queue.settings import QueueSettings
from cotenant.report.queue_html import gantt_page, queue_page
from cotenant.report.queue_terminal import show_queue
from cotenant.report.queue_words import answer
from cotenant.traces.jobs.lublin import lublin
from cotenant.traces.jobs.report import JobReport
from cotenant.traces.jobs.source import JobLog
from tests.unit.report.test_html_in_browser import CHROMIUM, browse

EVIL = "<script>alert(1)</script>"
SYSTEM = (Cluster(64, 1.0, EVIL), Cluster(64, 4.0, "fast"))


def compared(count: int, **settings: object) -> QueueComparison:
    jobs = lublin(count, 64, 1)
    log = JobLog("a log", "swf", jobs, JobReport(count, count), SYSTEM)
    chosen = QueueSettings(("best-fit", "fastest-first", "tla"), **settings)  # type: ignore[arg-type]
    return compare_queue(log, {"two": SYSTEM}, chosen)


def test_the_answer_is_the_least_turnaround() -> None:
    result = compared(300, loads=(0.7,), shake_s=30.0, replicas=2)
    head, sentence = answer(result)
    least = min(row.average_turnaround_s for row in result.rows)
    assert head == f"{least:,.0f} s"
    assert "offered load 0.7" in sentence


@pytest.mark.parametrize("make", [queue_page, gantt_page])
def test_names_stay_text(make: object) -> None:
    page = make(compared(100))  # type: ignore[operator]
    assert EVIL not in page
    assert page.count("<script") == 3


def test_the_gantt_chart_has_every_job_on_its_processors() -> None:
    result = compared(200)
    page = gantt_page(result)
    text = re.search(r'id="data">(.*?)</script>', page, re.S)
    assert text is not None
    runs = json.loads(text.group(1))["runs"]
    assert [run["name"] for run in runs] == ["best-fit", "fastest-first", "tla"]
    for packed, run in zip(runs, result.runs, strict=True):
        assert packed["id"] == run.jobs.id.tolist()
        held = sum(h - w for h, w in zip(packed["high"], packed["low"], strict=True))
        assert held == run.jobs.processors.sum()


def test_the_table_keeps_to_eighty_columns() -> None:
    from rich.console import Console

    screen = Console(width=80, no_color=True)
    with screen.capture() as capture:
        show_queue(compared(200, shake_s=30.0, replicas=2), screen)
    lines = capture.get().splitlines()
    assert max(map(len, lines)) <= 80
    assert any("turnaround" in line for line in lines)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on PATH")
@pytest.mark.parametrize(("make", "charts"), [(queue_page, 4), (gantt_page, 0)])
def test_a_browser_shows_twenty_thousand_jobs(
    make: object, charts: int, tmp_path: Path
) -> None:
    page = make(compared(20_000, loads=(0.6,)))  # type: ignore[operator]
    dom, console = browse(page, tmp_path)
    assert console == []
    assert dom.count('class="marks"') == charts
    if not charts:
        assert dom.count("<canvas") == len(SYSTEM)
