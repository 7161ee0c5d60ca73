"""Decisions about machines whose capacity changes while tasks are on them."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cotenant.demand.task import Task
from cotenant.errors import Conflict, NothingFits
from cotenant.service.answers import MachineView, Relocated, Resized
from cotenant.service.asked import MachineSpec
from cotenant.service.desk import Desk
from cotenant.service.state import Entry, State, is_pod
from cotenant.service.views import machine_view
from cotenant.service.words import percent


@dataclass(frozen=True, slots=True)
class Leave:
    """A task that has to leave, where it goes, and why."""

    task: str
    target: dict[str, Any]
    reason: str


def resize(
    desk: Desk, name: str, capacity: Mapping[str, float], stay: bool = False
) -> Resized:
    """Change what a machine offers; what no longer fits moves, or all stays as it was.

    Parameters
    ----------
    stay
        Leave tasks with random usage where they are, whatever the machine then risks.
    """
    entry = desk.machine(name)
    spec = MachineSpec(name, dict(capacity), entry.spec.kind)
    if spec == entry.spec:
        return Resized(machine_view(desk.state, name), ())
    if entry.draining:
        raise Conflict(f"machine {name!r} is draining; its capacity no longer matters")
    leaves = [] if stay and spec.kind == "usage" else _find_room(desk, entry, spec)
    for leave in leaves:
        facts = {"name": leave.task, "moved_from": name, "reason": leave.reason}
        words = f"moved {leave.task} from {name} to {leave.target['machine']}"
        words = f"{words}: {leave.reason}"
        desk.put("moved", words, leave.task, facts | leave.target)
    words = f"changed capacity of {name} from {_words(entry.spec)} to {_words(spec)}"
    desk.do("machine_resized", words, {"machine": spec.to_dict()})
    moved = [Relocated(one.task, one.target["machine"], one.reason) for one in leaves]
    return Resized(machine_view(desk.state, name), tuple(moved))


def _find_room(desk: Desk, entry: Entry, spec: MachineSpec) -> list[Leave]:
    """Find where each task that has to leave can go, all of them together.

    Raises
    ------
    NothingFits
        If there is no room for one of them.
    """
    state, side = desk.state, desk.state.side(spec.kind)
    keeping = range(0) if spec.kind == "usage" else entry.hosts[: _cores(spec)]
    others = [
        host
        for other in state.machines.values()
        if other.spec.kind == spec.kind
        for host in (keeping if other is entry else other.hosts)
    ]
    found: list[Leave] = []
    supposed: list[str] = []
    try:
        for task, reason in _leaving(desk, entry, spec):
            held = state.held[task]
            chosen = side.choose(held.asked or held.demand, others)
            if chosen is None:
                raise _refusal(desk, task, spec.name, reason)
            machine, core = state.where(spec.kind, chosen[0])
            target: dict[str, Any] = {"machine": machine}
            if spec.kind == "sla":
                target |= {"core": core, "granted": str(chosen[1])}
            found.append(Leave(task, target, reason))
            key = f"\0\0{task}"  # while the next one looks for room
            side.put(key, *chosen)
            supposed.append(key)
    finally:
        for key in reversed(supposed):
            side.remove(key)
    return found


def _leaving(desk: Desk, entry: Entry, spec: MachineSpec) -> Iterator[tuple[str, str]]:
    """Yield tasks that have to leave: those of cores that go, else few and light ones.

    Raises
    ------
    Conflict
        If room that is held for pods would not fit.
    """
    shrinks = f"{spec.name} shrinks to {_words(spec)}"
    if spec.kind == "sla":
        for key in entry.keys:
            if desk.state.held[key].core >= _cores(spec):
                yield _movable(key, spec), shrinks
        return
    staying = dict(entry.keys)
    while (view := _alone(desk, spec, staying)).over_promise:
        tasks = sorted(staying, key=lambda key: (not is_pod(key), _mean(desk, key)))

        def enough(key: str, staying: dict[str, None] = staying) -> bool:
            rest = [other for other in staying if other != key]
            return not is_pod(key) and not _alone(desk, spec, rest).over_promise

        # The lightest that is enough by itself; where none is, the heaviest.
        first = bisect_left(tasks, True, key=enough)
        task = _movable(tasks[min(first, len(tasks) - 1)], spec)
        del staying[task]
        yield task, f"{shrinks} and would be {_excess(view)}"


def _movable(key: str, spec: MachineSpec) -> str:
    if is_pod(key):
        raise Conflict(
            f"machine {spec.name!r} has room held for a pod that would not fit "
            f"{_words(spec)}; change it once the pod is bound"
        )
    return key


def _alone(desk: Desk, spec: MachineSpec, keys: Iterable[str]) -> MachineView:
    """Return how a machine would be seen with some of what is held, in order."""
    state = State(desk.state.settings, desk.state.kept)
    state.machines[spec.name] = Entry(spec, keys=dict.fromkeys(keys))
    state.held = {key: desk.state.held[key] for key in keys}
    return machine_view(state.start(), spec.name)


def _refusal(desk: Desk, task: str, machine: str, reason: str) -> NothingFits:
    """Say that a task that has to leave has nowhere to go."""
    why = f"{task} would have to leave, and no other machine takes it: {reason}"
    return NothingFits(task, "machines", why, {machine: reason})


def _mean(desk: Desk, key: str) -> float:
    demand = desk.state.held[key].demand
    return demand.usage["cpu"].mean if isinstance(demand, Task) else demand.utilization


def _excess(view: MachineView) -> str:
    if view.memory is not None and view.memory > 1.0:
        return f"out of memory: {percent(view.memory)}"
    return f"above its promise: {percent(view.overload or 0.0)}"


def _cores(spec: MachineSpec) -> int:
    return int(spec.capacity["cpu"])


def _words(spec: MachineSpec) -> str:
    """Say a capacity: ``cpu 4, memory 1.6e+10``."""
    return ", ".join(f"{what} {amount:g}" for what, amount in spec.capacity.items())
