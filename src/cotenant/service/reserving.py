"""Decisions about pods the Kubernetes scheduler has not bound yet, or just has."""

from collections.abc import Collection, Mapping, Sequence
from itertools import islice

import numpy as np

from cotenant.colocate.admission import Verdict
from cotenant.errors import UnknownMachine
from cotenant.service.answers import Assessed, Placed, Reservation
from cotenant.service.asked import RESOURCES, Kind, TaskSpec
from cotenant.service.desk import Desk, excess, task_data
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
    state, kind, demand = desk.state, spec.kind, demand_of(spec)
    if uid is not None and pod_key(uid) in state.held:
        judged = _judge_without(state, kind, demand, machines, pod_key(uid))
    else:
        judged = _judge(state, kind, demand, machines)
    fitting = {n: liked for n, (verdict, liked) in judged.items() if verdict.fits}
    scores, ever = _scores(fitting), dict[tuple[float | None, ...], bool]()
    found = []
    for name in machines:
        if name not in judged:
            there = name in state.machines
            why = f"takes no tasks with {kind}" if there else "is not in the fleet"
            found.append(Assessed(name, False, f"{name} {why}", 0, False))
            continue
        verdict, _ = judged[name]
        if name in scores:
            found.append(Assessed(name, True, verdict.words, scores[name]))
            continue
        entry = state.machines[name]
        size = tuple(map(entry.spec.capacity.get, RESOURCES))
        if size not in ever:
            ever[size] = state.side(kind).alone(entry.hosts[0], demand)
        found.append(Assessed(name, False, verdict.words, 0, ever[size]))
    return found


def fits_without(
    desk: Desk, spec: TaskSpec, machine: str, leaving: Collection[str]
) -> bool:
    """Say whether a machine would take a task once others have left it."""
    entry = desk.state.machines.get(machine)
    if entry is None or entry.spec.kind != spec.kind:
        return False
    alone = _apart(desk.state, machine, leaving)
    hosts = alone.machines[machine].hosts
    return alone.side(spec.kind).choose(demand_of(spec), hosts) is not None


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


def _apart(state: State, machine: str, leaving: Collection[str]) -> State:
    """Return a state of one machine only, and of what stays on it."""
    entry = state.machines[machine]
    staying = [key for key in entry.keys if key not in leaving]
    copy = Entry(entry.spec, keys=dict.fromkeys(staying), draining=entry.draining)
    alone = State(state.settings, state.kept)
    alone.machines[machine] = copy
    alone.held = {key: state.held[key] for key in staying}
    return alone.start()


def _judge_without(
    state: State, kind: Kind, demand: Demand, machines: Sequence[str], key: str
) -> dict[str, tuple[Verdict, float]]:
    """Return the same as `_judge` if something held were not there."""
    machine = state.held[key].machine
    if key == next(reversed(state.machines[machine].keys)):
        with state.without(key):
            return _judge(state, kind, demand, machines)
    # What joined its machine after it would have to leave and follow it again, each at
    # the cost of all that stay; a machine of its own is filled once.
    judged = _judge(state, kind, demand, machines)
    if machine in judged:
        judged |= _judge(_apart(state, machine, {key}), kind, demand, [machine])
    return judged


def _judge(
    state: State, kind: Kind, demand: Demand, machines: Sequence[str]
) -> dict[str, tuple[Verdict, float]]:
    """Return the verdict of machines of a kind, and what the rule prefers them by."""
    side = state.side(kind)
    entries = {
        name: entry
        for name in machines
        if (entry := state.machines.get(name)) and entry.spec.kind == kind
    }
    hosts = [host for entry in entries.values() for host in entry.hosts]
    verdicts = iter(side.verdicts(hosts, demand))
    best = [
        min(islice(verdicts, len(entry.hosts)), key=excess)
        if len(entry.hosts) > 1
        else next(verdicts)
        for entry in entries.values()
    ]
    liked = side.preference()[[entry.hosts[0] for entry in entries.values()]]
    return dict(zip(entries, zip(best, liked.tolist(), strict=True), strict=True))


def _scores(liked: Mapping[str, float]) -> dict[str, int]:
    """Spread preferences over 0 to 10; all 10 where they are equal."""
    if not liked:
        return {}
    values = np.array(list(liked.values()))
    low, high = values.min(), values.max()
    spread = np.full(len(values), 10.0)
    if low < high:
        spread = np.rint(10.0 * (values - low) / (high - low))
    return dict(zip(liked, spread.astype(int).tolist(), strict=True))
