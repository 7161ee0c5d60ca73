"""May one SLA stand in for another? Decided exactly, never by a rule of thumb."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from cotenant.demand.sla import Sla
from cotenant.kernels import sla as kernels

Window: TypeAlias = Literal["aligned", "sliding"]
Phase: TypeAlias = Literal["aligned", "any"]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A schedule that keeps the offered SLA and breaks the required one.

    Parameters
    ----------
    length
        Slots of the schedule.
    granted
        Runs of granted slots as `(start, length)`, ascending; all others are idle.
    origin
        Slot at which the first required period starts; 0 with aligned phases.
    """

    length: int
    granted: tuple[tuple[int, int], ...]
    origin: int = 0


@dataclass(frozen=True, slots=True)
class Safety:
    """Whether the offered SLA may replace the required one; true or false as a value.

    Parameters
    ----------
    safe
        Whether every schedule that keeps `offered` keeps `required`.
    counterexample
        A schedule that does not, where there is one.
    """

    safe: bool
    counterexample: Counterexample | None = None

    def __bool__(self) -> bool:
        return self.safe


def is_safe(
    offered: Sla,
    required: Sla,
    *,
    window: Window = "aligned",
    phase: Phase = "aligned",
) -> Safety:
    """Decide whether every schedule that keeps `offered` also keeps `required`.

    Parameters
    ----------
    window
        Whether the misses of `required` count in windows one after the other, or in
        every run of so many periods. Those of `offered` count one after the other,
        which promises less and is therefore the careful reading.
    phase
        Whether both clocks start together, or `required` starts at any tick.
    """
    if offered.misses:
        return Safety(max_misses(offered, required, window=window) <= required.misses)
    return Safety(min_supply(offered, required.period, phase=phase) >= required.budget)


def max_misses(
    offered: Sla,
    required: Sla,
    *,
    window: Window = "aligned",
    phase: Phase = "aligned",
) -> int:
    """Return the most periods of one window of `required` that `offered` can miss."""
    raise NotImplementedError


def min_supply(offered: Sla, length: int, *, phase: Phase = "aligned") -> int:
    """Return the least that any interval of `length` ticks gets from `offered`.

    Every period is taken to be met. With `phase="aligned"` the intervals start at
    multiples of `length` on the clock of the periods, with `"any"` anywhere.
    """
    step = _step(offered.period, length, phase)
    return kernels.min_supply(offered.budget, offered.period, length, step)


def min_budget(required: Sla, period: int, *, phase: Phase = "aligned") -> int:
    """Return the least budget at `period` that meets every period of `required`."""
    step = _step(period, required.period, phase)
    return kernels.min_budget(period, required.budget, required.period, step)


def _step(period: int, length: int, phase: Phase) -> int:
    return 1 if phase == "any" else math.gcd(period, length)
