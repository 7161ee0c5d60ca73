"""The schedulers that hosts have, and how each writes a budget a period."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput

_LIMITS = (
    "a limit, not a reservation: what shares the core must pass `cotenant sla fits`"
)
_OWN_CLOCK = (
    "periods start on the host's own clock: check rewritten SLAs with --phase any"
)


@dataclass(frozen=True, slots=True)
class HostSettings:
    """What to give a host's scheduler so that a task gets its SLA.

    Parameters
    ----------
    text
        Ready to paste; words in capitals stand for names of yours.
    values
        The same as numbers and words.
    notes
        What the scheduler does and does not promise with it, one sentence each.
    """

    text: str
    values: Mapping[str, int | str]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Times:
    """Budget and period of an SLA for one scheduler, in nanoseconds."""

    sla: Sla
    tool: str
    budget: int
    period: int

    def whole(self, unit: str) -> tuple[int, int]:
        """Return budget and period in `us` or `ns`, refusing fractions."""
        size = {"ns": 1, "us": 1_000}[unit]
        for name, value in (("budget", self.budget), ("period", self.period)):
            if value % size:
                raise self._refusal(f"a {name} of {value:,} ns", f"whole {unit}")
        return self.budget // size, self.period // size

    def check(self, name: str, value: int, low: int, high: int, unit: str) -> None:
        """Refuse a value that the scheduler would not take."""
        if not low <= value <= high:
            what = f"a {name} of {value:,} {unit}"
            raise self._refusal(what, f"{low:,} to {high:,} {unit}")

    def _refusal(self, what: str, expected: str) -> InvalidInput:
        return InvalidInput(
            f"{self.sla} has {what}; {self.tool} takes {expected}: change --tick-ms, "
            "or the period with `cotenant sla rewrite`"
        )


def _cgroup(times: Times) -> HostSettings:
    budget, period = _bandwidth(times)
    line = f"{budget} {period}"
    return HostSettings(
        f'echo "{line}" > /sys/fs/cgroup/TASK/cpu.max',
        {"cpu.max": line, "quota_us": budget, "period_us": period},
        (_LIMITS, _OWN_CLOCK, "one quota for all threads of the group"),
    )


def _chrt(times: Times) -> HostSettings:
    # kernel.sched_deadline_period_min_us and _max_us at their defaults.
    budget, period = times.whole("ns")
    times.check("budget", budget, 1_024, period, "ns")
    times.check("period", period, 100_000, 4_194_304_000, "ns")
    flags = (
        f"--sched-runtime {budget} --sched-deadline {period} --sched-period {period}"
    )
    return HostSettings(
        f"chrt --deadline {flags} 0 COMMAND",
        {"runtime_ns": budget, "deadline_ns": period, "period_ns": period},
        (
            "a reservation: the kernel refuses it beyond 95 % of its processors",
            "periods start when the task wakes: check rewritten SLAs with --phase any",
            "for one thread; it must not fork unless reset-on-fork is set",
        ),
    )


def _libvirt(times: Times) -> HostSettings:
    budget, period = _bandwidth(times)
    lines = (
        "<cputune>",
        f"  <period>{period}</period>",
        f"  <quota>{budget}</quota>",
        "</cputune>",
    )
    return HostSettings(
        "\n".join(lines),
        {"quota_us": budget, "period_us": period},
        (_LIMITS, _OWN_CLOCK, "for each virtual processor by itself"),
    )


def _xen(times: Times) -> HostSettings:
    budget, period = times.whole("us")
    times.check("budget", budget, 10, period, "us")
    times.check("period", period, 10, 2**32 - 1, "us")
    return HostSettings(
        f"xl sched-rtds -d DOMAIN -v all -p {period} -b {budget} -e 0",
        {"budget_us": budget, "period_us": period},
        (
            "a reservation, where the processor pool runs the rtds scheduler",
            _OWN_CLOCK,
            "for each virtual processor by itself",
        ),
    )


def _kubernetes(times: Times) -> HostSettings:
    budget, period = _bandwidth(times)
    cores = -(-1_000 * budget // period)
    every = f"{period // 1_000}ms" if period % 1_000 == 0 else f"{period}us"
    lines = (
        "# kubelet of the node, for all its pods",
        "apiVersion: kubelet.config.k8s.io/v1beta1",
        "kind: KubeletConfiguration",
        "featureGates:",
        "  CustomCPUCFSQuotaPeriod: true",
        "cpuCFSQuota: true",
        f"cpuCFSQuotaPeriod: {every}",
        "---",
        "# container",
        "resources:",
        "  requests:",
        f"    cpu: {cores}m",
        "  limits:",
        f"    cpu: {cores}m",
    )
    notes = [_LIMITS, _OWN_CLOCK, "one period for all pods of a node"]
    given = cores * period // 1_000
    if given > budget:
        notes.append(f"whole millicores: {given:,} us a period, not {budget:,}")
    return HostSettings(
        "\n".join(lines),
        {"cpu": f"{cores}m", "cpuCFSQuotaPeriod": every, "quota_us": given},
        tuple(notes),
    )


def _bandwidth(times: Times) -> tuple[int, int]:
    """Return quota and period of the kernel's bandwidth control, in microseconds."""
    budget, period = times.whole("us")
    times.check("period", period, 1_000, 1_000_000, "us")
    times.check("budget", budget, 1_000, period, "us")
    return budget, period


TOOLS: dict[str, Callable[[Times], HostSettings]] = {
    "cgroup": _cgroup,
    "chrt": _chrt,
    "libvirt": _libvirt,
    "xen": _xen,
    "kubernetes": _kubernetes,
}
