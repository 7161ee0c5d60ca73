import html
import io
import re

import pytest
from rich.console import Console

from cotenant.report.charts import Chart
from cotenant.report.profile_charts import (
    Line,
    lines_chart,
    ridges_chart,
    scatter_chart,
)
from cotenant.report.profile_page import profile_page
from cotenant.report.profile_terminal import show_profile
from cotenant.report.sections import Section, Told
from cotenant.study.profile.profile import profile
from cotenant.study.profile.told import tell
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import daily, matched
from tests.unit.report.test_html_in_browser import CHROMIUM, browse


def told(rows: int = 3, name: str = "plain", drawn: bool = False) -> Told:
    cells = tuple((f"{name} {k}", str(k)) for k in range(rows))
    spec = lines_chart([Line("a", ["1", "2"], [1.0, 2.0])], "x", "y")
    charts = (Chart("picture", "A picture", "of it", spec),) if drawn else ()
    columns = ("what", "many")
    section = Section("A section", f"about {name}", "counted", columns, cells, charts)
    return Told(
        "cotenant profile",
        "3 tasks",
        "few of them",
        (f"mind {name}",),
        (section,),
        (("drift", f"not in {name}"),),
        {"seed": 0},
        {"rows": 3},
    )


def test_names_are_escaped_wherever_they_stand():
    page = profile_page(told(name="<b>&x"))
    assert "<b>&x" not in page
    assert page.count(html.escape("<b>&x")) >= 5


def test_a_long_table_is_folded_below_its_picture_and_has_all_rows():
    page = profile_page(told(rows=24, drawn=True))
    assert "<summary>All 24 rows</summary>" in page
    assert page.count('<th scope="row">plain') == 24
    assert "<summary>" not in profile_page(told(rows=5, drawn=True))
    assert "<summary>" not in profile_page(told(rows=24))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_terminal_form_keeps_to_the_width(width):
    made = tell(profile(from_frame(daily(60, 2, seed=1))))
    screen = Console(file=io.StringIO(), width=width, no_color=True, highlight=False)
    with screen.capture() as capture:
        show_profile(made, screen)
    text = capture.get()
    assert max(map(len, text.splitlines())) <= width
    for section in made.sections:
        assert section.title in text
    assert "and 14 more with -o json or html" in text


def test_lines_keep_the_order_of_their_places():
    spec = lines_chart([Line("a", ["9", "10"], [1.0, -2.0])], "x", "y")
    layer = next(one for one in spec["layer"] if "tooltip" in one["encoding"])
    assert layer["encoding"]["x"]["sort"] == ["9", "10"]
    shown = re.findall(r"'shown': '([^']*)'", str(spec))
    assert shown[:2] == ["100 %", "-200 %"]


def test_ridges_of_equal_names_stay_apart():
    spec = ridges_chart([("3 %", [0.5, 0.5]), ("3 %", [1.0, 0.0])], "x")
    (values,) = spec["datasets"].values()
    assert {value["row"] for value in values} == {0, 1}
    assert max(value["top"] for value in values if value["row"] == 1) < 0


def test_a_cloud_has_its_line_from_zero_to_its_last_point():
    spec = scatter_chart([("a", [(1.0, 2.0), (4.0, 2.0)], 0.5, 1.0)], "x", "y")
    ends = spec["datasets"][spec["layer"][1]["data"]["name"]]
    assert [(end["x"], end["y"]) for end in ends] == [(0.0, 1.0), (4.0, 3.0)]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on PATH")
@pytest.mark.parametrize(
    ("rows", "charts"),
    [
        pytest.param(lambda: daily(60, 3, seed=1), 10, id="aligned"),
        pytest.param(lambda: matched(200, averages=True), 7, id="pool"),
    ],
)
def test_a_browser_draws_every_chart_of_a_profile(rows, charts, tmp_path):
    page = profile_page(tell(profile(from_frame(rows()))))
    dom, console = browse(page, tmp_path)
    assert page.count('<div class="chart"') == charts
    assert dom.count('class="marks"') == charts
    assert console == []
