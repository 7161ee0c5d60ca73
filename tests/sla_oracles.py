"""Slow and obvious answers about periodic SLAs: definitions, scans, all schedules."""

import math
from collections.abc import Sequence

import numpy as np

from cotenant.arrays import IntArray
from cotenant.demand.adversary import Phase
from cotenant.demand.schedule import Window
from cotenant.demand.sla import Sla

_UNLIMITED = 1 << 62


def kept(
    slots: Sequence[bool], sla: Sla, window: Window = "aligned", origin: int = 0
) -> bool:
    """Judge every window that the slots hold as a whole, by Definitions 3 and 7."""
    periods = (len(slots) - origin) // sla.period
    starts = [origin + i * sla.period for i in range(periods)]
    missed = [sum(slots[a : a + sla.period]) < sla.budget for a in starts]
    step = sla.window if window == "aligned" else 1
    windows = range(0, periods - sla.window + 1, step)
    return all(sum(missed[i : i + sla.window]) <= sla.misses for i in windows)


def least_by_offsets(budget: int, period: int, length: int, step: int) -> int:
    """Try every start of an interval; add what each period must give inside it."""
    least = length
    for start in range(0, period, step):
        given = 0
        for first in range(0, start + length, period):
            inside = min(first + period, start + length) - max(first, start)
            given += max(0, budget - (period - max(inside, 0)))
        least = min(least, given)
    return least


def starts_of(offered: Sla, required: Sla, window: Window, phase: Phase) -> range:
    """Return where windows of `required` start in one cycle of `offered`."""
    cycle = offered.period * offered.window
    grid = required.period * (required.window if window == "aligned" else 1)
    return range(0, cycle, 1 if phase == "any" else math.gcd(cycle, grid))


def horizon(offered: Sla, required: Sla, window: Window, phase: Phase) -> int:
    """Return the slots in which every relation of the two grids occurs."""
    cycle, span = offered.period * offered.window, required.period * required.window
    last = cycle - 1
    if phase == "aligned":
        grid = span if window == "aligned" else required.period
        last = math.lcm(cycle, grid) - grid
    return -(-(last + span) // cycle) * cycle


def worst_by_enumeration(
    offered: Sla,
    required: Sla,
    window: Window = "aligned",
    phase: Phase = "aligned",
    offered_window: Window = "aligned",
) -> int:
    """Go through all schedules of the horizon; count the misses of every window."""
    slots = horizon(offered, required, window, phase)
    schedules = np.arange(1 << slots, dtype=np.int64)
    theirs = _missed(schedules, offered, range(0, slots, offered.period))
    step = offered.window if offered_window == "aligned" else 1
    for first in range(0, len(theirs) - offered.window + 1, step):
        few = theirs[first : first + offered.window].sum(axis=0) <= offered.misses
        schedules, theirs = schedules[few], theirs[:, few]
    span = required.period * required.window
    step = 1 if phase == "any" else required.period
    if phase == "aligned" and window == "aligned":
        step = span
    worst = 0
    for start in range(0, slots - span + 1, step):
        periods = range(start, start + span, required.period)
        ours = _missed(schedules, required, periods)
        worst = max(worst, int(ours.sum(axis=0).max()))
    return worst


def _missed(schedules: IntArray, sla: Sla, starts: range) -> np.ndarray:
    mask = (1 << sla.period) - 1
    got = [np.bitwise_count(schedules >> start & mask) for start in starts]
    return np.array(got) < sla.budget


def worst_by_tables(offered: Sla, required: Sla, starts: Sequence[int]) -> int:
    """Run the dynamic program over plain sets of states, nothing left out."""
    return max(_worst_window(offered, required, start) for start in starts)


def _worst_window(offered: Sla, required: Sla, start: int) -> int:
    period, length = offered.period, required.period
    cap = required.budget - 1
    owed = max(0, offered.budget - start % period)
    states = {(0, 0, owed, _UNLIMITED), (1, 0, owed, cap)}
    if offered.misses:
        states |= {(0, 1, 0, _UNLIMITED), (1, 1, 0, cap)}
    position, end = start, start + required.window * length
    while True:
        theirs = position - position % period + period
        ours = position - (position - start) % length + length
        here = min(theirs, ours)
        states = _granted(states, here - position, theirs - here)
        if here == end:
            return max(declared for declared, *_ in states)
        if here == theirs:
            fresh = here % (period * offered.window) == 0
            states = {(k, 0 if fresh else d, _, room) for k, d, _, room in states}
            missed = {(k, d + 1, 0, room) for k, d, _, room in states}
            states = {(k, d, offered.budget, room) for k, d, _, room in states}
            states |= {state for state in missed if state[1] <= offered.misses}
        if here == ours:
            states = {(k, d, owed, _UNLIMITED) for k, d, owed, _ in states} | {
                (k + 1, d, owed, cap) for k, d, owed, _ in states
            }
        states = _best(states)
        position = here


def _granted(
    states: set[tuple[int, int, int, int]], span: int, left: int
) -> set[tuple[int, int, int, int]]:
    moved = set()
    for declared, misses, owed, room in states:
        granted = min(owed, span, room)
        if owed - granted <= left:
            moved.add((declared, misses, owed - granted, room - granted))
    return moved


def _best(
    states: set[tuple[int, int, int, int]],
) -> set[tuple[int, int, int, int]]:
    """Drop who owes no less and has no more room than another of the same counts."""
    kept: dict[tuple[int, int], list[tuple[int, int]]] = {}
    order = sorted(states, key=lambda s: (s[0], s[1], s[2], -s[3]))
    for declared, misses, owed, room in order:
        pairs = kept.setdefault((declared, misses), [])
        if not pairs or room > pairs[-1][1]:
            pairs.append((owed, room))
    return {(*key, *pair) for key, pairs in kept.items() for pair in pairs}
