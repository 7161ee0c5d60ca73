"""Works out moves that keep promises, empty draining machines, and save machines."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from cotenant.demand.sla import Sla
from cotenant.demand.task import Task
from cotenant.service.asked import Kind, Settings
from cotenant.service.snapshot import Picture
from cotenant.service.state import Entry, Held, State, is_pod
from cotenant.service.views import machine_view

TIGHTER = 0.9
"""Moved tasks must fit as if rho were this much smaller: what moves, stays."""

LOOSER = 1.1
"""A machine is relieved when its overload is this many times rho, not at a hair."""

LIGHT = 0.3
"""Machines are emptied to save them only if no more of their capacity has to move."""

FULL = 1.0 + 1e-12

Unit: TypeAlias = Literal["overload", "machines"]


@dataclass(frozen=True, slots=True)
class Step:
    """One move as worked out.

    Parameters
    ----------
    target
        Machine, core, and the SLA granted there, as events carry them.
    gain, unit
        As in `Move`.
    """

    task: str
    source: str
    target: dict[str, Any]
    cost: float
    gain: float
    unit: Unit
    reason: str


def copy_state(
    picture: Picture, settings: Settings, only: Collection[str] | None = None
) -> State:
    """Return a state of its own, started, of some machines or all."""
    state = State(settings)
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
    strict = replace(settings, rho=TIGHTER * settings.rho)
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


def _until_still(passes: "Passes") -> dict[str, Step]:
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


@dataclass(slots=True)
class Passes:
    """Moves on a state whose rho is tighter than the promised one."""

    state: State
    rho: float
    _avoided: set[str] = field(default_factory=set)

    def run(self) -> Iterator[Step]:
        """Make one pass over all machines."""
        names = list(self.state.machines)
        self._avoided = {name for name in names if self._broken(name)}
        for name in names:
            if name in self._avoided:
                yield from self._relieve(name)
        for name in names:
            if self.state.machines[name].draining:
                yield from self._drain(name)
        for name in sorted(names, key=self._load):
            if self._load(name) > LIGHT:
                return
            yield from self._save(name)

    def _load(self, name: str) -> float:
        entry = self.state.machines[name]
        return self.state.side(entry.spec.kind).load(entry.hosts)

    def _strain(self, name: str, without: str | None = None) -> tuple[float, float]:
        """Return overload and share of memory, as if a task were not there."""
        entry, state = self.state.machines[name], self.state
        side = state.side(entry.spec.kind)
        with nullcontext() if without is None else state.without(without):
            overload = side.overload(entry.hosts[0]) or 0.0
        limit = entry.spec.capacity.get("memory", float("inf"))
        keys = [key for key in entry.keys if key != without]
        return overload, sum(_memory(state.held[key]) for key in keys) / limit

    def _keeps(self, name: str, without: str | None = None) -> bool:
        overload, memory = self._strain(name, without)
        return overload <= self.state.settings.rho and memory <= FULL

    def _broken(self, name: str) -> bool:
        overload, memory = self._strain(name)
        return overload > LOOSER * self.rho or memory > FULL

    def _relieve(self, name: str) -> Iterator[Step]:
        """Move what costs least until the machine keeps its promise."""
        while not self._keeps(name):
            before, memory = self._strain(name)
            trials = []
            for task in self._tasks(name):
                after, left = self._strain(name, task)
                short = max(after - self.rho, 0.0) + max(left - FULL, 0.0)
                enough = self._keeps(name, task)
                trials.append((not enough, short, _mean(self._held(task)), task))
            moved = next(
                (
                    task
                    for *_, task in sorted(trials)
                    if self._move_elsewhere(task, {name} | self._avoided, None)
                ),
                None,
            )
            if moved is None:
                return
            now, left = self._strain(name)
            reason = (
                f"{name} is above its promise: {_percent(before)} % of "
                f"{_percent(self.rho)} %; without {moved} it is {_percent(now)} %"
            )
            if memory > FULL:
                reason = (
                    f"{name} is out of memory: {_percent(memory)} %; "
                    f"without {moved} it is {_percent(left)} %"
                )
            yield self._step(moved, name, before - now, "overload", reason)

    def _drain(self, name: str) -> Iterator[Step]:
        tasks = self._tasks(name)
        for task in tasks:
            if self._move_elsewhere(task, {name} | self._avoided, None):
                gain = 1.0 / len(tasks)
                yield self._step(task, name, gain, "machines", f"{name} is draining")

    def _save(self, name: str) -> list[Step]:
        """Empty a light machine into others in use, or leave it as it was."""
        entry, load = self.state.machines[name], self._load(name)
        tasks = self._tasks(name)
        if not tasks or len(tasks) < len(entry.keys) or entry.draining:
            return []
        used = {n for n, other in self.state.machines.items() if other.keys}
        before = {task: self._held(task) for task in tasks}
        for task in sorted(tasks, key=lambda task: -_mean(before[task])):
            if not self._move_elsewhere(task, {name} | self._avoided, used):
                # All leave and come back, so that the order is what it was.
                for other in tasks:
                    self.state.take(other)
                for other in tasks:
                    self.state.put(other, before[other])
                return []
        count = "its task" if len(tasks) == 1 else f"its {len(tasks):,} tasks"
        reason = (
            f"empties {name}: {count}, {100 * load:.3g} % load, fit on machines in use"
        )
        gain = 1.0 / len(tasks)
        return [self._step(task, name, gain, "machines", reason) for task in tasks]

    def _move_elsewhere(
        self, task: str, avoid: Collection[str], among: Collection[str] | None
    ) -> bool:
        """Move a task to a machine that keeps its promise with it, if there is one."""
        held = self._held(task)
        kind: Kind = "usage" if held.asked is None else "sla"
        hosts = [
            host
            for name, entry in self.state.machines.items()
            if name not in avoid
            and entry.spec.kind == kind
            and (among is None or name in among)
            for host in entry.hosts
        ]
        chosen = self.state.side(kind).choose(held.asked or held.demand, hosts)
        if chosen is None:
            return False
        machine, core = self.state.where(kind, chosen[0])
        self.state.take(task)
        moved = replace(held, machine=machine, core=core, demand=chosen[1])
        self.state.put(task, moved)
        if self._keeps(machine):
            return True
        # A method that is not exact may admit what breaks the promise.
        self.state.take(task)
        self.state.put(task, held)
        return False

    def _step(
        self, task: str, source: str, gain: float, unit: Unit, reason: str
    ) -> Step:
        held = self._held(task)
        target: dict[str, Any] = {"machine": held.machine}
        if held.asked is not None:
            target |= {"core": held.core, "granted": held.granted}
        return Step(task, source, target, _mean(held), gain, unit, reason)

    def _held(self, task: str) -> Held:
        return self.state.held[task]

    def _tasks(self, name: str) -> list[str]:
        return [key for key in self.state.machines[name].keys if not is_pod(key)]


def _mean(held: Held) -> float:
    if isinstance(held.demand, Task):
        return held.demand.usage["cpu"].mean
    return held.demand.utilization


def _memory(held: Held) -> float:
    usage = held.demand.usage if isinstance(held.demand, Task) else {}
    return usage["memory"].maximum if "memory" in usage else 0.0


def _percent(overload: float) -> str:
    return f"{100 * overload:.3g}"
