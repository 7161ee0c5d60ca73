"""The night: what was the day like, which margin follows, and what has to move?"""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.demand.task import Task
from cotenant.service.applying import apply
from cotenant.service.asked import Settings
from cotenant.service.desk import Desk
from cotenant.service.keeping.curve import backtest_curve
from cotenant.service.keeping.daybook import Day, Daybook, date_of
from cotenant.service.keeping.history import filled
from cotenant.service.keeping.kept import Kept
from cotenant.service.keeping.measured import SLACK, Measured, measure
from cotenant.service.keeping.repair import Repair
from cotenant.service.keeping.shift import Shift, make
from cotenant.service.picture import Picture
from cotenant.service.repack import copy_state
from cotenant.service.words import percent


@dataclass(frozen=True, slots=True)
class Night:
    """What a night has worked out.

    Parameters
    ----------
    before
        The log it knows; if that has changed since, it does not hold.
    version
        Number of the last event it knows.
    """

    before: Daybook
    version: int
    day: Day
    shifts: list[Shift]


def plan_night(picture: Picture, settings: Settings) -> Night | None:
    """Work out the night after the earliest day that is over and not counted yet.

    None if there is no such day. It may take seconds and changes nothing.
    """
    kept = picture.kept
    day = None if kept is None else kept.due()
    if kept is None or day is None:
        return None
    one = _judge(kept, picture, settings, day)
    copy = copy_state(picture, settings)
    apply(copy, picture.number + 1, picture.at, "night", _data(one))
    shifts = Repair(copy, one.margin).run()
    return Night(kept.daybook, picture.number, one, shifts)


def record_night(desk: Desk, night: Night) -> bool:
    """Record a night and make its moves, all in one transaction.

    False, and nothing changes, if the log is no longer what the night knew: another
    process was quicker, or an operator has excluded a day meanwhile.
    """
    kept = desk.state.kept
    if kept is None or kept.daybook != night.before:
        return False
    desk.do("night", _words(night, desk.state.settings.rho), _data(night.day))
    make(desk, night.shifts, night.version, "night")
    return True


def measured_of(kept: Kept, picture: Picture, settings: Settings, day: int) -> Measured:
    """Return what machines went through on a day, as far as it counts."""
    capacity = capacities(picture)
    found = measure(kept.history, kept.stays, capacity, day)
    return found.counted(_hopeless(kept, picture, settings, capacity))


def capacities(picture: Picture) -> dict[str, float]:
    """Return CPU by machine that takes random usage."""
    return {
        spec.name: spec.capacity["cpu"]
        for spec, *_ in picture.machines
        if spec.kind == "usage"
    }


def _judge(kept: Kept, picture: Picture, settings: Settings, day: int) -> Day:
    rule, rho, book = kept.rule, settings.rho, kept.daybook
    found = measured_of(kept, picture, settings, day)
    shares, overload = found.shares, found.overload
    curve = None
    correction, curves = book.correction, book.curves()
    if day not in book.excluded:
        curve = _curve(kept, picture, rho, day)
        if overload is not None:
            correction = rule.correct(correction, overload, rho)
    if curve is not None:
        curves.append(curve)
    fitted = rule.fit(curves, rho)
    return Day(
        day=day,
        promised_margin=book.margin,
        overload=overload,
        machine_days=len(shares),
        above=int((shares > rho).sum()),
        worst=float(shares.max()) if len(shares) else None,
        curve=None if curve is None else tuple(curve.tolist()),
        fitted=fitted,
        correction=correction,
        margin=rule.margin(fitted, correction),
    )


def _curve(kept: Kept, picture: Picture, rho: float, day: int) -> FloatArray | None:
    """Backtest a day on the tasks that were there, by what was replayed of them.

    On a fleet of several sizes it takes the machines of the commonest size.
    """
    there = [
        held.demand
        for held in picture.held.values()
        if isinstance(held.demand, Task) and kept.history.there(held.name, day)
    ]
    sizes = Counter(capacities(picture).values())
    if not kept.window or not there or not sizes:
        return None
    replayed = np.array([kept.series(task) for task in there])
    usage = np.array([filled(kept.history.usage[t.name][day]) for t in there])
    capacity = sizes.most_common(1)[0][0]
    return backtest_curve(replayed, usage, capacity, rho, kept.rule, day)


def _hopeless(
    kept: Kept, picture: Picture, settings: Settings, capacity: dict[str, float]
) -> list[str]:
    """Return machines whose only task breaks the promise by itself."""
    return [
        spec.name
        for spec, _, _, keys in picture.machines
        if len(keys) == 1
        and isinstance(task := picture.held[keys[0]].demand, Task)
        and (kept.series(task) > capacity[spec.name] * (1.0 + SLACK)).mean()
        > settings.rho
    ]


def _data(one: Day) -> dict[str, Any]:
    return {"day": asdict(one)}


def _words(night: Night, rho: float) -> str:
    one = night.day
    delivered = "not measured"
    if one.overload is not None:
        delivered = f"delivered {percent(one.overload)} of {percent(rho)}"
    moves = (
        "1 task moves" if len(night.shifts) == 1 else f"{len(night.shifts)} tasks move"
    )
    if one.day in night.before.excluded:
        delivered += f", excluded ({night.before.excluded[one.day]})"
    return (
        f"night after {date_of(one.day)}: {delivered}, margin {one.margin:.3g} "
        f"(fitted {one.fitted:.3g}, correction {one.correction:.3g}), {moves}"
    )
