"""Decisions about machines and tasks."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from cotenant.demand.task import Task
from cotenant.errors import Conflict, InvalidInput
from cotenant.service.answers import Changed, Placed
from cotenant.service.asked import RESOURCES, MachineSpec, TaskSpec, check_samples
from cotenant.service.believed import sharpen
from cotenant.service.desk import Desk, digest_of, task_data
from cotenant.service.keeping.timing import NOW, Timing
from cotenant.service.state import Demand, Held, demand_of


def add_machines(desk: Desk, specs: Sequence[MachineSpec]) -> list[str]:
    """Add machines, all or none; the same one again changes nothing."""
    fresh: dict[str, MachineSpec] = {}
    for spec in specs:
        entry = desk.state.machines.get(spec.name)
        known = fresh.get(spec.name) if entry is None else entry.spec
        if known is not None and known != spec:
            raise Conflict(
                f"machine {spec.name!r} is in the fleet as {known.to_dict()}; "
                "drain it first"
            )
        if entry is not None and entry.draining:
            raise Conflict(f"machine {spec.name!r} is draining; wait until it has left")
        if known is None:
            fresh[spec.name] = spec
    for spec in fresh.values():
        words = f"added machine {spec.name}"
        desk.do("machine_added", words, {"machine": spec.to_dict()})
    return [spec.name for spec in specs]


def drain(desk: Desk, name: str) -> None:
    """Let a machine take no more tasks; it leaves once it is empty."""
    entry = desk.machine(name)
    if not entry.draining:
        count = f"{len(entry.keys):,} tasks stay until they move or end"
        desk.do("machine_draining", f"draining {name}: {count}", {"machine": name})
    desk.leave_if_empty(name)


def place(desk: Desk, specs: Sequence[TaskSpec], key: str | None) -> list[Placed]:
    """Place tasks, all or none."""
    asked = [task_data(spec) for spec in specs]
    digest = digest_of(asked) if key is not None else ""
    before = desk.state.answered.get(key) if key is not None else None
    if before is not None:
        if before[0] != digest:
            raise Conflict(f"idempotency key {key!r} was used for another request")
        return [
            Placed(a.name, a.machine, a.overload, True, a.granted) for a in before[1]
        ]
    names = [spec.name for spec in specs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput(f"task {twice!r} is given twice")
    start, kept = len(desk.events), desk.state.kept
    noted = {} if kept is None else kept.remember(names)
    try:
        answers = [
            _place(desk, spec, data) for spec, data in zip(specs, asked, strict=True)
        ]
    except Exception:
        _take_back(desk, start)
        if kept is not None:
            kept.restore(noted)
        raise
    if key is not None and not all(answer.repeated for answer in answers):
        told = [[a.name, a.machine, a.overload, False, a.granted] for a in answers]
        data = {"key": key, "digest": digest, "answers": told}
        desk.do("answered", f"answered request {key}", data)
    return answers


def release(desk: Desk, name: str) -> str:
    """Take a task off its machine and return the machine's name."""
    machine = desk.task(name).machine
    words = f"released {name} from {machine}"
    desk.do("released", words, {"name": name, "machine": machine})
    desk.leave_if_empty(machine)
    return machine


def change(desk: Desk, spec: TaskSpec) -> Changed:
    """Change a demand: in place where it fits, else on another machine."""
    before = desk.task(spec.name)
    data = task_data(spec)
    if before.digest == data["digest"]:
        return _told(before, None, "nothing changed")
    was = "usage" if before.asked is None else "sla"
    if was != spec.kind:
        raise InvalidInput(
            f"task {spec.name!r} has {was}, which cannot become {spec.kind}: "
            "release it and place it anew"
        )
    demand = demand_of(spec)
    with desk.state.without(spec.name), _supposing(desk, demand, data["digest"]):
        target, reason = _stay_or_move(desk, spec, demand, before.machine)
    moved = None if target["machine"] == before.machine else before.machine
    data |= target | {"moved_from": moved, "reason": reason}
    action = "changed" if moved is None else f"changed and moved from {moved}:"
    words = f"{action} {spec.name} on {target['machine']}, {reason}"
    held = desk.put("changed", words, spec.name, data, demand)
    if moved is not None:
        desk.leave_if_empty(moved)
    return _told(held, moved, reason)


def measure(
    desk: Desk,
    name: str,
    samples: Mapping[str, Sequence[float]],
    timing: Timing = NOW,
) -> Held:
    """Sharpen what a task is believed to use, wherever that leads."""
    held = desk.task(name)
    if not isinstance(held.demand, Task):
        raise InvalidInput(f"task {name!r} has an SLA; usage does not change it")
    if not samples:
        raise InvalidInput(f"task {name!r} was sent no samples; expected some of cpu")
    for resource, values in samples.items():
        if resource not in RESOURCES:
            raise InvalidInput(
                f"task {name!r} uses {resource!r}; expected cpu or memory"
            )
        check_samples(name, resource, tuple(values))
    count = max(len(values) for values in samples.values())
    sent = {resource: list(values) for resource, values in samples.items()}
    data: dict[str, Any] = {"name": name, "machine": held.machine, "samples": sent}
    if "cpu" in sent and desk.state.kept is not None:
        data |= timing.facts(name, sent["cpu"], desk.now)
    words = f"measured {name} on {held.machine}, {count:,} samples"
    return desk.put("measured", words, name, data, sharpen(held.demand, sent))


def fail_measuring(desk: Desk, name: str, error: str) -> Held:
    """Keep the last usage of a task and remember why there is no newer one."""
    machine = desk.task(name).machine
    words = f"no measurement of {name}: {error}; its last usage stands"
    desk.do("unmeasured", words, {"name": name, "machine": machine, "error": error})
    return desk.state.held[name]


def _place(desk: Desk, spec: TaskSpec, data: dict[str, Any]) -> Placed:
    known = desk.state.held.get(spec.name)
    if known is not None:
        if known.digest != data["digest"]:
            raise Conflict(
                f"task {spec.name!r} is placed with another demand; change it instead"
            )
        return known.answer(repeated=True)
    demand = demand_of(spec)
    data |= desk.choose(spec.name, spec.kind, demand, None)
    words = f"placed {spec.name} on {data['machine']}"
    return desk.put("placed", words, spec.name, data, demand).answer()


def _take_back(desk: Desk, start: int) -> None:
    """Undo placements of this desk, the last first."""
    for event in reversed(desk.events[start:]):
        desk.state.take(event.data["task"]["name"])
        desk.state.number -= 1
    del desk.events[start:]


def _stay_or_move(
    desk: Desk, spec: TaskSpec, demand: Demand, machine: str
) -> tuple[dict[str, Any], str]:
    words = desk.words(machine, demand)
    entry = desk.state.machines[machine]
    if entry.draining:
        words = f"{machine} is draining"
    elif desk.state.side(spec.kind).choose(demand, entry.hosts) is not None:
        target = desk.choose(spec.name, spec.kind, demand, [machine])
        return target, f"fits where it is: {words}"
    target = desk.choose(spec.name, spec.kind, demand, None)
    return target, f"could not stay on {machine}: {words}"


@contextmanager
def _supposing(desk: Desk, demand: Demand, digest: str) -> Iterator[None]:
    """Replay a task, if days are replayed, as if it had asked for this."""
    kept = desk.state.kept
    if kept is None or not isinstance(demand, Task):
        yield
        return
    with kept.supposing(demand, digest):
        yield


def _told(held: Held, moved: str | None, reason: str) -> Changed:
    return Changed(held.name, held.machine, held.overload, moved, reason)
