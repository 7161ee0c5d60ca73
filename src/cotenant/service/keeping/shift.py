"""Moves that were worked out on a picture, and made on the state if they still hold."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from cotenant.demand.task import Task
from cotenant.service.desk import Desk
from cotenant.service.keeping.side import ReplaySide
from cotenant.service.state import Held, State, is_pod


@dataclass(frozen=True, slots=True)
class Shift:
    """One move, and why."""

    task: str
    source: str
    target: str
    reason: str


def make(
    desk: Desk, shifts: Sequence[Shift], version: int, by: Literal["night", "guard"]
) -> None:
    """Make moves that still make sense.

    A task that is gone, or elsewhere, stays as it is. Where a target has changed since,
    the task goes to another machine that takes it; if none does it stays.

    Parameters
    ----------
    version
        Number of the last event the moves know.
    """
    state = desk.state
    unchanged = {
        name for name, entry in state.machines.items() if entry.changed <= version
    }
    for shift in shifts:
        held = state.held.get(shift.task)
        if held is None or held.machine != shift.source:
            continue
        target = shift.target
        if target not in unchanged:
            found = choose(state, held, {shift.source})
            if found is None:
                continue
            target = found
        words = f"moved {shift.task} from {shift.source} to {target}: {shift.reason}"
        data = {"name": shift.task, "moved_from": shift.source, "machine": target}
        data |= {"by": by, "reason": shift.reason}
        desk.put("moved", words, shift.task, data)
    for source in dict.fromkeys(shift.source for shift in shifts):
        if source in state.machines:
            desk.leave_if_empty(source)


def choose(
    state: State,
    held: Held,
    avoid: Collection[str],
    among: Collection[str] | None = None,
) -> str | None:
    """Return the machine the rule picks for a task, None if none takes it.

    Parameters
    ----------
    among
        Names to choose from; None for all.
    """
    hosts = [
        entry.hosts[0]
        for name, entry in state.machines.items()
        if entry.spec.kind == "usage"
        and name not in avoid
        and (among is None or name in among)
    ]
    chosen = state.side("usage").choose(held.demand, hosts)
    return None if chosen is None else state.where("usage", chosen[0])[0]


def place(state: State, held: Held, machine: str) -> None:
    """Put a task that was taken off on a machine."""
    state.put(held.name, replace(held, machine=machine))


def machines(state: State) -> dict[str, int]:
    """Return the hosts of machines that take random usage, by name."""
    return {
        name: entry.hosts[0]
        for name, entry in state.machines.items()
        if entry.spec.kind == "usage"
    }


def tasks(state: State, machine: str) -> list[str]:
    """Return the tasks on a machine, reservations left out."""
    return [key for key in state.machines[machine].keys if not is_pod(key)]


def side_of(state: State) -> ReplaySide:
    """Return the engine of tasks whose days are replayed."""
    side = state.side("usage")
    assert isinstance(side, ReplaySide)
    return side


def demand_of(held: Held) -> Task:
    """Return the random usage of a task."""
    assert isinstance(held.demand, Task)
    return held.demand
