"""What every scheduler of the table does with an SLA, and what it refuses."""

import re

import pytest

from cotenant.demand.enforce import host_settings
from cotenant.demand.schedulers import TOOLS
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput

each_tool = pytest.mark.parametrize("tool", list(TOOLS))


@each_tool
def test_budget_and_period_come_out_in_the_same_unit_of_time(tool: str) -> None:
    settings = host_settings(Sla(5, 40), tool)
    numbers = [int(digits) for digits in re.findall(r"\d+", settings.text)]
    if tool == "kubernetes":
        assert settings.values == {
            "cpu": "125m",
            "cpuCFSQuotaPeriod": "40ms",
            "quota_us": 5_000,
        }
        return
    unit = 1_000 if 5_000 in numbers else 1_000_000
    assert {5 * unit, 40 * unit} <= set(numbers)
    assert {5 * unit, 40 * unit} <= set(settings.values.values())


@each_tool
def test_a_tick_may_have_any_length(tool: str) -> None:
    assert host_settings(Sla(50, 400), tool, tick_ms=0.1) == host_settings(
        Sla(5, 40), tool
    )


@each_tool
def test_it_says_what_is_and_is_not_promised(tool: str) -> None:
    notes = host_settings(Sla(5, 40), tool).notes
    assert any(note.startswith(("a limit", "a reservation")) for note in notes)
    assert any("--phase any" in note for note in notes)


@each_tool
@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("5/40:1/9", "cannot express misses; export 5/40, which keeps 5/40:1/9"),
        ("5/40~20-80", "leaves the period open; export one it allows, such as 5/40"),
        ("0/40", "promises nothing"),
        ("1/10000000", "the period with `cotenant sla rewrite`"),
        ("1/1000", "budget of 1"),
    ],
)
def test_what_it_cannot_express_is_refused_with_what_would_be_right(
    tool: str, text: str, instead: str
) -> None:
    tick = 1e-6 if text == "1/1000" else 1.0
    with pytest.raises(InvalidInput, match=re.escape(instead)):
        host_settings(Sla.parse(text), tool, tick_ms=tick)


@each_tool
@pytest.mark.parametrize("tick_ms", [0.0, -1.0, float("nan"), float("inf"), 1.5e-6])
def test_a_tick_is_a_whole_number_of_nanoseconds(tool: str, tick_ms: float) -> None:
    with pytest.raises(InvalidInput, match="whole number of nanoseconds"):
        host_settings(Sla(5, 40), tool, tick_ms=tick_ms)


def test_an_unknown_scheduler_is_told_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match='"docker"; expected one of cgroup, chrt'):
        host_settings(Sla(5, 40), "docker")
