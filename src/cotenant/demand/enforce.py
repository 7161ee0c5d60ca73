"""An SLA as settings of the schedulers that hosts have."""

import math

from cotenant.demand.schedulers import TOOLS, HostSettings, Times
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput


def host_settings(sla: Sla, tool: str, *, tick_ms: float = 1.0) -> HostSettings:
    """Return the settings that make a scheduler keep an SLA.

    Parameters
    ----------
    tool
        One of `TOOLS`.
    tick_ms
        Milliseconds of a tick, whole nanoseconds.

    Raises
    ------
    InvalidInput
        If the scheduler cannot express the SLA: it may miss periods, leaves the period
        open, promises nothing, or has times beyond the scheduler's range.

    Examples
    --------
    >>> print(host_settings(Sla(1, 30), "cgroup").text)
    echo "1000 30000" > /sys/fs/cgroup/TASK/cpu.max
    """
    if tool not in TOOLS:
        raise InvalidInput(f'no scheduler "{tool}"; expected one of {", ".join(TOOLS)}')
    tick = tick_ns(tick_ms)
    if sla.is_fluid:
        raise InvalidInput(
            f"{sla} leaves the period open; export one it allows, such as "
            f"{sla.at(sla.period)}"
        )
    if sla.misses:
        raise InvalidInput(
            f"{tool} cannot express misses; export {sla.budget}/{sla.period}, which "
            f"keeps {sla}"
        )
    if sla.budget == 0:
        raise InvalidInput(f"{sla} promises nothing; expected a budget above 0")
    times = Times(sla, tool, sla.budget * tick, sla.period * tick)
    return TOOLS[tool](times)


def tick_ns(tick_ms: float) -> int:
    """Return the nanoseconds of a tick.

    Raises
    ------
    InvalidInput
        If they are not whole, or fewer than one.
    """
    nanoseconds = round(tick_ms * 1e6) if math.isfinite(tick_ms) else 0
    if nanoseconds < 1 or not math.isclose(nanoseconds, tick_ms * 1e6, rel_tol=1e-9):
        raise InvalidInput(
            f"a tick is {tick_ms:g} ms; expected a whole number of nanoseconds"
        )
    return nanoseconds
