"""The most misses where those of the offered SLA count in every run of its periods.

A schedule that keeps an SLA in every run also keeps it in windows one after the other,
so what `Adversary` calls safe is safe here too. This answers the converse, in plain
Python: its states remember which of the last periods were missed, and their number
grows with the binomial of window and misses.
"""

import math
from collections.abc import Iterator

from cotenant.demand.adversary import Phase
from cotenant.demand.schedule import Window
from cotenant.demand.sla import Sla

_NO_CAP = 1 << 62

# Declared misses and the offered periods missed lately; what is owed, and the room.
_Key = tuple[int, tuple[int, ...]]
_States = dict[_Key, set[tuple[int, int]]]


def most_misses(offered: Sla, required: Sla, window: Window, phase: Phase) -> int:
    """Return the most periods of one window of `required` that can be missed.

    `window` and `phase` are those of `rewrite.is_safe`, for `required`.
    """
    grid = required.period * (required.window if window == "aligned" else 1)
    step = 1 if phase == "any" else math.gcd(offered.period, grid)
    starts = range(0, offered.period, step)
    return max(_window(offered, required, start) for start in starts)


def _window(offered: Sla, required: Sla, start: int) -> int:
    period, length = offered.period, required.period
    end = start + required.window * length
    states = _first(offered, required, start)
    position = start
    while True:
        next_offered = position - position % period + period
        next_required = position - (position - start) % length + length
        here = min(next_offered, next_required)
        states = _granted(states, here - position, next_offered - here)
        if here == end:
            return max(declared for declared, _ in states)
        if here == next_offered:
            states = _collect(_offers(states, offered, here // period))
        if here == next_required:
            states = _collect(_declares(states, required.budget))
        position = here


def _first(offered: Sla, required: Sla, start: int) -> _States:
    owed = max(0, offered.budget - start % offered.period)
    states: _States = {(0, ()): {(owed, _NO_CAP)}}
    if offered.misses:
        states[0, (start // offered.period,)] = {(0, _NO_CAP)}
    return _collect(_declares(states, required.budget))


def _granted(states: _States, span: int, left: int) -> _States:
    def moved() -> Iterator[tuple[_Key, tuple[int, int]]]:
        for key, pairs in states.items():
            for owed, room in pairs:
                granted = min(owed, span, room)
                if owed - granted <= left:
                    yield key, (owed - granted, room - granted)

    return _collect(moved())


def _offers(
    states: _States, offered: Sla, index: int
) -> Iterator[tuple[_Key, tuple[int, int]]]:
    for (declared, missed), pairs in states.items():
        recent = tuple(i for i in missed if i > index - offered.window)
        for _, room in pairs:
            yield (declared, recent), (offered.budget, room)
            if len(recent) < offered.misses:
                yield (declared, (*recent, index)), (0, room)


def _declares(states: _States, budget: int) -> Iterator[tuple[_Key, tuple[int, int]]]:
    for (declared, missed), pairs in states.items():
        for owed, _ in pairs:
            yield (declared, missed), (owed, _NO_CAP)
            yield (declared + 1, missed), (owed, budget - 1)


def _collect(reached: Iterator[tuple[_Key, tuple[int, int]]]) -> _States:
    """Keep, for each key, the pairs that owe less or have more room than all others."""
    gathered: _States = {}
    for key, pair in reached:
        gathered.setdefault(key, set()).add(pair)
    for key, pairs in gathered.items():
        best, kept = -1, set()
        for owed, room in sorted(pairs, key=lambda pair: (pair[0], -pair[1])):
            if room > best:
                best = room
                kept.add((owed, room))
        gathered[key] = kept
    return gathered
