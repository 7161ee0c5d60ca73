"""Decisions about pods the Kubernetes scheduler has not bound yet, or just has."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext

from cotenant.errors import UnknownMachine
from cotenant.service.answers import Assessed, Placed, Reservation
from cotenant.service.asked import TaskSpec
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
    alone = State(desk.state.settings)
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
    state, side = desk.state, desk.state.side(spec.kind)
    known = [
        name
        for name in machines
        if name in state.machines and state.machines[name].spec.kind == spec.kind
    ]
    hosts = [host for name in known for host in state.machines[name].hosts]
    verdicts = dict(zip(hosts, side.verdicts(hosts, demand), strict=True))
    best = {
        name: min((verdicts[host] for host in state.machines[name].hosts), key=excess)
        for name in known
    }
    preference = side.preference()
    liked = {name: float(preference[state.machines[name].hosts[0]]) for name in known}
    scores = _scores({name: liked[name] for name in known if best[name].fits})
    ever: dict[tuple[tuple[str, float], ...], bool] = {}
    found = []
    for name in machines:
        if name not in best:
            there = name in state.machines
            why = f"takes no tasks with {spec.kind}" if there else "is not in the fleet"
            found.append(Assessed(name, False, f"{name} {why}", 0, False))
            continue
        fits = best[name].fits
        size = tuple(sorted(state.machines[name].spec.capacity.items()))
        if not fits and size not in ever:
            ever[size] = side.alone(state.machines[name].hosts[0], demand)
        words = best[name].words
        found.append(
            Assessed(name, fits, words, scores.get(name, 0), fits or ever[size])
        )
    return found


def _scores(liked: Mapping[str, float]) -> dict[str, int]:
    """Spread preferences over 0 to 10; all 10 where they are equal."""
    low, high = min(liked.values(), default=0.0), max(liked.values(), default=0.0)
    if low == high:
        return dict.fromkeys(liked, 10)
    return {n: round(10 * (value - low) / (high - low)) for n, value in liked.items()}
