import shutil
import subprocess
from pathlib import Path

import pytest

from cotenant.report.html import comparison_page, plan_page, replay_page
from tests.unit.report import samples

CHROMIUM = shutil.which("chromium")
QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--virtual-time-budget=5000",
    "--dump-dom",
]
PAGES = [
    pytest.param(lambda: plan_page(samples.plan(unplaced=13)), 4, id="plan"),
    pytest.param(lambda: plan_page(samples.plan(400, 3)), 4, id="many machines"),
    pytest.param(lambda: plan_page(samples.plan(2500, 40)), 4, id="100,000 tasks"),
    pytest.param(lambda: comparison_page(samples.comparison()), 1, id="comparison"),
    pytest.param(lambda: replay_page(samples.replay()), 2, id="replay"),
]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on PATH")
@pytest.mark.parametrize(("make", "charts"), PAGES)
def test_a_browser_draws_every_chart_without_an_error(make, charts, tmp_path):
    dom, console = browse(make(), tmp_path)
    assert dom.count('class="marks"') == charts
    assert console == []
    assert "1 to " in dom or 'id="table"' not in dom


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on PATH")
def test_the_policy_stops_a_script_that_got_into_the_page(tmp_path):
    evil = "<script>document.title='taken'</script><img src=http://x.example/a.png>"
    page = plan_page(samples.plan(5)).replace("</main>", f"{evil}</main>", 1)
    dom, console = browse(page, tmp_path)
    assert "<title>taken" not in dom
    assert len(console) == 2
    assert all("Content Security Policy" in line for line in console)


def browse(page: str, folder: Path) -> tuple[str, list[str]]:
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    command = [CHROMIUM, *QUIET, f"--user-data-dir={folder / 'user'}", file.as_uri()]
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=90, check=True
    )
    return ran.stdout, [x for x in ran.stderr.splitlines() if "CONSOLE" in x]
