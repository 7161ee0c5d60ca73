"""A schedule that keeps one SLA and breaks another, for anybody to check."""

from dataclasses import dataclass
from typing import Any

from cotenant.demand.schedule import Schedule, Window, keeps
from cotenant.demand.sla import Sla


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A schedule that keeps the offered SLA and breaks the required one.

    Parameters
    ----------
    schedule
        Which slots are granted.
    origin
        Slot at which the first required period starts; 0 with aligned phases.
    """

    schedule: Schedule
    origin: int = 0

    def refutes(
        self, offered: Sla, required: Sla, *, window: Window = "aligned"
    ) -> bool:
        """Check by definition that `offered` is kept and `required` is not."""
        broken = not keeps(self.schedule, required, window=window, origin=self.origin)
        return broken and keeps(self.schedule, offered)

    def to_dict(self) -> dict[str, Any]:
        """Return length, runs of granted slots, and the origin."""
        return {
            "length": self.schedule.length,
            "granted": [list(run) for run in self.schedule.granted],
            "origin": self.origin,
        }
