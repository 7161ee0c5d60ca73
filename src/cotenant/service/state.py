"""What is where: machines, tasks and reservations, changed by events only."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cotenant.demand.sla import Sla
from cotenant.demand.task import Task
from cotenant.service.answers import MachineView, Placed, TaskView
from cotenant.service.asked import MachineSpec, Settings, TaskSpec
from cotenant.service.believed import believe, sharpen
from cotenant.service.engine import SlaSide, UsageSide

Demand: TypeAlias = Task | Sla
Data: TypeAlias = Mapping[str, Any]

KEYS = 100_000
"""Idempotency keys remembered, the latest ones."""


@dataclass(slots=True)
class Entry:
    """A machine: its hosts, and what is on it by key, in the order it joined."""

    spec: MachineSpec
    hosts: range
    draining: bool = False
    changed: int = 0  # number of the last event that touched it


@dataclass(slots=True)
class Held:
    """A task or reservation on a host."""

    spec: TaskSpec
    demand: Demand
    machine: str
    host: int
    answer: Placed
    placed_at: float
    measured_at: float | None = None
    feed_error: str | None = None
    expires: float | None = None  # of a reservation


@dataclass(slots=True)
class State:
    """Everything the service knows; one thread owns it.

    `apply` does one event and is the only way to change anything, so that a state is a
    function of the settings and the events. Reservations are held under the key
    `pod_key(uid)`, tasks under their name.
    """

    settings: Settings
    machines: dict[str, Entry] = field(default_factory=dict)
    held: dict[str, Held] = field(default_factory=dict)
    answered: dict[str, tuple[str, list[Placed]]] = field(default_factory=dict)
    number: int = 0
    fleet_changed: int = 0  # number of the last event about machines
    usage: UsageSide = field(init=False)
    sla: SlaSide = field(init=False)

    def __post_init__(self) -> None:
        self.usage, self.sla = UsageSide(self.settings), SlaSide(self.settings)

    def apply(self, number: int, at: float, kind: str, data: Data) -> None:
        """Do one event."""
        self.number = number
        _DO[kind](self, at, data)

    def side(self, entry: Entry) -> UsageSide | SlaSide:
        """Return the engine of a machine."""
        return self.usage if entry.spec.kind == "usage" else self.sla

    def put(self, key: str, held: Held) -> None:
        """Put a demand on its host."""
        if isinstance(held.demand, Sla):
            self.sla.placer.put(key, held.host, held.demand)
        else:
            self.usage.placer.put(key, held.host, held.demand)
        self.held[key] = held
        self.machines[held.machine].changed = self.number

    def take(self, key: str) -> Held:
        """Take a demand off its host."""
        held = self.held.pop(key)
        entry = self.machines[held.machine]
        self.side(entry).placer.remove(key)
        entry.changed = self.number
        return held

    def on(self, entry: Entry) -> Iterable[str]:
        """Return the keys on a machine, host by host, in the order they joined."""
        placer = self.side(entry).placer
        return [key for host in entry.hosts for key in placer.tasks(host)]

    def task_view(self, name: str) -> TaskView:
        """Return a task as readers see it."""
        held = self.held[name]
        usage = held.demand.usage if isinstance(held.demand, Task) else {}
        return TaskView(
            held.spec,
            held.machine,
            {resource: u.mean for resource, u in usage.items()},
            held.answer.granted,
            held.placed_at,
            held.measured_at,
            held.feed_error,
            usage["cpu"].observations if usage else 0,
        )

    def machine_view(self, name: str) -> MachineView:
        """Return a machine as readers see it."""
        entry = self.machines[name]
        keys = list(self.on(entry))
        side, spec = self.side(entry), entry.spec
        overload = side.overload(entry.hosts[0])
        peak = sum(
            u.maximum
            for key in keys
            if isinstance(demand := self.held[key].demand, Task)
            and (u := demand.usage.get("memory")) is not None
        )
        limit = spec.capacity.get("memory")
        memory = None if limit is None else peak / limit
        over = overload is not None and overload > self.settings.rho
        return MachineView(
            name,
            spec.kind,
            spec.capacity,
            tuple(key for key in keys if not is_pod(key)),
            side.load(entry.hosts),
            overload,
            memory,
            over or (memory is not None and memory > 1.0 + 1e-12),
            entry.draining,
            sum(map(is_pod, keys)),
        )


def pod_key(uid: str) -> str:
    """Return the key of a reservation; no task can have it as a name."""
    return f"\0{uid}"


def is_pod(key: str) -> bool:
    """Say whether a key is that of a reservation."""
    return key.startswith("\0")


def demand_of(spec: TaskSpec) -> Demand:
    """Return the demand of a task that was not measured yet."""
    return believe(spec) if spec.sla is None else spec.sla


def _machine_added(state: State, at: float, data: Data) -> None:
    spec = MachineSpec.from_dict(data["machine"])
    side = state.usage if spec.kind == "usage" else state.sla
    state.machines[spec.name] = Entry(spec, side.declare(spec), changed=state.number)
    state.fleet_changed = state.number


def _machine_draining(state: State, at: float, data: Data) -> None:
    entry = state.machines[data["machine"]]
    entry.draining = True
    for host in entry.hosts:
        state.side(entry).placer.gate.close(host)
    state.fleet_changed = entry.changed = state.number


def _machine_removed(state: State, at: float, data: Data) -> None:
    entry = state.machines.pop(data["machine"])
    for host in entry.hosts:
        state.side(entry).placer.gate.close(host)
    state.fleet_changed = state.number


def _placed(state: State, at: float, data: Data) -> None:
    spec = TaskSpec.from_dict(data["task"])
    held = _held(state, spec, at, data, demand_of(spec))
    state.put(spec.name, held)
    if "key" in data:
        _answered(state, data["key"], data["digest"], held.answer)


def _changed(state: State, at: float, data: Data) -> None:
    spec = TaskSpec.from_dict(data["task"])
    before = state.take(spec.name)
    held = _held(state, spec, at, data, demand_of(spec))
    held.placed_at = before.placed_at
    state.put(spec.name, held)


def _moved(state: State, at: float, data: Data) -> None:
    held = state.take(data["name"])
    moved = _held(state, held.spec, at, data, held.demand)
    moved.placed_at, moved.measured_at = held.placed_at, held.measured_at
    moved.feed_error = held.feed_error
    state.put(data["name"], moved)


def _released(state: State, at: float, data: Data) -> None:
    state.take(data["name"])


def _measured(state: State, at: float, data: Data) -> None:
    held = state.take(data["name"])
    assert isinstance(held.demand, Task)
    held.demand = sharpen(held.demand, data["samples"])
    held.measured_at, held.feed_error = at, None
    state.put(data["name"], held)


def _unmeasured(state: State, at: float, data: Data) -> None:
    state.held[data["name"]].feed_error = data["error"]


def _reserved(state: State, at: float, data: Data) -> None:
    spec = TaskSpec.from_dict(data["task"])
    held = _held(state, spec, at, data, demand_of(spec))
    held.expires = data["expires"]
    state.put(pod_key(data["uid"]), held)


def _unreserved(state: State, at: float, data: Data) -> None:
    state.take(pod_key(data["uid"]))


def _held(state: State, spec: TaskSpec, at: float, data: Data, demand: Demand) -> Held:
    entry = state.machines[data["machine"]]
    granted = data.get("granted")
    answer = Placed(spec.name, data["machine"], data["overload"], granted=granted)
    if granted is not None:
        demand = Sla.parse(granted)
    elif isinstance(demand, Sla):
        demand = Sla(demand.budget, demand.period)
    host = entry.hosts[data.get("core", 0)]
    return Held(spec, demand, data["machine"], host, answer, at)


def _answered(state: State, key: str, digest: str, answer: Placed) -> None:
    state.answered.setdefault(key, (digest, []))[1].append(answer)
    if len(state.answered) > KEYS:
        del state.answered[next(iter(state.answered))]


_DO = {
    "machine_added": _machine_added,
    "machine_draining": _machine_draining,
    "machine_removed": _machine_removed,
    "placed": _placed,
    "changed": _changed,
    "moved": _moved,
    "released": _released,
    "measured": _measured,
    "unmeasured": _unmeasured,
    "reserved": _reserved,
    "unreserved": _unreserved,
}
