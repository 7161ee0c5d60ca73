"""What is where: machines, tasks and reservations, changed by events only."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from cotenant.colocate.margin import MarginRule
from cotenant.demand.sla import Sla
from cotenant.demand.task import Task
from cotenant.service.answers import Placed
from cotenant.service.asked import Kind, MachineSpec, Settings, TaskSpec
from cotenant.service.believed import believe
from cotenant.service.keeping.kept import Kept
from cotenant.service.keeping.side import ReplaySide
from cotenant.service.side import Side
from cotenant.service.sla_side import SlaSide
from cotenant.service.usage_side import UsageSide

MOST_RETIRED = 256
"""Hosts of machines that have left are kept up to this number, or that of all others:
closing one is quick, and an engine without them takes as long to make as a start."""

Demand: TypeAlias = Task | Sla
Data: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Held:
    """A task or a reservation on a machine.

    Parameters
    ----------
    name
        Of the task.
    digest
        Of what was asked; equal requests have equal digests.
    asked
        The SLA as it was asked for; None for random usage.
    demand
        What counts on the machine: usage as it is believed now, or the SLA granted.
    core
        Which host of the machine, from 0.
    expires
        When a reservation ends; None for a task.
    """

    name: str
    digest: str
    asked: Sla | None
    demand: Demand
    machine: str
    core: int
    overload: float | None
    placed_at: float
    measured_at: float | None = None
    feed_error: str | None = None
    expires: float | None = None

    @property
    def granted(self) -> str | None:
        """The SLA that is given, as text."""
        return None if self.asked is None else str(self.demand)

    def answer(self, *, repeated: bool = False) -> Placed:
        """Return what the asker is told."""
        return Placed(self.name, self.machine, self.overload, repeated, self.granted)


@dataclass(slots=True)
class Entry:
    """A machine of the fleet.

    Parameters
    ----------
    hosts
        Numbers of its hosts on its side of the engine; empty until the state is live.
    keys
        What is on it, in the order it joined.
    changed
        Number of the last event that touched it.
    """

    spec: MachineSpec
    hosts: range = range(0)
    keys: dict[str, None] = field(default_factory=dict)
    draining: bool = False
    changed: int = 0


class State:
    """Everything the service knows, a function of its settings and the events.

    Events are applied by `applying.apply`, and nothing else changes it. Tasks are held
    under their name, reservations under `pod_key(uid)`. Until `start`, only the books
    are kept, which is quick; from then on the engine answers, bit for bit as if it had
    been there from the first event.

    Parameters
    ----------
    kept
        What keeping the promise tomorrow rests on; None for a new one, where that is
        what was promised.
    """

    def __init__(self, settings: Settings, kept: Kept | None = None) -> None:
        self.settings = settings
        self.kept = kept
        if kept is None and settings.promise == "tomorrow":
            cautious = settings.conservative
            self.kept = Kept(MarginRule.cautious() if cautious else MarginRule())
        self.machines: dict[str, Entry] = {}
        self.held: dict[str, Held] = {}
        self.pods: dict[str, float] = {}  # when reservations expire
        self.answered: dict[str, tuple[str, tuple[Placed, ...]]] = {}
        self.plans: dict[str, dict[str, Any]] = {}  # proposed repackings
        self.number = 0
        self.at = 0.0
        self.fleet_changed = 0  # number of the last event about machines
        self.live = False
        self._sides: dict[Kind, Side[Any]] = {
            "usage": self._usage_side(),
            "sla": SlaSide(settings),
        }
        self._hosts: dict[Kind, list[tuple[str, int]]] = {"usage": [], "sla": []}
        self._retired: dict[Kind, int] = {"usage": 0, "sla": 0}

    def start(self) -> "State":
        """Put everything held on the engine."""
        self._sides["usage"] = self._usage_side()
        for entry in self.machines.values():
            self._declare(entry)
        self.live = True
        for side in self._sides.values():
            side.fill(self._held_on(side))
        return self

    def renew(self) -> None:
        """Put tasks with random usage on an engine that knows the days to replay."""
        if self.live:
            self._renew("usage")

    def _renew(self, kind: Kind) -> None:
        usage = kind == "usage"
        side: Side[Any] = self._usage_side() if usage else SlaSide(self.settings)
        self._sides[kind], self._hosts[kind], self._retired[kind] = side, [], 0
        for entry in self.machines.values():
            if entry.spec.kind == kind:
                self._declare(entry)
        side.fill(self._held_on(side))

    def side(self, kind: Kind) -> Side[Any]:
        """Return the engine of machines of a kind."""
        return self._sides[kind]

    def host(self, held: Held) -> int:
        """Return the number of the host that a demand is on."""
        return self.machines[held.machine].hosts[held.core]

    def where(self, kind: Kind, host: int) -> tuple[str, int]:
        """Return machine and core of a host."""
        return self._hosts[kind][host]

    def add(self, spec: MachineSpec) -> None:
        """Add an empty machine."""
        entry = self.machines[spec.name] = Entry(spec, changed=self.number)
        if self.live:
            self._declare(entry)

    def close(self, entry: Entry) -> None:
        """Let a machine take no more tasks."""
        entry.draining = True
        if self.live:
            self.side(entry.spec.kind).close(entry.hosts)

    def remove(self, name: str) -> None:
        """Let an empty machine leave."""
        self._retire(self.machines.pop(name))

    def resize(self, spec: MachineSpec) -> None:
        """Change the capacity of a machine, which then counts as the latest added."""
        entry = self.machines.pop(spec.name)
        if self.live:
            for key in entry.keys:
                self.side(spec.kind).remove(key)
        self._retire(entry)
        entry = Entry(spec, keys=entry.keys, changed=self.number)
        self.machines[spec.name] = entry
        if self.live:
            self._declare(entry)
            for key in entry.keys:
                held = self.held[key]
                host = entry.hosts[held.core]
                self.side(spec.kind).put(key, host, held.demand)

    def put(self, key: str, held: Held) -> None:
        """Put a demand on its machine."""
        entry = self.machines[held.machine]
        self.held[key] = held
        entry.keys[key] = None
        entry.changed = self.number
        if held.expires is not None:
            self.pods[key] = held.expires
        elif self.kept is not None and isinstance(held.demand, Task):
            self.kept.joined(held.demand, held.digest, held.machine)
        if self.live:
            self.side(entry.spec.kind).put(key, entry.hosts[held.core], held.demand)

    def take(self, key: str) -> Held:
        """Take a demand off its machine."""
        held = self.held.pop(key)
        entry = self.machines[held.machine]
        del entry.keys[key]
        entry.changed = self.number
        expires = self.pods.pop(key, None)
        if self.kept is not None and isinstance(held.demand, Task) and expires is None:
            self.kept.left(key)
        if self.live:
            self.side(entry.spec.kind).remove(key)
        return held

    @contextmanager
    def without(self, key: str) -> Iterator[None]:
        """Ask the engine as if a demand were not there; afterwards it is, in its place.

        Only asking is allowed in between.
        """
        held = self.held[key]
        entry = self.machines[held.machine]
        side = self.side(entry.spec.kind)
        side.remove(key)
        try:
            yield
        finally:
            # Those behind it leave and follow it, so that the order is as it was.
            behind = list(entry.keys)
            behind = behind[behind.index(key) + 1 :]
            behind = [k for k in behind if self.held[k].core == held.core]
            for other in behind:
                side.remove(other)
            for other in (key, *behind):
                side.put(other, entry.hosts[held.core], self.held[other].demand)

    def tell_overload(self, key: str) -> Held:
        """Note how the machine of a demand stands, as its answer."""
        held = self.held[key]
        kind = self.machines[held.machine].spec.kind
        overload = self.side(kind).overload(self.host(held))
        self.held[key] = replace(held, overload=overload)
        return self.held[key]

    def _usage_side(self) -> Side[Any]:
        if self.kept is None:
            return UsageSide(self.settings)
        return ReplaySide(self.settings, self.kept)

    def _retire(self, entry: Entry) -> None:
        """Close hosts for good; start anew once most of them are closed."""
        if not self.live:
            return
        kind = entry.spec.kind
        self.side(kind).close(entry.hosts)
        self._retired[kind] += len(entry.hosts)
        if self._retired[kind] > max(MOST_RETIRED, len(self._hosts[kind]) // 2):
            self._renew(kind)

    def _declare(self, entry: Entry) -> None:
        kind = entry.spec.kind
        entry.hosts = self.side(kind).declare(entry.spec)
        self._hosts[kind].extend(
            (entry.spec.name, core) for core in range(len(entry.hosts))
        )
        if entry.draining:
            self.side(kind).close(entry.hosts)

    def _held_on(self, side: Side[Any]) -> Iterator[tuple[str, int, Demand]]:
        for entry in self.machines.values():
            if self.side(entry.spec.kind) is side:
                for core, host in enumerate(entry.hosts):
                    for key in entry.keys:
                        held = self.held[key]
                        if held.core == core:
                            yield key, host, held.demand


def pod_key(uid: str) -> str:
    """Return the key of a reservation; no task can have it as a name."""
    return f"\0{uid}"


def is_pod(key: str) -> bool:
    """Say whether a key is that of a reservation."""
    return key.startswith("\0")


def demand_of(spec: TaskSpec) -> Demand:
    """Return the demand of a task that was not measured yet."""
    return believe(spec) if spec.sla is None else spec.sla
