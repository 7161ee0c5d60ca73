"""The texts that schedulers read, and where their ranges end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotenant.demand.enforce import host_settings
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("cgroup", 'echo "1000 30000" > /sys/fs/cgroup/TASK/cpu.max'),
        (
            "chrt",
            "chrt --deadline --sched-runtime 1000000 --sched-deadline 30000000 "
            "--sched-period 30000000 0 COMMAND",
        ),
        (
            "libvirt",
            "<cputune>\n  <period>30000</period>\n  <quota>1000</quota>\n</cputune>",
        ),
        ("xen", "xl sched-rtds -d DOMAIN -v all -p 30000 -b 1000 -e 0"),
    ],
)
def test_one_tick_of_a_millisecond_in_thirty(tool: str, text: str) -> None:
    assert host_settings(Sla(1, 30), tool).text == text


def test_kubernetes_gets_a_limit_and_the_period_of_the_node() -> None:
    text = host_settings(Sla(1, 30), "kubernetes").text
    assert "cpuCFSQuotaPeriod: 30ms\n" in text
    assert "  requests:\n    cpu: 34m\n  limits:\n    cpu: 34m" in text


@given(data=st.data(), period=st.integers(1_000, 1_000_000))
def test_whole_millicores_give_no_less_than_the_budget(
    data: st.DataObject, period: int
) -> None:
    budget = data.draw(st.integers(1_000, period))
    values = host_settings(Sla(budget, period), "kubernetes", tick_ms=1e-3).values
    cores = int(str(values["cpu"]).removesuffix("m"))
    assert budget <= int(values["quota_us"]) == cores * period // 1_000
    assert (cores - 1) * period < 1_000 * budget


@pytest.mark.parametrize(
    ("tool", "sla", "tick_ms"),
    [
        ("cgroup", Sla(1, 1), 1.0),
        ("cgroup", Sla(1, 1_000), 1.0),
        ("chrt", Sla(1_024, 100_000), 1e-6),
        ("chrt", Sla(1_000, 4_194_304), 1e-3),
        ("xen", Sla(1, 1), 0.01),
    ],
)
def test_the_ends_of_each_range_belong_to_it(
    tool: str, sla: Sla, tick_ms: float
) -> None:
    assert host_settings(sla, tool, tick_ms=tick_ms).text


@pytest.mark.parametrize(
    ("tool", "sla", "tick_ms"),
    [
        ("cgroup", Sla(999, 30_000), 1e-3),
        ("cgroup", Sla(1_000, 1_000_001), 1e-3),
        ("libvirt", Sla(999, 30_000), 1e-3),
        ("kubernetes", Sla(999, 999), 1e-3),
        ("chrt", Sla(1_023, 100_000), 1e-6),
        ("chrt", Sla(1_024, 99_999), 1e-6),
        ("chrt", Sla(1_000, 4_194_305), 1e-3),
        ("xen", Sla(9, 9), 1e-3),
    ],
)
def test_one_step_beyond_is_refused(tool: str, sla: Sla, tick_ms: float) -> None:
    with pytest.raises(InvalidInput, match=f"{tool} takes"):
        host_settings(sla, tool, tick_ms=tick_ms)


def test_fractions_of_a_microsecond_are_refused_where_none_can_be_said() -> None:
    with pytest.raises(
        InvalidInput, match=r"budget of 2,500 ns; cgroup takes whole us"
    ):
        host_settings(Sla(5, 3_000), "cgroup", tick_ms=0.0005)
    assert host_settings(Sla(5, 3_000), "chrt", tick_ms=0.0005).text
