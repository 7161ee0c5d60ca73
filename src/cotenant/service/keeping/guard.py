"""The guard of the day: machines shed that have used their allowance four times."""

from dataclasses import dataclass, replace

import numpy as np

from cotenant.demand.task import Task
from cotenant.service.asked import Settings
from cotenant.service.desk import Desk
from cotenant.service.keeping import shift as on
from cotenant.service.keeping.history import MOMENTS
from cotenant.service.keeping.measured import SLACK, measure
from cotenant.service.keeping.night import capacities
from cotenant.service.keeping.shift import Shift, make
from cotenant.service.picture import Picture
from cotenant.service.repack import copy_state
from cotenant.service.state import State

HOUR = MOMENTS // 24
TIMES, LEAST = 4.0, 3.0
"""A machine sheds after four times its daily allowance, and not for less than this."""


@dataclass(frozen=True, slots=True)
class Alert:
    """A machine that has used its allowance again.

    Parameters
    ----------
    over
        Moments above capacity today.
    times
        How many times it has reached the limit today.
    """

    machine: str
    over: float
    times: int
    shifts: list[Shift]


@dataclass(frozen=True, slots=True)
class Watch:
    """What the guard has worked out for a day, and the last event it knows."""

    day: int
    version: int
    alerts: list[Alert]


def plan_watch(picture: Picture, settings: Settings) -> Watch | None:
    """Look at the day so far; None if no machine has to shed.

    A task that leaves goes where it fits with the part of today that is over as the
    newest part of its history.
    """
    kept = picture.kept
    if kept is None or kept.history.latest < 0:
        return None
    day = kept.history.latest // MOMENTS
    found = measure(kept.history, kept.stays, capacities(picture), day)
    limit = max(LEAST, TIMES * settings.rho * MOMENTS)
    alerts = [
        Alert(name, float(over), int(over / limit), [])
        for name, over in zip(found.machines, found.over, strict=True)
        if int(over / limit) > kept.shed.get(name, 0)
    ]
    if not alerts:
        return None
    copy = copy_state(picture.with_today(), settings)
    shedding = [replace(alert, shifts=_shed(copy, alert)) for alert in alerts]
    return Watch(day, picture.number, shedding)


def record_watch(desk: Desk, watch: Watch) -> bool:
    """Record what machines shed and make the moves, all in one transaction.

    False, and nothing changes, if the day has ended or another process was quicker.
    """
    kept = desk.state.kept
    if kept is None or kept.daybook.closed >= watch.day:
        return False
    fresh = [a for a in watch.alerts if a.times > kept.shed.get(a.machine, 0)]
    for alert in fresh:
        count = len(alert.shifts)
        what = "1 task moves" if count == 1 else f"{count or 'no'} tasks move"
        words = f"{alert.machine} was {_told(alert)}: {what}"
        data = {"machine": alert.machine, "day": watch.day, "times": alert.times}
        desk.do("shed", words, data)
        make(desk, alert.shifts, watch.version, "guard")
    return bool(fresh)


def _shed(state: State, alert: Alert) -> list[Shift]:
    """Take off what used most in the last hour, until the hour would have been free."""
    name, entry = alert.machine, state.machines[alert.machine]
    side, kept = on.side_of(state), state.kept
    assert kept is not None
    hour = slice(-min(HOUR, kept.today), None)
    room = entry.spec.capacity["cpu"] * (1.0 + SLACK)
    shifts: list[Shift] = []
    stuck: set[str] = set()
    while (side.replayed(entry.hosts[0])[hour] > room).any():
        there = [task for task in on.tasks(state, name) if task not in stuck]
        if len(there) < 2:
            break
        task = max(there, key=lambda task: _mean(state, task, hour))
        target = on.choose(state, state.held[task], {name})
        if target is None:
            stuck.add(task)
            continue
        on.place(state, state.take(task), target)
        shifts.append(Shift(task, name, target, f"{name} was {_told(alert)}"))
    return shifts


def _mean(state: State, task: str, hour: slice) -> float:
    demand = state.held[task].demand
    assert isinstance(demand, Task)
    assert state.kept is not None
    return float(np.mean(state.kept.series(demand)[hour]))


def _told(alert: Alert) -> str:
    minutes = round(alert.over * 24 * 60 / MOMENTS)
    return f"over capacity for {minutes} minutes today"
