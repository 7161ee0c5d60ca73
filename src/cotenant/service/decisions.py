"""What to do about a request: each decision ends in events, or in a refusal."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cotenant.demand.sla import Sla
from cotenant.demand.task import Task
from cotenant.errors import (
    Conflict,
    InvalidInput,
    NothingFits,
    UnknownMachine,
    UnknownTask,
)
from cotenant.service.answers import (
    Assessed,
    Changed,
    Event,
    MachineView,
    Placed,
    Reservation,
    TaskView,
)
from cotenant.service.asked import (
    MachineSpec,
    TaskSpec,
    check_samples,
)
from cotenant.service.engine import SlaSide, UsageSide
from cotenant.service.state import Demand, Held, State, demand_of, is_pod, pod_key

MOST_REASONS = 100
"""Machines a refusal names."""


@dataclass(slots=True)
class Decisions:
    """Decides on a state and records the events of it.

    Parameters
    ----------
    now
        Seconds since 1970, for all events of this batch.
    events
        What was decided and applied, in order.
    """

    state: State
    now: float
    events: list[Event] = field(default_factory=list)

    def add_machines(self, specs: Sequence[MachineSpec]) -> list[MachineView]:
        """Add machines, all or none; the same one again changes nothing."""
        for spec in specs:
            known = self.state.machines.get(spec.name)
            if known is not None and (known.spec != spec or known.draining):
                what = "draining" if known.draining else "in the fleet with other facts"
                raise Conflict(f"machine {spec.name!r} is {what}")
        fresh = {s.name: s for s in specs if s.name not in self.state.machines}
        for spec in specs:
            if fresh.get(spec.name, spec) != spec:
                raise InvalidInput(f"machine {spec.name!r} is given twice, differently")
        for spec in fresh.values():
            words = f"added machine {spec.name}"
            self._do("machine_added", words, {"machine": spec.to_dict()})
        return [self.state.machine_view(spec.name) for spec in specs]

    def drain(self, name: str) -> MachineView | None:
        """Let a machine take no more tasks; it leaves once it is empty."""
        entry = self.state.machines.get(name)
        if entry is None:
            raise UnknownMachine(name)
        if not entry.draining:
            self._do("machine_draining", f"draining {name}", {"machine": name})
        self._leave_if_empty(name)
        still = name in self.state.machines
        return self.state.machine_view(name) if still else None

    def place(self, specs: Sequence[TaskSpec], key: str | None) -> list[Placed]:
        """Place tasks, all or none."""
        digest = digest_of(spec.to_dict() for spec in specs)
        if key is not None and key in self.state.answered:
            before, answers = self.state.answered[key]
            if before != digest:
                raise Conflict(f"idempotency key {key!r} was used for another request")
            return [repeat(answer) for answer in answers]
        names = [spec.name for spec in specs]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InvalidInput(f"task {twice!r} is given twice")
        return self._all_or_none(
            lambda: [self._place(spec, key, digest) for spec in specs]
        )

    def release(self, name: str) -> str:
        """Take a task off its machine and return the machine's name."""
        machine = self._task(name).machine
        words = f"released {name} from {machine}"
        self._do("released", words, {"name": name, "machine": machine})
        self._leave_if_empty(machine)
        return machine

    def change(self, spec: TaskSpec) -> Changed:
        """Change a demand: in place where it fits, else on another machine."""
        before = self._task(spec.name)
        if before.spec == spec:
            answer = before.answer
            return Changed(
                spec.name, answer.machine, answer.overload, None, "nothing changed"
            )
        if before.spec.kind != spec.kind:
            raise InvalidInput(
                f"task {spec.name!r} has {before.spec.kind}; it cannot change to "
                f"{spec.kind}: release it and place it anew"
            )
        state, demand = self.state, demand_of(spec)
        entry = state.machines[before.machine]
        side = state.side(entry)
        # Judged without the task itself, which is put back before anything is decided.
        placer = side.placer
        placer.remove(spec.name)
        stay = choose(side, demand, list(entry.hosts))
        words = verdict_words(side, entry.hosts[0], demand)
        chosen = stay or choose(side, demand, None)
        refusals = None if chosen else self._refusals(side, demand, None)
        placer.put(spec.name, before.host, before.demand)  # type: ignore[arg-type]
        if chosen is None:
            assert refusals is not None
            raise nothing_fits(spec.name, side, refusals)
        machine, data = self._target(side, chosen)
        moved = None if machine == before.machine else before.machine
        reason = (
            f"fits where it is: {words}"
            if moved is None
            else f"no longer fits {moved}: {words}"
        )
        data |= {"task": spec.to_dict(), "moved_from": moved, "reason": reason}
        data["overload"] = None
        self._do("changed", "", data)
        return self._changed(spec.name, machine, moved, reason)

    def measure(
        self, name: str, samples: Mapping[str, Sequence[float]]
    ) -> tuple[TaskView, float | None]:
        """Sharpen what a task is believed to use, wherever that leads."""
        held = self._task(name)
        if not isinstance(held.demand, Task):
            raise InvalidInput(f"task {name!r} has an SLA; usage does not change it")
        if not samples:
            raise InvalidInput(f"task {name!r} was sent no samples")
        for resource, values in samples.items():
            if resource not in ("cpu", "memory"):
                raise InvalidInput(
                    f"task {name!r} uses {resource!r}; expected cpu or memory"
                )
            check_samples(name, resource, tuple(values))
        count = max(len(values) for values in samples.values())
        data = {"name": name, "samples": {r: list(v) for r, v in samples.items()}}
        self._do("measured", f"measured {name}: {count:,} samples", data)
        host = self.state.held[name].host
        return self.state.task_view(name), self.state.usage.overload(host)

    def fail_measuring(self, name: str, error: str) -> TaskView:
        """Keep the last usage of a task and remember why there is no newer one."""
        self._task(name)
        words = f"no measurement of {name}: {error}; its last usage stands"
        self._do("unmeasured", words, {"name": name, "error": error})
        return self.state.task_view(name)

    def reserve(
        self, uid: str, spec: TaskSpec, machines: Sequence[str], lasts: float
    ) -> Reservation:
        """Hold a place for a pod on one of some machines, instead of any before."""
        self.unreserve(uid, "asked again")
        demand = demand_of(spec)
        side = self._side(spec)
        hosts = self._hosts(machines, spec)
        chosen = choose(side, demand, hosts)
        if chosen is None:
            raise nothing_fits(spec.name, side, self._refusals(side, demand, hosts))
        machine, data = self._target(side, chosen)
        expires = self.now + lasts
        data |= {"uid": uid, "task": spec.to_dict(), "expires": expires}
        data["overload"] = None
        self._do("reserved", f"reserved {machine} for {spec.name}", data)
        overload = side.overload(chosen[0])
        return Reservation(uid, machine, overload, expires)

    def unreserve(self, uid: str, why: str) -> bool:
        """Give up the place of a pod, if one is held."""
        held = self.state.held.get(pod_key(uid))
        if held is None:
            return False
        words = f"gave up {held.machine} for {held.spec.name}: {why}"
        self._do("unreserved", words, {"uid": uid, "why": why})
        self._leave_if_empty(held.machine)
        return True

    def confirm(self, uid: str, spec: TaskSpec, machine: str) -> Placed:
        """Put a pod where it was bound, whether it fits or not."""
        if machine not in self.state.machines:
            raise UnknownMachine(machine)
        self.unreserve(uid, "bound")
        known = self.state.held.get(spec.name)
        if known is not None:
            if known.machine == machine and known.spec == spec:
                return repeat(known.answer)
            self.release(spec.name)
        demand, side = demand_of(spec), self._side(spec)
        entry = self.state.machines.get(machine)
        if entry is None or entry.spec.kind != spec.kind:
            raise UnknownMachine(machine)
        chosen = choose(side, demand, list(entry.hosts))
        host, granted = chosen or (entry.hosts[0], demand)
        _, data = self._target(side, (host, granted))
        words = f"{spec.name} is bound to {machine}"
        return self._put("placed", words, spec, side, host, data)

    def expire(self) -> int:
        """Give up reservations that ran out and return how many."""
        due = [
            key[1:]
            for key, held in self.state.held.items()
            if held.expires is not None and held.expires <= self.now
        ]
        for uid in due:
            self.unreserve(uid, "expired")
        return len(due)

    def assess(
        self, spec: TaskSpec, machines: Sequence[str], uid: str | None
    ) -> list[Assessed]:
        """Say for machines what each would reach with a demand on it."""
        side, demand = self._side(spec), demand_of(spec)
        own = self.state.held.get(pod_key(uid)) if uid is not None else None
        if own is not None and uid is not None:
            side.placer.remove(pod_key(uid))
        try:
            return self._assess(spec, side, demand, machines)
        finally:
            if own is not None and uid is not None:
                side.placer.put(pod_key(uid), own.host, own.demand)  # type: ignore[arg-type]

    def _assess(
        self,
        spec: TaskSpec,
        side: UsageSide | SlaSide,
        demand: Demand,
        machines: Sequence[str],
    ) -> list[Assessed]:
        found = []
        fullness = side.placer.gate.fullness()
        for name in machines:
            entry = self.state.machines.get(name)
            if entry is None or entry.spec.kind != spec.kind:
                what = "is not in the fleet" if entry is None else "takes other tasks"
                found.append(Assessed(name, False, f"{name} {what}", 0, False))
                continue
            host = (choose(side, demand, list(entry.hosts)) or (None,))[0]
            words = verdict_words(
                side, entry.hosts[0] if host is None else host, demand
            )
            full = min(float(fullness[entry.hosts[0]]), 1.0)
            score = 0 if host is None else round(10 * full)
            found.append(Assessed(name, host is not None, words, score))
        return found

    def _place(self, spec: TaskSpec, key: str | None, digest: str) -> Placed:
        known = self.state.held.get(spec.name)
        if known is not None:
            if known.spec != spec:
                raise Conflict(
                    f"task {spec.name!r} is placed with another demand; "
                    "change it instead"
                )
            return repeat(known.answer)
        demand, side = demand_of(spec), self._side(spec)
        chosen = choose(side, demand, None)
        if chosen is None:
            raise nothing_fits(spec.name, side, self._refusals(side, demand, None))
        machine, data = self._target(side, chosen)
        if key is not None:
            data |= {"key": key, "digest": digest}
        words = f"placed {spec.name} on {machine}"
        return self._put("placed", words, spec, side, chosen[0], data)

    def _put(
        self,
        kind: str,
        words: str,
        spec: TaskSpec,
        side: UsageSide | SlaSide,
        host: int,
        data: dict[str, Any],
    ) -> Placed:
        data |= {"task": spec.to_dict(), "overload": None}
        self._do(kind, words, data)
        held = self.state.held[spec.name]
        overload = side.overload(host)
        held.answer = Placed(
            spec.name, held.machine, overload, granted=held.answer.granted
        )
        return held.answer

    def _changed(
        self, name: str, machine: str, moved: str | None, reason: str
    ) -> Changed:
        held = self.state.held[name]
        side = self.state.side(self.state.machines[machine])
        overload = side.overload(held.host)
        held.answer = Placed(name, machine, overload, granted=held.answer.granted)
        if moved is not None:
            self._leave_if_empty(moved)
        return Changed(name, machine, overload, moved, reason)

    def _target(
        self, side: UsageSide | SlaSide, chosen: tuple[int, Demand]
    ) -> tuple[str, dict[str, Any]]:
        host, offered = chosen
        capacity = side.placer.machines[host]
        if isinstance(offered, Sla):
            unit = capacity
            return unit.machine, {  # type: ignore[attr-defined]
                "machine": unit.machine,  # type: ignore[attr-defined]
                "core": unit.core,  # type: ignore[attr-defined]
                "granted": str(offered),
            }
        return capacity.name, {"machine": capacity.name}  # type: ignore[attr-defined]

    def _refusals(
        self, side: UsageSide | SlaSide, demand: Demand, hosts: Sequence[int] | None
    ) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, entry in self.state.machines.items():
            if self.state.side(entry) is not side or len(found) >= MOST_REASONS:
                continue
            found[name] = verdict_words(side, entry.hosts[0], demand)
        return found

    def _hosts(self, machines: Sequence[str], spec: TaskSpec) -> list[int]:
        entries = [self.state.machines.get(name) for name in machines]
        return [
            host
            for entry in entries
            if entry is not None and entry.spec.kind == spec.kind
            for host in entry.hosts
        ]

    def _side(self, spec: TaskSpec) -> UsageSide | SlaSide:
        return self.state.usage if spec.kind == "usage" else self.state.sla

    def _task(self, name: str) -> Held:
        held = self.state.held.get(name)
        if held is None or is_pod(name):
            raise UnknownTask(name)
        return held

    def _leave_if_empty(self, name: str) -> None:
        entry = self.state.machines[name]
        if entry.draining and not self.state.on(entry):
            self._do("machine_removed", f"removed {name}, empty", {"machine": name})

    def _all_or_none(self, decide: Callable[[], list[Placed]]) -> list[Placed]:
        start = len(self.events)
        try:
            return decide()
        except Exception:
            for event in reversed(self.events[start:]):
                self.state.take(event.data["task"]["name"])
            del self.events[start:]
            raise

    def _do(self, kind: str, words: str, data: Mapping[str, Any]) -> None:
        number = self.state.number + 1
        self.state.apply(number, self.now, kind, data)
        self.events.append(Event(number, self.now, kind, words, data))


