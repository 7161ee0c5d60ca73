"""Works out moves on a copy of the state until there is nothing more to gain."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cotenant.demand.sla import Sla
from cotenant.service.asked import Settings
from cotenant.service.passes import Passes, Step
from cotenant.service.picture import Picture
from cotenant.service.state import Entry, Held, State
from cotenant.service.views import machine_view

TIGHTER = 0.9
"""Moved tasks must fit as if rho were this much smaller: what moves, stays."""


def copy_state(
    picture: Picture, settings: Settings, only: Collection[str] | None = None
) -> State:
    """Return a state of its own, started, of some machines or all."""
    kept = None if picture.kept is None else picture.kept.copy()
    state = State(settings, kept)
    state.number, state.at = picture.number, picture.at
    for spec, draining, changed, keys in picture.machines:
        if only is None or spec.name in only:
            entry = Entry(spec, keys=dict.fromkeys(keys), draining=draining)
            entry.changed = changed
            state.machines[spec.name] = entry
            state.held.update((key, picture.held[key]) for key in keys)
    return state.start()


@dataclass(frozen=True, slots=True)
class Worked:
    """Moves as worked out, and the facts of the fleet before and after them."""

    steps: list[Step]
    before: dict[str, float]
    after: dict[str, float]


def plan_moves(picture: Picture, settings: Settings) -> Worked:
    """Work out moves after which there is nothing more to gain.

    Passes over a copy of the state repeat until one moves nothing. What they did is
    then made once more from the start, each task in one move, and checked the same way,
    so that a second plan made after this one has nothing left to propose.
    """
    picture, strict = (
        picture.with_today(),
        replace(settings, rho=TIGHTER * settings.rho),
    )
    found: dict[str, Step] = {}
    before: dict[str, float] = {}
    while True:
        copy = copy_state(picture, strict)
        before = before or facts(copy, settings.rho)
        move_all(copy, list(found.values()))
        after = facts(copy, settings.rho)
        more = _until_still(Passes(copy, settings.rho))
        if not more:
            return Worked(list(found.values()), before, after)
        for task, step in more.items():
            source = picture.held[task].machine
            found.pop(task, None)
            if step.target["machine"] != source:
                found[task] = replace(step, source=source)


def move_all(state: State, steps: Sequence[Step]) -> None:
    """Make moves: all tasks leave before any joins."""
    held = {step.task: state.take(step.task) for step in steps}
    for step in steps:
        state.put(step.task, moved_to(held[step.task], step.target))


def facts(state: State, rho: float) -> dict[str, float]:
    """Return what a plan is told by, before and after."""
    views = [machine_view(state, name) for name in state.machines]
    overloads = [v.overload for v in views if v.overload is not None]
    return {
        "machines": len(views),
        "machines_in_use": sum(bool(v.tasks or v.reserved) for v in views),
        "over_promise": sum((v.overload or 0.0) > rho for v in views),
        "worst_overload": max(overloads, default=0.0),
    }


def _until_still(passes: Passes) -> dict[str, Step]:
    moved: dict[str, Step] = {}
    while fresh := list(passes.run()):
        for step in fresh:
            moved.pop(step.task, None)
            moved[step.task] = step
    return moved


def moved_to(held: Held, target: dict[str, Any]) -> Held:
    """Return a held demand at the target of a step."""
    granted = target.get("granted")
    demand = held.demand if granted is None else Sla.parse(granted)
    core = target.get("core", 0)
    return replace(held, machine=target["machine"], core=core, demand=demand)
