"""Readings with their times, and days, as they go over the wire."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field

from cotenant.service.keeping.daybook import CALIBRATED, SHOWN, Day, date_of
from cotenant.service.keeping.history import WIDTH_S
from cotenant.service.keeping.kept import Told
from cotenant.service.keeping.reading import Reading
from cotenant.service.keeping.timing import Timing
from cotenant.service.wire import Asked, Name, Samples, Throttled, When
from cotenant.service.wire import Step as StepS

MOST_READINGS = 10_000


class NamedReadingIn(Asked):
    """CPU samples of one task."""

    name: Name
    cpu: Samples
    start: When | None = None
    step: StepS = WIDTH_S
    throttled: Throttled | None = None

    def reading(self) -> Reading:
        """Return it as the core takes it."""
        timing = Timing(self.start, self.step, self.throttled)
        return Reading(self.name, self.cpu, timing)


Readings = Annotated[
    list[NamedReadingIn], Field(min_length=1, max_length=MOST_READINGS)
]


class ReadOut(BaseModel):
    """What became of readings: how many were taken in, and who is not placed."""

    read: int
    unknown: list[str]


class ExcludedIn(Asked):
    """Whether a day counts, and why not."""

    excluded: bool
    reason: Annotated[str, Field(min_length=1, max_length=200)] = "excluded by hand"


class DayOut(BaseModel):
    """A day that is over.

    Parameters
    ----------
    margin
        In force on that day; `fitted` and `correction` are what followed from it.
    excluded
        Why it does not count; None if it does.
    """

    date: str
    overload: float | None
    machine_days: int
    above_rho: int
    worst_machine: float | None
    margin: float
    fitted: float
    correction: float
    moves: int
    excluded: str | None


class DaysOut(BaseModel):
    """How the promise was kept.

    Parameters
    ----------
    delivered
        Mean overload of the last 28 measured days that count.
    settled
        Seconds since 1970 up to which nights and the guard are done.
    """

    promise: str
    rho: float
    delivered: float | None = None
    margin: float | None = None
    fitted: float | None = None
    correction: float | None = None
    calibrated: bool = False
    replayed_days: int = 0
    moved_today: int = 0
    machine_days: int = 0
    machine_days_above_rho: int = 0
    latest: float | None = None
    settled: float | None = None
    alarms: list[str] = []
    excluded: Mapping[str, str] = {}
    days: list[DayOut] = []


def days_out(told: Told | None, rho: float, settled: int = -1) -> dict[str, Any]:
    """Return what is told of days, as JSON."""
    if told is None:
        return DaysOut(promise="history", rho=rho).model_dump()
    book = told.daybook
    counting = [d for d in book.days[-SHOWN:] if d.day not in book.excluded]
    return DaysOut(
        promise="tomorrow",
        rho=rho,
        delivered=book.delivered(),
        margin=book.margin,
        fitted=book.days[-1].fitted if book.days else None,
        correction=book.correction,
        calibrated=len(book.curves()) >= CALIBRATED,
        replayed_days=told.replayed,
        moved_today=told.moved,
        machine_days=sum(one.machine_days for one in counting),
        machine_days_above_rho=sum(one.above for one in counting),
        latest=_end(told.latest),
        settled=_end(settled),
        alarms=book.alarms(told.rule),
        excluded={date_of(day): why for day, why in book.excluded.items()},
        days=[_day(one, book.excluded.get(one.day)) for one in book.days],
    ).model_dump()


def shown_days(told: Told | None, rho: float) -> dict[str, Any] | None:
    """Return what the dashboard shows of days; None where they are not kept."""
    if told is None:
        return None
    found = days_out(told, rho)
    kept = {name: found[name] for name in found.keys() - {"latest", "settled"}}
    return kept | {"days": found["days"][-SHOWN:]}


def _day(one: Day, excluded: str | None) -> DayOut:
    return DayOut(
        date=date_of(one.day),
        overload=one.overload,
        machine_days=one.machine_days,
        above_rho=one.above,
        worst_machine=one.worst,
        margin=one.promised_margin,
        fitted=one.fitted,
        correction=one.correction,
        moves=one.moves,
        excluded=excluded,
    )


def _end(moment: int) -> float | None:
    return None if moment < 0 else (moment + 1) * WIDTH_S
