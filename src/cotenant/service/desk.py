"""Where decisions are taken: the state, the time, and the events decided so far."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cotenant.colocate.admission import Verdict
from cotenant.errors import NothingFits, UnknownMachine, UnknownTask
from cotenant.service.answers import Event
from cotenant.service.applying import apply
from cotenant.service.asked import Kind, TaskSpec
from cotenant.service.ledger import Writing
from cotenant.service.state import Demand, Entry, Held, State, is_pod
from cotenant.service.words import percent

_SORTED = json.JSONEncoder(sort_keys=True)

MOST_REASONS = 100
"""Machines whose reason a refusal gives."""


@dataclass(slots=True)
class Desk:
    """Decides on a state and records the events of it.

    Parameters
    ----------
    now
        Seconds since 1970, for everything decided here.
    writing
        The transaction that the events will be part of; None where nothing is written.
    events
        What was decided and applied, in order.
    """

    state: State
    now: float
    writing: Writing | None = None
    events: list[Event] = field(default_factory=list)

    def do(
        self, kind: str, words: str, data: dict[str, Any], known: Demand | None = None
    ) -> None:
        """Apply an event and record it."""
        number = self.state.number + 1
        apply(self.state, number, self.now, kind, data, known)
        self.events.append(Event(number, self.now, kind, words, data))

    def put(
        self,
        kind: str,
        words: str,
        key: str,
        data: dict[str, Any],
        known: Demand | None = None,
    ) -> Held:
        """Apply and record an event after which a demand is on a machine.

        The overload of the machine then is part of the event and of its words.
        """
        data["overload"] = None
        self.do(kind, "", data, known)
        held = self.state.tell_overload(key)
        data["overload"] = held.overload
        last = self.events[-1]
        risk = words_of_risk(held.overload, self.state.settings.rho)
        self.events[-1] = Event(last.number, last.at, kind, words + risk, data)
        return held

    def choose(
        self, task: str, kind: Kind, demand: Demand, machines: Sequence[str] | None
    ) -> dict[str, Any]:
        """Return machine, core and what is granted, as the rule picks.

        Parameters
        ----------
        machines
            To choose from; None for all. Unknown ones are passed over.

        Raises
        ------
        NothingFits
            If none takes the demand.
        """
        side = self.state.side(kind)
        hosts = None if machines is None else self._hosts(machines, kind)
        chosen = side.choose(demand, hosts)
        if chosen is None:
            raise self._refusal(task, kind, demand, machines)
        host, offered = chosen
        machine, core = self.state.where(kind, host)
        target: dict[str, Any] = {"machine": machine}
        if kind == "sla":
            target |= {"core": core, "granted": str(offered)}
        return target

    def task(self, name: str) -> Held:
        """Return a placed task, or raise `UnknownTask`."""
        held = self.state.held.get(name)
        if held is None or is_pod(name):
            raise UnknownTask(name)
        return held

    def machine(self, name: str) -> Entry:
        """Return a machine, or raise `UnknownMachine`."""
        if name not in self.state.machines:
            raise UnknownMachine(name)
        return self.state.machines[name]

    def leave_if_empty(self, name: str) -> None:
        """Remove a draining machine that has become empty."""
        entry = self.state.machines[name]
        if entry.draining and not entry.keys:
            self.do("machine_removed", f"removed {name}, empty", {"machine": name})

    def words(self, machine: str, demand: Demand) -> str:
        """Say what a machine would reach with a demand on it."""
        entry = self.state.machines[machine]
        side = self.state.side(entry.spec.kind)
        return min(side.verdicts(entry.hosts, demand), key=excess).words

    def _refusal(
        self, task: str, kind: Kind, demand: Demand, machines: Sequence[str] | None
    ) -> NothingFits:
        side, state = self.state.side(kind), self.state
        names = [
            name
            for name in (state.machines if machines is None else machines)
            if name in state.machines and state.machines[name].spec.kind == kind
        ]
        if not names:
            reason = f"the fleet has no machine of kind {kind}"
            return NothingFits(task, "machines", reason, {})
        preference = side.preference()
        names.sort(key=lambda name: -preference[state.machines[name].hosts[0]])
        hosts = {name: state.machines[name].hosts for name in names[:MOST_REASONS]}
        found = {
            name: min(side.verdicts(own, demand), key=excess)
            for name, own in hosts.items()
        }
        nearest = min(found.values(), key=excess)
        ever = any(side.alone(state.machines[n].hosts[0], demand) for n in names)
        count = (
            "the only machine" if len(names) == 1 else f"all {len(names):,} machines"
        )
        reason = (
            f"{count} would break a promise; nearest: {nearest.words}"
            if ever
            else f"exceeds every machine by itself; nearest: {nearest.words}"
        )
        words = {name: verdict.words for name, verdict in found.items()}
        return NothingFits(task, nearest.resource or "cpu", reason, words)

    def _hosts(self, machines: Sequence[str], kind: Kind) -> list[int]:
        entries = [self.state.machines.get(name) for name in machines]
        return [
            host
            for entry in entries
            if entry is not None and entry.spec.kind == kind
            for host in entry.hosts
        ]


def excess(verdict: Verdict) -> float:
    """Return how far a verdict is from admitting, for comparison."""
    return verdict.value / verdict.limit if verdict.limit else verdict.value + 1e9


def words_of_risk(overload: float | None, rho: float) -> str:
    """Say how close a machine is to its promise; nothing for an SLA.

    >>> words_of_risk(0.00087, 0.001)
    ', risk 0.087 % of 0.1 %'
    """
    if overload is None:
        return ""
    return f", risk {percent(overload)} of {percent(rho)}"


def task_data(spec: TaskSpec) -> dict[str, Any]:
    """Return a task as events carry it."""
    data = spec.to_dict()
    return {"task": data, "digest": digest_of([data])}


def digest_of(parts: Iterable[Mapping[str, Any]]) -> str:
    """Return a digest of JSON values, the same for equal ones."""
    text = _SORTED.encode(list(parts))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
