"""May one SLA stand in for another? Decided exactly, never by a rule of thumb."""

import math
from dataclasses import dataclass, replace

from cotenant.demand.adversary import Adversary, Phase, least_start
from cotenant.demand.counterexample import Counterexample
from cotenant.demand.schedule import Window
from cotenant.demand.sla import Sla
from cotenant.demand.sliding import most_misses
from cotenant.errors import InvalidInput
from cotenant.kernels import sla as kernels

_MOST_PAIRS = 10**6


@dataclass(frozen=True, slots=True)
class Safety:
    """Whether the offered SLA may replace the required one; true or false as a value.

    Parameters
    ----------
    safe
        Whether every schedule that keeps `offered` keeps `required`.
    counterexample
        A schedule that does not, where there is one.
    supplied
        What that schedule keeps: `offered`, or a fluid one at the period that fails.
    """

    safe: bool
    counterexample: Counterexample | None = None
    supplied: Sla | None = None

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

    Of a fluid `required` one period of its range is enough, the same for all schedules.
    A fluid `offered` may be supplied at any of its periods, so all must be safe; the
    counterexample then belongs to the first that is not, and breaks `required` at the
    period it names.

    Parameters
    ----------
    window
        Whether the misses of `required` count in windows one after the other, or in
        every run of so many periods. Those of `offered` count one after the other,
        which promises less and is therefore the careful reading.
    phase
        Whether both clocks start together, or `required` starts at any tick.

    Raises
    ------
    InvalidInput
        If there are too many periods to decide exactly.

    Examples
    --------
    >>> bool(is_safe(Sla.parse("1/2"), Sla.parse("2/5")))
    True
    >>> answer = is_safe(Sla.parse("1/2"), Sla.parse("3/6"), phase="any")
    >>> answer.safe, answer.counterexample.schedule.granted
    (False, ((0, 1), (2, 1), (4, 1), (7, 1)))
    """
    if not (offered.is_fluid or required.is_fluid):
        return _rigid(offered, required, window, phase)
    if len(offered.periods) * len(required.periods) > _MOST_PAIRS:
        raise InvalidInput(
            f"{offered} against {required} has more than a million pairs of periods; "
            "use narrower ranges or coarser ticks"
        )
    for period in offered.periods:
        chosen = offered.at(period)
        if not any(
            _rigid(chosen, required.at(other), window, phase).safe
            for other in required.periods
        ):
            return _rigid(chosen, required.at(required.period), window, phase)
    return Safety(True)


def max_misses(
    offered: Sla,
    required: Sla,
    *,
    window: Window = "aligned",
    phase: Phase = "aligned",
    offered_window: Window = "aligned",
) -> int:
    """Return the most periods of one window of `required` that `offered` can miss.

    Both are taken at the period they name; the misses of `required` are not looked at.
    `window` and `phase` are those of `is_safe`.

    Parameters
    ----------
    offered_window
        How the misses of `offered` count. `"sliding"` takes time and memory that grow
        fast with them.

    Raises
    ------
    InvalidInput
        If there are too many periods to decide exactly.

    Examples
    --------
    >>> max_misses(Sla.parse("1/3:1/11"), Sla.parse("1/7:2/7"))
    3
    """
    if required.budget == 0:
        return 0
    offered = _plain(offered)
    if offered_window == "sliding" and offered.misses:
        return most_misses(offered, required, window, phase)
    return Adversary(offered, required, window, phase).worst(required.window)[0]


def min_supply(offered: Sla, length: int, *, phase: Phase = "aligned") -> int:
    """Return the least that any interval of `length` ticks gets from `offered`.

    Every period is taken to be met. With `phase="aligned"` the intervals start at
    multiples of `length` on the clock of the periods, with `"any"` anywhere.

    Examples
    --------
    >>> min_supply(Sla.parse("1/2"), 6), min_supply(Sla.parse("1/2"), 6, phase="any")
    (3, 2)
    """
    step = _step(offered.period, length, phase)
    return kernels.min_supply(offered.budget, offered.period, length, step)


def min_budget(required: Sla, period: int, *, phase: Phase = "aligned") -> int:
    """Return the least budget at `period` that lets no period of `required` be missed.

    A fluid one is supplied at the period of its range that costs least. What misses
    `required` would tolerate is left unused; `calculus.rewrite` makes use of it.

    Examples
    --------
    >>> min_budget(Sla.parse("3/30"), 10), min_budget(Sla.parse("3/30"), 12)
    (1, 2)
    """
    return kernels.min_budget_over(
        period,
        (required.budget, required.period),
        (required.periods[0], required.periods[-1]),
        phase == "any",
    )


def _rigid(supplied: Sla, required: Sla, window: Window, phase: Phase) -> Safety:
    if required.budget == 0 or required.misses >= required.window:
        return Safety(True)
    offered = _plain(supplied)
    step = _step(offered.period, required.period, phase)
    supply = kernels.min_supply(offered.budget, offered.period, required.period, step)
    enough = supply >= required.budget
    if enough and offered.misses == 0:
        return Safety(True)
    if required.misses == 0:
        required = replace(required, window=1)
    if not enough and required.misses == 0:
        met = replace(offered, misses=0, window=1)
        adversary = Adversary(met, required, window, phase)
        start = least_start(met, required.period, step)
        return Safety(False, adversary.counterexample(start, 1), supplied)
    adversary = Adversary(offered, required, window, phase)
    most = required.misses + 1
    misses, start = adversary.worst(most)
    if misses < most:
        return Safety(True)
    return Safety(False, adversary.counterexample(start, most), supplied)


def _plain(offered: Sla) -> Sla:
    """Return an SLA that allows the same schedules, with the fewest terms."""
    if offered.misses >= offered.window or offered.budget == 0:
        return Sla(0, offered.period)
    if offered.misses == 0:
        return Sla(offered.budget, offered.period)
    return offered


def _step(period: int, length: int, phase: Phase) -> int:
    return 1 if phase == "any" else math.gcd(period, length)
