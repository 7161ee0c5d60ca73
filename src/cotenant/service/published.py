"""Durable state for readers: tasks and machines as of the last write."""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from cotenant.errors import DoesNotFit
from cotenant.service.answers import Event, MachineView, Summary
from cotenant.service.asked import Settings
from cotenant.service.state import Held, State, is_pod
from cotenant.service.views import is_stale, machine_view

if TYPE_CHECKING:
    from cotenant.service.keeping.kept import Told


class Published:
    """Durable state for readers of any thread.

    Values are immutable and replaced whole, so a reader never sees half of a change.
    """

    def __init__(self) -> None:
        self.tasks: dict[str, Held] = {}
        self.machines: dict[str, MachineView] = {}
        self.number = 0
        self.at: float | None = None
        self.counts: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.kept: Told | None = None

    def show(self, state: State, fresh: Iterable[Event] | None) -> None:
        """Bring readers up to date after some events; all of it for None."""
        self.kept = None if state.kept is None else state.kept.told()
        if fresh is not None:
            fresh = list(fresh)
            if any(event.kind == "night" for event in fresh):
                fresh = None  # what every machine is believed to use has changed
        tasks: Iterable[str]
        machines: Iterable[str]
        if fresh is None:
            by_age = sorted(state.held, key=lambda key: state.held[key].placed_at)
            tasks = [*self.tasks, *by_age]
            machines = [*self.machines, *state.machines]
        else:
            tasks, machines = _touched(fresh, state, self.tasks)
        for name in tasks:
            held = state.held.get(name)
            if held is None:
                self.tasks.pop(name, None)
            elif not is_pod(name):
                self.tasks[name] = held
        for name in machines:
            if name in state.machines:
                self.machines[name] = machine_view(state, name)
            else:
                self.machines.pop(name, None)
        self.number, self.at = state.number, state.at or None

    def count(self, fresh: Iterable[Event], errors: Iterable[Exception | None]) -> None:
        """Count what this process did and refused."""
        self.counts.update(event.kind for event in fresh)
        self.refusals.update(
            error.resource for error in errors if isinstance(error, DoesNotFit)
        )


def summarize(
    settings: Settings, shown: Published, now: float, durable: bool
) -> Summary:
    """Return the fleet at a glance."""
    machines, tasks = list(shown.machines.values()), list(shown.tasks.values())
    used = [m for m in machines if m.tasks or m.reserved]
    overloads = [m.overload for m in used if m.overload is not None]
    measured = [t.measured_at for t in tasks if t.measured_at is not None]
    return Summary(
        machines=len(machines),
        machines_in_use=len(used),
        draining=sum(m.draining for m in machines),
        tasks=len(tasks),
        reservations=sum(m.reserved for m in machines),
        rho=settings.rho,
        mean_load=sum(m.load for m in machines) / max(len(machines), 1),
        mean_overload=sum(overloads) / len(overloads) if overloads else None,
        worst_overload=max(overloads, default=None),
        over_promise=sum(m.over_promise for m in machines),
        stale_tasks=sum(is_stale(t, now, settings.stale_after) for t in tasks),
        oldest_measurement=min(measured, default=None),
        placements=shown.counts["placed"],
        releases=shown.counts["released"],
        moves=shown.counts["moved"],
        refusals=dict(shown.refusals),
        events=shown.number,
        last_event_at=shown.at,
        durable=durable,
    )


def stale_machines(
    settings: Settings, shown: Published, now: float
) -> dict[str, tuple[int, float | None]]:
    """Return by machine how many tasks are stale, and when the oldest was read."""
    found: dict[str, tuple[int, float | None]] = {}
    for task in list(shown.tasks.values()):
        if is_stale(task, now, settings.stale_after):
            count, oldest = found.get(task.machine, (0, None))
            read = [t for t in (oldest, task.measured_at) if t is not None]
            found[task.machine] = count + 1, min(read, default=None)
    return found


def _touched(
    fresh: Iterable[Event], state: State, shown: dict[str, Held]
) -> tuple[dict[str, None], dict[str, None]]:
    """Return tasks and machines that events are about, as they come up."""
    tasks: dict[str, None] = {}
    machines: dict[str, None] = {}
    for event in fresh:
        data = event.data
        for reading in data.get("readings", ()):
            tasks[reading["name"]] = None
        name = data["task"]["name"] if "task" in data else data.get("name")
        if name is not None:
            tasks[name] = None
        for where in (data.get("machine"), data.get("moved_from")):
            if where is not None:
                spec = isinstance(where, dict)
                machines[where["name"] if spec else where] = None
    for name in tasks:
        for held in (shown.get(name), state.held.get(name)):
            if held is not None:
                machines[held.machine] = None
    return tasks, machines
