"""When samples were taken."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cotenant.errors import InvalidInput
from cotenant.service.keeping.history import WIDTH_S

AHEAD_S = 3600.0
"""How far the clock of a feed may be ahead of ours."""


@dataclass(frozen=True, slots=True)
class Timing:
    """When the samples of a reading were taken, and what they do not show.

    Parameters
    ----------
    start
        Seconds since 1970 of the first sample; None if the last one is of now.
    step
        Seconds from one sample to the next.
    throttled
        For each sample, the share of its time in which the machine held the task back.
    """

    start: float | None = None
    step: float = WIDTH_S
    throttled: Sequence[float] | None = None

    def facts(self, task: str, cpu: Sequence[float], now: float) -> dict[str, Any]:
        """Return the timing of CPU samples as events carry it.

        Raises
        ------
        InvalidInput
            If there are not as many throttled parts as samples, or the last sample
            would be of the future.
        """
        back = None if self.throttled is None else list(self.throttled)
        if back is not None and len(back) != len(cpu):
            raise InvalidInput(
                f"task {task!r} has {len(back):,} values of throttled; "
                f"expected {len(cpu):,}, one a sample"
            )
        length = self.step * (len(cpu) - 1)
        start = now - length if self.start is None else self.start
        ahead = start + length - now
        if ahead > AHEAD_S:
            raise InvalidInput(
                f"task {task!r} has samples of the future: the last one is "
                f"{ahead:,.0f} s ahead of the clock here"
            )
        return {"start": start, "step": self.step, "throttled": back}


NOW = Timing()