def choose(
    side: UsageSide | SlaSide, demand: Demand, hosts: Sequence[int] | None
) -> tuple[int, Demand] | None:
    """Return the host the rule picks and the demand as it is admitted."""
    if isinstance(side, UsageSide):
        return side.choose(demand, hosts)  # type: ignore[arg-type]
    return side.choose(demand, hosts)  # type: ignore[arg-type]


def verdict_words(side: UsageSide | SlaSide, host: int, demand: Demand) -> str:
    """Say what a host would reach with a demand on it."""
    return side.placer.gate.verdict(host, demand).words  # type: ignore[arg-type]


def nothing_fits(
    task: str, side: UsageSide | SlaSide, reasons: Mapping[str, str]
) -> NothingFits:
    """Return the refusal of a task, with a reason for each machine."""
    if not reasons:
        kind = "usage" if isinstance(side, UsageSide) else "sla"
        reason = f"the fleet has no machine of kind {kind}"
        return NothingFits(task, "machines", reason, {})
    return NothingFits(task, "cpu", f"none of {len(reasons):,} machines", reasons)


def repeat(answer: Placed) -> Placed:
    """Return an answer given before, marked as such."""
    return Placed(answer.name, answer.machine, answer.overload, True, answer.granted)


def digest_of(parts: Iterable[Mapping[str, Any]]) -> str:
    """Return a short digest of JSON values, the same for equal ones."""
    text = json.dumps(list(parts), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
