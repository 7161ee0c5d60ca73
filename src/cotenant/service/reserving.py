"""Decisions about pods the Kubernetes scheduler has not bound yet, or just has."""

from collections.abc import Collection, Sequence
from contextlib import nullcontext
from itertools import islice
from typing import Any

import numpy as np

from cotenant.errors import UnknownMachine
from cotenant.service.answers import Assessed, Placed, Reservation
from cotenant.service.asked import RESOURCES, TaskSpec
from cotenant.service.desk import Desk, excess, task_data
from cotenant.service.side import Side
from cotenant.service.state import (
    Demand,
    Entry,
    Held,
    State,
    demand_of,
    pod_key,
)


def reserve(
    desk: Desk, uid: str, spec: TaskSpec, machines: Sequence[str], lasts: float
) -> Reservation:
    """Hold a place for a pod on one of some machines, instead of any before."""
    unreserve(desk, uid, "asked again")
    demand = demand_of(spec)
    data = task_data(spec) | {"uid": uid, "expires": desk.now + lasts}
    data |= desk.choose(spec.name, spec.kind, demand, machines)
    words = f"reserved room on {data['machine']} for {spec.name}"
    held = desk.put("reserved", words, pod_key(uid), data, demand)
    return Reservation(uid, held.machine, held.overload, data["expires"])


def unreserve(desk: Desk, uid: str, why: str) -> bool:
    """Give up the place of a pod, if one is held."""
    held = desk.state.held.get(pod_key(uid))
    if held is None:
        return False
    words = f"gave up room on {held.machine} for {held.name}: {why}"
    desk.do("unreserved", words, {"uid": uid, "machine": held.machine, "why": why})
    desk.leave_if_empty(held.machine)
    return True


def expire(desk: Desk) -> int:
    """Give up reservations that ran out and return how many."""
    due = [key for key, expires in desk.state.pods.items() if expires <= desk.now]
    for key in due:
        unreserve(desk, key.removeprefix(pod_key("")), "it ran out")
    return len(due)


def confirm(desk: Desk, uid: str, spec: TaskSpec, machine: str) -> Placed:
    """Put a pod where it was bound, whether it fits or not."""
    entry = desk.machine(machine)
    if entry.spec.kind != spec.kind:
        raise UnknownMachine(machine)
    data = task_data(spec)
    known = desk.state.held.get(spec.name)
    there = known is not None and known.machine == machine
    if known is not None and there and known.digest == data["digest"]:
        unreserve(desk, uid, "bound")
        return known.answer(repeated=True)
    # What it leaves is looked at last: the machine it is bound to may be draining.
    left = {held.machine for held in _give_up(desk, uid, spec.name)}
    demand = demand_of(spec)
    side = desk.state.side(spec.kind)
    host, granted = side.choose(demand, entry.hosts) or (entry.hosts[0], demand)
    data["machine"] = machine
    if spec.kind == "sla":
        data |= {"core": host - entry.hosts[0], "granted": str(granted)}
    words = f"{spec.name} is bound to {machine}"
    answer = desk.put("placed", words, spec.name, data, demand).answer()
    for name in sorted(left):
        desk.leave_if_empty(name)
    return answer


def assess(
    desk: Desk, spec: TaskSpec, machines: Sequence[str], uid: str | None
) -> list[Assessed]:
    """Say for machines what each would reach with a demand on it."""
    key = None if uid is None else pod_key(uid)
    demand = demand_of(spec)
    own = key is not None and key in desk.state.held
    with desk.state.without(key) if own and key is not None else nullcontext():
        return _assess(desk, spec, demand, machines)


def fits_without(
    desk: Desk, spec: TaskSpec, machine: str, leaving: Collection[str]
) -> bool:
    """Say whether a machine would take a task once others have left it."""
    entry = desk.state.machines.get(machine)
    if entry is None or entry.spec.kind != spec.kind:
        return False
    alone = State(desk.state.settings, desk.state.kept)
    staying = [key for key in entry.keys if key not in leaving]
    copy = Entry(entry.spec, keys=dict.fromkeys(staying), draining=entry.draining)
    alone.machines[machine] = copy
    alone.held = {key: desk.state.held[key] for key in staying}
    alone.start()
    return alone.side(spec.kind).choose(demand_of(spec), copy.hosts) is not None


def _give_up(desk: Desk, uid: str, name: str) -> list[Held]:
    found = []
    if pod_key(uid) in desk.state.held:
        found.append(desk.state.held[pod_key(uid)])
        words = f"gave up room on {found[-1].machine} for {name}: bound"
        data = {"uid": uid, "machine": found[-1].machine, "why": "bound"}
        desk.do("unreserved", words, data)
    if name in desk.state.held:
        found.append(desk.state.held[name])
        data = {"name": name, "machine": found[-1].machine}
        desk.do("released", f"released {name}: bound anew", data)
    return found


def _assess(
    desk: Desk, spec: TaskSpec, demand: Demand, machines: Sequence[str]
) -> list[Assessed]:
    state, kind = desk.state, spec.kind
    side = state.side(kind)
    entries = {
        name: entry
        for name in machines
        if (entry := state.machines.get(name)) and entry.spec.kind == kind
    }
    hosts = [host for entry in entries.values() for host in entry.hosts]
    verdicts = iter(side.verdicts(hosts, demand))
    best = {
        name: min(islice(verdicts, len(entry.hosts)), key=excess)
        if len(entry.hosts) > 1
        else next(verdicts)
        for name, entry in entries.items()
    }
    scores = _scores(side, [e for name, e in entries.items() if best[name].fits])
    ever: dict[tuple[float | None, ...], bool] = {}
    found = []
    for name in machines:
        verdict = best.get(name)
        if verdict is None:
            there = name in state.machines
            why = f"takes no tasks with {kind}" if there else "is not in the fleet"
            found.append(Assessed(name, False, f"{name} {why}", 0, False))
        elif verdict.fits:
            found.append(Assessed(name, True, verdict.words, scores[name]))
        else:
            size = tuple(map(entries[name].spec.capacity.get, RESOURCES))
            if size not in ever:
                ever[size] = side.alone(entries[name].hosts[0], demand)
            found.append(Assessed(name, False, verdict.words, 0, ever[size]))
    return found


def _scores(side: Side[Any], fitting: Sequence[Entry]) -> dict[str, int]:
    """Spread preferences over 0 to 10; all 10 where they are equal."""
    if not fitting:
        return {}
    liked = side.preference()[[entry.hosts[0] for entry in fitting]]
    low, high = liked.min(), liked.max()
    spread = np.full(len(liked), 10.0)
    if low < high:
        spread = np.rint(10.0 * (liked - low) / (high - low))
    names = [entry.spec.name for entry in fitting]
    return dict(zip(names, spread.astype(int).tolist(), strict=True))
