"""The schedule that keeps one SLA and hurts another the most."""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from cotenant.demand import retrace
from cotenant.demand.counterexample import Counterexample
from cotenant.demand.schedule import Schedule, Window
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput
from cotenant.kernels import misses as kernels

Phase: TypeAlias = Literal["aligned", "any"]

# Cells of the dynamic program: some minutes of work, or some seconds to trace a window.
_MOST_CELLS = 10**10
_MOST_SEGMENTS = 10**6
_CELLS_AT_ONCE = 10**7


@dataclass(frozen=True, slots=True)
class Adversary:
    """Schedules within `offered`, chosen so that `required` is missed most.

    Parameters
    ----------
    offered, required
        Rigid SLAs. The misses of `offered` count in windows one after the other.
    window
        How the windows of `required` lie.
    phase
        Whether both clocks start together, or `required` starts at any tick.
    """

    offered: Sla
    required: Sla
    window: Window
    phase: Phase

    @property
    def step(self) -> int:
        """All windows of `required` start at multiples of this on the offered clock."""
        return 1 if self.phase == "any" else math.gcd(self._cycle, self._grid)

    @property
    def _cycle(self) -> int:
        return self.offered.window * self.offered.period

    @property
    def _grid(self) -> int:
        aligned = self.window == "aligned"
        return self.required.period * (self.required.window if aligned else 1)

    @property
    def _span(self) -> int:
        return self.required.window * self.required.period

    @property
    def _terms(self) -> retrace.Terms:
        offered, required = self.offered, self.required
        # More misses than offered periods that a window can touch change nothing.
        misses = min(offered.misses, self._span // offered.period + 2)
        return (
            offered.budget,
            offered.period,
            misses,
            offered.window,
            required.budget,
            required.period,
        )

    def worst(self, most: int) -> tuple[int, int]:
        """Return the most misses of one window, and where it starts.

        Stops at `most` misses. The start is on the offered clock, below its cycle.

        Raises
        ------
        InvalidInput
            If it would take minutes.
        """
        phases = self._cycle // self.step
        cells = self._segments() * math.prod(self._shape())
        if phases * cells > _MOST_CELLS:
            raise self._too_fine()
        stride = max(1, _CELLS_AT_ONCE // cells) * self.step
        best, where = -1, 0
        # In portions, since a kernel cannot be interrupted from the keyboard.
        for first in range(0, self._cycle, stride):
            portion = (first, min(first + stride, self._cycle), self.step)
            found, start = kernels.worst(
                self._terms, self.required.window, most, portion
            )
            if found > best:
                best, where = found, start
            if best >= most:
                break
        return best, where

    def counterexample(self, start: int, most: int) -> Counterexample:
        """Return the schedule for the window at `start`; all else is granted in full.

        Raises
        ------
        InvalidInput
            If the window has more than a million periods.
        """
        if self._segments() > _MOST_SEGMENTS:
            raise self._too_fine()
        begin = self._place(start)
        runs, end = [(0, begin)], begin + self._span
        window = (start, start + self._span, most)
        for position, granted in retrace.grants(self._terms, window):
            runs.append((position - start + begin, granted))
        length = -(-end // self._cycle) * self._cycle
        runs.append((end, length - end))
        origin = begin if self.phase == "any" else 0
        return Counterexample(Schedule(length, _merged(runs)), origin)

    def _segments(self) -> int:
        return self.required.window + self._span // self.offered.period + 2

    def _shape(self) -> tuple[int, int]:
        size = kernels.size_for(self.offered.period, self.required.period)
        return size, self._terms[2] + 1

    def _too_fine(self) -> InvalidInput:
        return InvalidInput(
            f"{self.offered} against {self.required} has too many periods to decide "
            "exactly; use coarser ticks or shorter windows"
        )

    def _place(self, start: int) -> int:
        """Return the first slot where the window may lie, `start` into a cycle."""
        if self.phase == "any":
            return start
        step = math.gcd(self._cycle, self._grid)
        modulus = self._grid // step
        inverse = pow(self._cycle // step, -1, modulus)
        return start + self._cycle * (-start // step * inverse % modulus)


def least_start(offered: Sla, length: int, step: int) -> int:
    """Return where an interval gets its least, as an offset from a period's start.

    Every period of `offered` is met; `step` is that of `kernels.sla`.
    """
    period, slack = offered.period, offered.period - offered.budget

    def supply(start: int) -> int:
        head = min(-start % period, length)
        whole, tail = divmod(length - head, period)
        return max(0, head - slack) + whole * offered.budget + max(0, tail - slack)

    # The balanced splits of the two partial periods; see kernels.sla.
    rests = (length % period, length % period + period)
    heads = [step * (rest // (2 * step)) for rest in rests]
    return min((-head % period for head in heads), key=supply)


def _merged(runs: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for start, length in runs:
        if length == 0:
            continue
        if merged and sum(merged[-1]) == start:
            merged[-1] = (merged[-1][0], merged[-1][1] + length)
        else:
            merged.append((start, length))
    return tuple(merged)
