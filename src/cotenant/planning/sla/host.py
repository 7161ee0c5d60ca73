"""SLAs on real hosts: settings that enforce one, and whether one was kept."""

from dataclasses import dataclass
from typing import get_args

import numpy as np
import polars as pl

from cotenant.demand.audit import Audit, Grants, audit
from cotenant.demand.enforce import host_settings, tick_ns
from cotenant.demand.schedule import Window
from cotenant.demand.schedulers import HostSettings
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput, TraceError
from cotenant.planning.results import API_VERSION, Json

_NS = 1e9


@dataclass(frozen=True, slots=True)
class SlaExport:
    """An SLA as settings of one scheduler."""

    sla: Sla
    tool: str
    tick_ms: float
    settings: HostSettings

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        return {
            "apiVersion": API_VERSION,
            "kind": "SlaExport",
            "sla": str(self.sla),
            "to": self.tool,
            "tick_ms": self.tick_ms,
            "text": self.settings.text,
            "values": dict(self.settings.values),
            "notes": list(self.settings.notes),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row a setting: name, value."""
        values = self.settings.values
        return pl.DataFrame(
            {"name": list(values), "value": [str(value) for value in values.values()]}
        )


@dataclass(frozen=True, slots=True, eq=False)
class SlaAudit:
    """Whether a log shows an SLA kept.

    Parameters
    ----------
    tick_ms
        Milliseconds of a tick.
    origin_s
        When period 0 starts, on the clock of the log.
    readings
        Moments at which the log tells what was granted.
    found
        The verdict and what it rests on.
    """

    log: str
    sla: Sla
    window: Window
    tick_ms: float
    origin_s: float
    readings: int
    found: Audit

    @property
    def kept(self) -> bool | None:
        """Whether it was kept; None where the readings are too coarse to tell."""
        return self.found.kept

    @property
    def periods(self) -> int:
        """Periods judged."""
        return len(self.found.missed)

    @property
    def missed(self) -> int:
        """Periods that surely got less than the budget."""
        return int(self.found.missed.sum())

    @property
    def unclear(self) -> int:
        """Periods that may have got less or not."""
        return int(self.found.unclear.sum())

    @property
    def windows_broken(self) -> int:
        """Windows that surely have more misses than allowed."""
        return int((self.found.misses > self.sla.misses).sum())

    def worst(self, most: int) -> list[Json]:
        """Return the windows with most misses, the first of equals first."""
        order = np.argsort(-self.found.misses, kind="stable")
        return [self._window(int(at)) for at in order[:most] if self.found.misses[at]]

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        return {
            "apiVersion": API_VERSION,
            "kind": "SlaAudit",
            "log": self.log,
            "sla": str(self.sla),
            "window": self.window,
            "tick_ms": self.tick_ms,
            "origin_s": self.origin_s,
            "readings": self.readings,
            "kept": self.kept,
            "periods": self.periods,
            "missed": self.missed,
            "unclear": self.unclear,
            "windows": len(self.found.windows),
            "windows_broken": self.windows_broken,
            "worst_windows": self.worst(10),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row a window: period, start_s, misses, unclear, kept."""
        rows = [self._window(at) for at in range(len(self.found.windows))]
        return pl.DataFrame(rows, orient="row", schema=_COLUMNS)

    def _window(self, at: int) -> Json:
        found = self.found
        period = int(found.windows[at])
        misses, doubts = int(found.misses[at]), int(found.doubts[at])
        length = self.sla.period * self.tick_ms / 1e3
        sure = misses > self.sla.misses or misses + doubts <= self.sla.misses
        return {
            "period": period,
            "start_s": self.origin_s + period * length,
            "misses": misses,
            "unclear": doubts,
            "kept": misses <= self.sla.misses if sure else None,
        }


_COLUMNS = {
    "period": pl.Int64,
    "start_s": pl.Float64,
    "misses": pl.Int64,
    "unclear": pl.Int64,
    "kept": pl.Boolean,
}


def export(sla: Sla, tool: str, *, tick_ms: float = 1.0) -> SlaExport:
    """Write an SLA as settings of a scheduler; see `demand.enforce.host_settings`."""
    return SlaExport(sla, tool, tick_ms, host_settings(sla, tool, tick_ms=tick_ms))


def audit_log(
    log: str,
    grants: Grants,
    sla: Sla,
    *,
    tick_ms: float = 1.0,
    origin_s: float | None = None,
    window: Window = "aligned",
) -> SlaAudit:
    """Judge a log of granted time against an SLA.

    Parameters
    ----------
    log
        Its name, for errors.
    origin_s
        When period 0 starts, seconds on the clock of the log; None for its beginning.

    Raises
    ------
    InvalidInput
        If the SLA is fluid, or a value is unknown.
    TraceError
        If the log covers no period as a whole.
    """
    if window not in get_args(Window):
        expected = " or ".join(get_args(Window))
        raise InvalidInput(f'window is "{window}"; expected {expected}')
    origin = None if origin_s is None else round(origin_s * _NS)
    tick = tick_ns(tick_ms)
    found = audit(grants, sla, tick=tick, origin=origin, window=window)
    start = int(grants.time[0]) if origin is None else origin
    if len(found.missed) == 0:
        span = (int(grants.time[-1]) - int(grants.time[0])) / 1e6
        length = sla.period * tick / 1e6
        problem = f"covers no whole period of {length:g} ms in its {span:g} ms"
        raise TraceError(log, problem)
    readings = len(grants.time)
    return SlaAudit(log, sla, window, tick_ms, start / _NS, readings, found)
