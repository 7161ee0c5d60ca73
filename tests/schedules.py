"""Schedules of periodic tasks, slot by slot: the oracle of response times."""

import math
from collections.abc import Sequence

from cotenant.demand.sla import Sla


def rate_monotonic(slas: Sequence[Sla], horizon: int) -> list[int | None]:
    """Return the task of every slot; the shortest period first, then the first given.

    All tasks are released at 0; what a period leaves undone is dropped at its end.
    """
    owed = [0] * len(slas)
    granted: list[int | None] = []
    for slot in range(horizon):
        for task, sla in enumerate(slas):
            if slot % sla.period == 0:
                owed[task] = sla.budget
        waiting = [task for task in range(len(slas)) if owed[task]]
        chosen = min(waiting, key=lambda task: (slas[task].period, task), default=None)
        if chosen is not None:
            owed[chosen] -= 1
        granted.append(chosen)
    return granted


def worst_responses(slas: Sequence[Sla]) -> list[int | None]:
    """Return each task's longest time from release to completion; None when missed.

    Tasks are judged one at a time with those of higher priority, whose undone work
    stays pending, over twice the hyperperiod.
    """
    order = sorted(range(len(slas)), key=lambda task: (slas[task].period, task))
    horizon = 2 * math.lcm(*(sla.period for sla in slas))
    result: list[int | None] = [None] * len(slas)
    for place, task in enumerate(order):
        result[task] = _worst([slas[other] for other in order[: place + 1]], horizon)
    return result


def _worst(slas: Sequence[Sla], horizon: int) -> int | None:
    owed = [0] * len(slas)
    last, worst, released = slas[-1], 0, 0
    for slot in range(horizon):
        for task, sla in enumerate(slas[:-1]):
            if slot % sla.period == 0:
                owed[task] += sla.budget
        if slot % last.period == 0:
            if owed[-1]:
                return None
            owed[-1], released = last.budget, slot
        chosen = next((task for task in range(len(slas)) if owed[task]), None)
        if chosen is not None:
            owed[chosen] -= 1
            if chosen == len(slas) - 1 and not owed[-1]:
                worst = max(worst, slot + 1 - released)
    return None if owed[-1] else worst
