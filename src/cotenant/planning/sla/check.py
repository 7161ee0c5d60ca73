"""May one SLA replace another, and what does another period cost?"""

from typing import Any, get_args

from cotenant.demand.adversary import Phase
from cotenant.demand.rewrite import is_safe, min_budget
from cotenant.demand.schedule import Window
from cotenant.demand.sla import Sla
from cotenant.demand.theorems import paper_budget, paper_verdict
from cotenant.errors import InvalidInput
from cotenant.planning.sla.verdicts import SlaCheck, SlaRewrite


def check(
    offered: Sla,
    required: Sla,
    *,
    window: Window = "aligned",
    phase: Phase = "aligned",
) -> SlaCheck:
    """Decide whether `offered` may replace `required`, with the paper's view beside.

    Raises
    ------
    InvalidInput
        If window or phase is unknown, or there are too many periods to decide.

    Examples
    --------
    >>> answer = check(Sla.parse("3/4"), Sla.parse("1/2"))
    >>> answer.safe, answer.paper
    (True, None)
    """
    _known("window", window, get_args(Window))
    _known("phase", phase, get_args(Phase))
    safety = is_safe(offered, required, window=window, phase=phase)
    return SlaCheck(
        offered,
        required,
        window,
        phase,
        safety.safe,
        paper_verdict(offered, required),
        safety.counterexample,
        _notes(required, offered.period) + _supplied(offered, safety.supplied),
    )


def rewrite(
    required: Sla,
    period: int,
    *,
    tolerance: tuple[int, int] = (0, 1),
    window: Window = "aligned",
    phase: Phase = "aligned",
) -> SlaRewrite:
    """Find the least budget at `period` that is a safe replacement of `required`.

    Parameters
    ----------
    period
        Ticks.
    tolerance
        Misses, and the window they count in, that the supply itself may have.
    window, phase
        As in `is_safe`.

    Raises
    ------
    InvalidInput
        If a value is outside its range, or there are too many periods to decide.

    Examples
    --------
    >>> answer = rewrite(Sla.parse("10/50"), 20)
    >>> answer.rewritten.budget, answer.paper_budget, round(answer.overhead, 2)
    (5, 10, 0.25)
    """
    _known("window", window, get_args(Window))
    _known("phase", phase, get_args(Phase))
    widest = Sla(period, period, *tolerance)
    strict = widest.misses == 0
    if strict and required.misses == 0:
        budget: int | None = min_budget(required, period, phase=phase)
    else:
        budget = _search(widest, required, window, phase)
    return SlaRewrite(
        required,
        period,
        tolerance,
        window,
        phase,
        None if budget is None else Sla(budget, period, *tolerance),
        paper_budget(required, period) if strict else None,
        _notes(required, period),
    )


def _search(widest: Sla, required: Sla, window: Window, phase: Phase) -> int | None:
    """Halve the range of budgets: more of it never harms."""
    low, high = 0, widest.period + 1
    if widest.misses == 0:
        high = min_budget(required, widest.period, phase=phase)
    while low < high:
        middle = (low + high) // 2
        offered = Sla(middle, widest.period, widest.misses, widest.window)
        if is_safe(offered, required, window=window, phase=phase):
            high = middle
        else:
            low = middle + 1
    return high if high <= widest.period else None


def _known(name: str, value: str, known: tuple[Any, ...]) -> None:
    if value not in known:
        raise InvalidInput(f'{name} is "{value}"; expected {" or ".join(known)}')


def _supplied(offered: Sla, supplied: Sla | None) -> tuple[str, ...]:
    """Return which form of a fluid supply is the one that fails."""
    if supplied is None or not offered.is_fluid:
        return ()
    return (f"{offered} may be supplied as {supplied}, which the schedule keeps",)


def _notes(required: Sla, period: int) -> tuple[str, ...]:
    """Return what the customer should know of a fluid SLA with misses."""
    if not (required.is_fluid and required.misses):
        return ()
    return (
        f"at another period than {required.period} the window of {required.window} "
        "periods lasts longer or shorter; make sure that this is meant",
    )
