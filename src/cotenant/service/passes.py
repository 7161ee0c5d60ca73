"""One pass over a fleet: relieve machines, empty those that drain, save light ones."""

from collections.abc import Collection, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from cotenant.demand.task import Task
from cotenant.service.state import Held, State, is_pod
from cotenant.service.words import percent

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
                f"{name} is above its promise: {percent(before)} of "
                f"{percent(self.rho)}; without {moved} it is {percent(now)}"
            )
            if memory > FULL:
                reason = (
                    f"{name} is out of memory: {percent(memory)}; "
                    f"without {moved} it is {percent(left)}"
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
        kind: Literal["usage", "sla"] = "usage" if held.asked is None else "sla"
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
