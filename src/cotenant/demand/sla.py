"""Periodic demand: a budget of time in every period, with a tolerance for misses."""

import re
from dataclasses import dataclass

from cotenant.errors import InvalidInput

# Products of two of these stay inside a 64-bit integer, so the kernels never overflow.
LARGEST = 10**9

_TEXT = re.compile(
    r"(?P<budget>\d{1,18})/(?P<period>\d{1,18})"
    r"(?:~(?P<period_low>\d{1,18})-(?P<period_high>\d{1,18}))?"
    r"(?::(?P<misses>\d{1,18})/(?P<window>\d{1,18}))?",
    re.ASCII,
)
_SHAPE = "BUDGET/PERIOD[~LOW-HIGH][:MISSES/WINDOW] in whole ticks, such as 1/30:2/5"


@dataclass(frozen=True, slots=True)
class Sla:
    """A promise of `budget` ticks in every `period` ticks, on a machine by itself.

    The time line is cut into periods. A period that gets less than `budget` is missed;
    of `window` periods at most `misses` may be. A fluid SLA lets the supplier choose
    one period from `period_low` to `period_high` and keep to it, at the same share of
    the machine. This is (C, T, Tl, Tu, D, W) of the MorphoSys paper.

    Parameters
    ----------
    budget
        Ticks, 0 to `period`.
    period
        Ticks, from 1.
    misses
        Periods of a window that may be missed, 0 to `window`.
    window
        Periods, from 1. With no misses allowed its length means nothing.
    period_low, period_high
        Bounds of a fluid SLA, both included, around `period`; None for a rigid one.

    Raises
    ------
    InvalidInput
        If a value is no int, outside its range, or above 10 ** 9.

    Examples
    --------
    >>> sla = Sla.parse("2/4~2-8:1/5")
    >>> sla.period_high, sla.misses, sla.utilization
    (8, 1, 0.5)
    >>> str(sla.at(8))
    '4/8:1/5'
    """

    budget: int
    period: int
    misses: int = 0
    window: int = 1
    period_low: int | None = None
    period_high: int | None = None

    def __post_init__(self) -> None:
        self._between("period", self.period, 1, LARGEST)
        self._between("budget", self.budget, 0, self.period, "its period")
        self._between("window", self.window, 1, LARGEST)
        self._between("misses", self.misses, 0, self.window, "its window")
        if (self.period_low is None) != (self.period_high is None):
            raise InvalidInput(f"SLA {self} bounds its period on one side; give both")
        if self.period_low is not None and self.period_high is not None:
            self._between("period_low", self.period_low, 1, self.period, "its period")
            self._between("period_high", self.period_high, self.period, LARGEST)

    def _between(
        self, name: str, value: int, low: int, high: int, what: str = ""
    ) -> None:
        if not isinstance(value, int) or not low <= value <= high:
            limit = f"{high} ({what})" if what else f"{high}"
            raise InvalidInput(
                f"SLA {self} has {name} {value}; expected {low} to {limit}"
            )

    @classmethod
    def parse(cls, text: str) -> "Sla":
        """Read the text form ``BUDGET/PERIOD[~LOW-HIGH][:MISSES/WINDOW]``.

        Raises
        ------
        InvalidInput
            If the text has another form, or a value outside its range.

        Examples
        --------
        >>> Sla.parse("1/30:2/5")
        Sla(budget=1, period=30, misses=2, window=5, period_low=None, period_high=None)
        """
        match = _TEXT.fullmatch(text.strip())
        if match is None:
            raise InvalidInput(f'"{text}" is no SLA; expected {_SHAPE}')
        given = {name: int(value) for name, value in match.groupdict().items() if value}
        return cls(**given)

    def __str__(self) -> str:
        text = f"{self.budget}/{self.period}"
        if self.period_low is not None or self.period_high is not None:
            text += f"~{self.period_low}-{self.period_high}"
        if (self.misses, self.window) != (0, 1):
            text += f":{self.misses}/{self.window}"
        return text

    @property
    def utilization(self) -> float:
        """Budget over period: the share of one machine, 0 to 1."""
        return self.budget / self.period

    @property
    def is_fluid(self) -> bool:
        """Whether the supplier may choose the period."""
        return self.period_low is not None

    @property
    def periods(self) -> range:
        """Every period the supplier may choose, ascending; one for a rigid SLA."""
        if self.period_low is None or self.period_high is None:
            return range(self.period, self.period + 1)
        return range(self.period_low, self.period_high + 1)

    def at(self, period: int) -> "Sla":
        """Fix the period, and give the rigid SLA that then has to be kept.

        The budget is the least whole one with at least the same share (Theorem 8 of
        the paper, which is its definition of fluid). Misses and window keep counting
        periods, so that the window lasts longer or shorter with the period.

        Raises
        ------
        InvalidInput
            If the period is not among `periods`.
        """
        if period not in self.periods:
            raise InvalidInput(
                f"SLA {self} cannot have period {period}; expected "
                f"{self.periods[0]} to {self.periods[-1]}"
            )
        budget = -(-self.budget * period // self.period)
        return Sla(budget, period, self.misses, self.window)
