"""What readers see of tasks and machines."""

from cotenant.demand.task import Task
from cotenant.service.answers import MachineView, TaskView
from cotenant.service.state import Held, State, is_pod


def task_view(held: Held) -> TaskView:
    """Return a task as readers see it."""
    usage = held.demand.usage if isinstance(held.demand, Task) else {}
    return TaskView(
        name=held.name,
        kind="usage" if held.asked is None else "sla",
        machine=held.machine,
        usage={
            resource: {
                "mean": u.mean,
                "variance": u.variance,
                "maximum": float(u.values[-1]),
                "observations": u.observations,
            }
            for resource, u in usage.items()
        },
        sla=None if held.asked is None else str(held.asked),
        granted=held.granted,
        label=held.demand.label if isinstance(held.demand, Task) else None,
        placed_at=held.placed_at,
        measured_at=held.measured_at,
        feed_error=held.feed_error,
    )


def is_stale(held: Held, now: float, after: float) -> bool:
    """Say whether a task was measured once and its last reading failed or is old."""
    if held.feed_error is not None:
        return True
    return held.measured_at is not None and now - held.measured_at > after


def machine_view(state: State, name: str) -> MachineView:
    """Return a machine as readers see it."""
    entry = state.machines[name]
    spec, side = entry.spec, state.side(entry.spec.kind)
    overload = side.overload(entry.hosts[0])
    limit = spec.capacity.get("memory")
    memory = None if limit is None else _memory(state, entry.keys) / limit
    reserved = sum(map(is_pod, entry.keys))
    tasks = tuple(entry.keys)
    over = overload is not None and overload > state.settings.rho
    return MachineView(
        name=name,
        kind=spec.kind,
        capacity=spec.capacity,
        tasks=tuple(k for k in tasks if not is_pod(k)) if reserved else tasks,
        load=side.load(entry.hosts),
        overload=overload,
        memory=memory,
        over_promise=over or (memory is not None and memory > 1.0 + 1e-12),
        draining=entry.draining,
        reserved=reserved,
    )


def _memory(state: State, keys: dict[str, None]) -> float:
    total = 0.0
    for key in keys:
        demand = state.held[key].demand
        if isinstance(demand, Task) and "memory" in demand.usage:
            total += demand.usage["memory"].maximum
    return total
