"""The schedule that keeps one SLA and hurts another the most."""

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from cotenant.arrays import IntArray
from cotenant.demand.schedule import Schedule, Window, keeps
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput
from cotenant.kernels import misses as kernels

Phase: TypeAlias = Literal["aligned", "any"]

# Cells of the dynamic program: some minutes of work, or some seconds to trace a window.
_MOST_CELLS = 10**10
_MOST_SEGMENTS = 10**6
_CELLS_AT_ONCE = 10**7
_RECORDED = 2**22


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A schedule that keeps the offered SLA and breaks the required one.

    Parameters
    ----------
    schedule
        Which slots are granted.
    origin
        Slot at which the first required period starts; 0 with aligned phases.
    """

    schedule: Schedule
    origin: int = 0

    def refutes(
        self, offered: Sla, required: Sla, *, window: Window = "aligned"
    ) -> bool:
        """Check by definition that `offered` is kept and `required` is not."""
        broken = not keeps(self.schedule, required, window=window, origin=self.origin)
        return broken and keeps(self.schedule, offered)

    def to_dict(self) -> dict[str, Any]:
        """Return length, runs of granted slots, and the origin."""
        return {
            "length": self.schedule.length,
            "granted": [list(run) for run in self.schedule.granted],
            "origin": self.origin,
        }


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
    def _terms(self) -> tuple[int, int, int, int, int, int]:
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
        for position, granted in self._grants(start, most):
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

    def _grants(self, start: int, most: int) -> list[tuple[int, int]]:
        """Return where and how much is granted in each segment of the window."""
        offered, required = self.offered, self.required
        period, length = offered.period, required.period
        edges = _edges(start, self._span, period, length)
        choices = self._choices(start, most, edges)
        owed = max(0, offered.budget - start % period)
        room, grants = 0, []
        for i, (missed, declared) in enumerate(choices):
            position = edges[i]
            if position % period == 0:
                owed = offered.budget
            if (position - start) % length == 0:
                room = required.budget - 1 if declared else kernels.NO_CAP
            granted = 0 if missed else min(owed, edges[i + 1] - position, room)
            owed, room = owed - granted, room - granted
            grants.append((position, granted))
        return grants

    def _choices(
        self, start: int, most: int, edges: list[int]
    ) -> list[tuple[bool, bool]]:
        """Return for each segment whether it is in a missed, in a declared period."""
        shape = self._shape()
        rows = max(1, min(len(edges), _RECORDED // math.prod(shape)))
        record = np.zeros((rows, *shape, 2), dtype=np.int64)
        level = np.zeros(shape, dtype=np.int64)
        value = np.zeros((*shape, 2), dtype=np.int64)
        window = (start, edges[-1], most)
        kernels.begin(self.offered.budget, self.offered.period, start, level, value)
        # What led to the end is recorded piece by piece, from saved states: the record
        # of a long window would not fit in memory.
        saved = []
        for first in range(0, len(edges) - 1, rows):
            saved.append((first, level.copy(), value.copy()))
            kernels.sweep(self._terms, window, edges[first], level, value, record)
        at = _end_cell(level, value)
        choices: list[tuple[bool, bool]] = []
        for first, level, value in reversed(saved):
            kernels.sweep(self._terms, window, edges[first], level, value, record)
            last = min(first + rows, len(edges) - 1)
            for i in range(last - 1, first - 1, -1):
                k, d, slot = at
                code = int(record[i - first, k % shape[0], d, slot])
                declared, missed = bool(code & 1), bool(code & 2)
                begins = (edges[i] - start) % self.required.period == 0
                at = (k - (declared and begins), code >> 3, code >> 2 & 1)
                choices.append((missed, declared))
        return choices[::-1]


def _edges(start: int, span: int, period: int, length: int) -> list[int]:
    ours = range(start, start + span + 1, length)
    theirs = range(start - start % period + period, start + span, period)
    return sorted({*ours, *theirs})


def _end_cell(level: IntArray, value: IntArray) -> tuple[int, int, int]:
    k = int(level.max())
    _, d, slot = np.argwhere((level == k)[:, :, None] & (value >= 0))[0]
    return k, int(d), int(slot)


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
