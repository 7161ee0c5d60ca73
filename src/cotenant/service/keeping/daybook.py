"""The log of days: what each delivered, and the margin that followed from it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date, timedelta
from typing import Any

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.colocate.margin import MarginRule
from cotenant.errors import InvalidInput

SHOWN = 28
"""Days that what was delivered is told of."""

REMEMBERED = 60
"""Days of the log: enough for 28 curves where some days have none."""

CALIBRATED = 7
"""Curves from which a margin counts as calibrated."""

STRAINED, STRAINED_DAYS = 0.15, 3
"""Correction, and nights in a row above it, that say the history describes nothing."""

_FIRST = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Day:
    """A day that is over.

    Parameters
    ----------
    day
        Days since 1970, UTC.
    promised_margin
        In force on that day.
    overload
        Share of machine time above capacity; None if too little was measured.
    machine_days, above, worst
        Machines that counted, those of them above rho, and the worst of them.
    curve
        Overload the day would have had at each margin of the grid; None for none.
    fitted, correction, margin
        After it.
    moves
        Tasks moved during the day, and in the night after it.
    """

    day: int
    promised_margin: float
    overload: float | None
    machine_days: int
    above: int
    worst: float | None
    curve: tuple[float, ...] | None
    fitted: float
    correction: float
    margin: float
    moves: int = 0

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Day":
        """Read the JSON form back."""
        curve = data["curve"]
        known = {name: data[name] for name in cls.__slots__ if name in data}
        return cls(**known | {"curve": None if curve is None else tuple(curve)})


@dataclass(frozen=True, slots=True)
class Daybook:
    """What the nights have found so far.

    Parameters
    ----------
    days
        The latest last.
    excluded
        By day: why an operator does not let it count.
    """

    margin: float
    days: tuple[Day, ...] = ()
    excluded: Mapping[int, str] = field(default_factory=dict)

    @property
    def closed(self) -> int:
        """The last day that is over and counted; -1 before the first."""
        return self.days[-1].day if self.days else -1

    @property
    def correction(self) -> float:
        """The correction in force."""
        return self.days[-1].correction if self.days else 0.0

    def curves(self) -> list[FloatArray]:
        """Return the curves of days that count."""
        return [
            np.array(one.curve)
            for one in self.days
            if one.curve is not None and one.day not in self.excluded
        ]

    def delivered(self) -> float | None:
        """Return the mean overload of the latest measured days that count."""
        found = [
            one.overload
            for one in self.days[-SHOWN:]
            if one.overload is not None and one.day not in self.excluded
        ]
        return sum(found) / len(found) if found else None

    def with_day(self, one: Day) -> "Daybook":
        """Return the log with one more day."""
        days = (*self.days, one)[-REMEMBERED:]
        return replace(self, days=days, margin=one.margin)

    def with_move(self) -> "Daybook":
        """Return the log with one more move in the last night."""
        last = self.days[-1]
        days = (*self.days[:-1], replace(last, moves=last.moves + 1))
        return replace(self, days=days)

    def with_excluded(self, day: int, reason: str | None) -> "Daybook":
        """Return the log with a day that does not count; None for one that does."""
        others = {d: why for d, why in self.excluded.items() if d != day}
        more = {} if reason is None else {day: reason}
        return replace(self, excluded=others | more)

    def alarms(self, rule: MarginRule) -> list[str]:
        """Say what shows that the history no longer describes the fleet."""
        recent, found = self.days[-STRAINED_DAYS:], []
        if not recent:
            return []
        last = recent[-1]
        if last.correction >= rule.highest:
            found.append(
                f"the correction is at its highest, {rule.highest:g}: days keep "
                "delivering more than was promised"
            )
        elif (
            len(recent) == STRAINED_DAYS
            and min(one.correction for one in recent) > STRAINED
        ):
            found.append(
                f"the correction has been above {STRAINED:g} for {STRAINED_DAYS} "
                f"nights, now {last.correction:.3g}: past days no longer tell the next"
            )
        if last.fitted >= rule.grid[-1]:
            found.append(
                f"the fitted margin is the largest that is tried, {rule.grid[-1]:g}: "
                "past days drift more than any headroom covers"
            )
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "margin": self.margin,
            "days": [asdict(one) for one in self.days],
            "excluded": [[day, why] for day, why in self.excluded.items()],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Daybook":
        """Read the JSON form back."""
        days = tuple(Day.from_dict(one) for one in data["days"])
        return cls(data["margin"], days, {day: why for day, why in data["excluded"]})


def read_date(text: str) -> int:
    """Return a date such as ``2026-11-30`` as days since 1970.

    Raises
    ------
    InvalidInput
        If it is no date.
    """
    try:
        return (date.fromisoformat(text) - _FIRST).days
    except ValueError:
        raise InvalidInput(
            f"day {text!r} is no date; expected one such as 2026-11-30"
        ) from None


def date_of(day: int) -> str:
    """Return a day as a date.

    >>> date_of(0)
    '1970-01-01'
    """
    return (_FIRST + timedelta(days=day)).isoformat()
