"""What the events of keeping do to a state."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cotenant.demand.task import Task
from cotenant.service.believed import sharpen
from cotenant.service.keeping.daybook import Day
from cotenant.service.keeping.history import moments
from cotenant.service.state import Data, Demand, State


def read(state: State, data: Data, known: Demand | None) -> None:
    """Take in readings of many tasks."""
    for reading in data["readings"]:
        name, cpu = reading["name"], reading["cpu"]
        held = state.held[name]
        demand = held.demand
        if isinstance(demand, Task):
            demand = sharpen(demand, {"cpu": cpu})
        held = replace(held, demand=demand, measured_at=state.at, feed_error=None)
        if state.kept is None:
            entry = state.machines[held.machine]
            changed = entry.changed  # as after any other measurement
            state.take(name)
            state.put(name, held)
            entry.changed = changed
        else:
            # What is replayed of it does not change before the night.
            state.held[name] = held
        note(state, name, cpu, reading)


def note(state: State, name: str, cpu: Sequence[float], timing: Data) -> None:
    """Put samples into the history of a task, if histories are kept."""
    if state.kept is None:
        return
    at, sample = moments(timing["start"], timing["step"], len(cpu))
    values = np.array(cpu)[sample]
    held_back = timing["throttled"]
    back = None if held_back is None else np.array(held_back)[sample]
    state.kept.history.note(name, at, values, back, state.kept.closed_for(name))


def night(state: State, data: Data, known: Demand | None) -> None:
    """End a day: what it was like is part of what is replayed from now on."""
    if state.kept is not None:
        one = replace(Day.from_dict(data["day"]), moves=state.kept.moved)
        state.kept.daybook = state.kept.daybook.with_day(one)
        state.kept.close(one.day)
        state.renew()


def shed(state: State, data: Data, known: Demand | None) -> None:
    """Note that a machine has used its allowance of today several times."""
    if state.kept is not None:
        state.kept.shed[data["machine"]] = data["times"]


def count_move(state: State, data: Data) -> None:
    """Count a move that the night or the guard made."""
    kept = state.kept
    if kept is not None and data.get("by") == "night":
        kept.daybook = kept.daybook.with_move()
    elif kept is not None and data.get("by") == "guard":
        kept.moved += 1


def exclude(state: State, data: Data, known: Demand | None) -> None:
    """Let a day not count, or let it count again."""
    kept = state.kept
    if kept is not None:
        kept.daybook = kept.daybook.with_excluded(data["day"], data["reason"])
