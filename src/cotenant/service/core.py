"""The placement core: one door for HTTP, the extender and the dashboard."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TypeVar

from cotenant.errors import UnknownMachine, UnknownTask
from cotenant.service.answers import (
    Assessed,
    Changed,
    Event,
    MachineView,
    Placed,
    RepackPlan,
    Reservation,
    Summary,
    TaskView,
)
from cotenant.service.asked import MachineSpec, Settings, TaskSpec
from cotenant.service.decisions import Decisions
from cotenant.service.state import State, is_pod

T = TypeVar("T")


class Placement:
    """Places tasks on a fixed fleet and remembers every answer.

    Methods that change something return a future, so that threads wait with `result()`
    and coroutines with `asyncio.wrap_future`. It is done once the change is durable,
    or holds the error. Methods that only read return at once, from any thread, and show
    durable state only; `assess` also counts what is being written just now.

    Parameters
    ----------
    settings
        How to decide.
    database
        SQLAlchemy URL of the ledger; None keeps it in memory, for tests.
    clock
        Seconds since 1970.

    Raises
    ------
    ServiceUnavailable
        By any future, when the ledger could not be written; nothing was changed.
    """

    def __init__(
        self,
        settings: Settings,
        database: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.settings, self._clock = settings, clock
        self._state = State(settings)
        self._lock = threading.RLock()
        self._events: list[Event] = []
        self._counts: Counter[str] = Counter()

    def close(self) -> None:
        """Finish what was asked, then stop; later calls fail."""

    def add_machines(
        self, machines: Sequence[MachineSpec]
    ) -> "Future[list[MachineView]]":
        """Declare machines, all or none. Declaring one again, equal, changes nothing.

        Raises
        ------
        Conflict
            If a name is taken by a machine with other facts, or one that drains.
        """
        return self._run(lambda d: d.add_machines(machines))

    def drain(self, machine: str) -> "Future[MachineView | None]":
        """Let a machine take no more tasks and leave once empty; None: it has left.

        Its tasks stay until they are released or a repacking moves them.

        Raises
        ------
        UnknownMachine
            If it is not in the fleet.
        """
        return self._run(lambda d: d.drain(machine))

    def place(
        self, tasks: Sequence[TaskSpec], key: str | None = None
    ) -> "Future[list[Placed]]":
        """Place tasks in order, all or none.

        Repeating a request, by key or by equal tasks, changes nothing and returns the
        same answers with `repeated` set.

        Raises
        ------
        NothingFits
            If no machine takes one of them.
        Conflict
            If a name is taken by a task with another demand, or the key was used for
            another request.
        InvalidInput
            If a name is given twice.
        """
        return self._run(lambda d: d.place(tasks, key))

    def release(self, task: str) -> "Future[str]":
        """Take a task off and return the name of the machine it was on.

        Raises
        ------
        UnknownTask
            If it is not placed.
        """
        return self._run(lambda d: d.release(task))

    def change(self, task: TaskSpec) -> "Future[Changed]":
        """Change the demand of a placed task: in place where it fits, else it moves.

        What was measured of it is forgotten.

        Raises
        ------
        UnknownTask
            If it is not placed.
        NothingFits
            If no machine takes the new demand; the old one stays.
        InvalidInput
            If an SLA should become random usage, or the reverse.
        """
        return self._run(lambda d: d.change(task))

    def update_usage(
        self, task: str, samples: Mapping[str, Sequence[float]]
    ) -> "Future[tuple[TaskView, float | None]]":
        """Sharpen what a task is believed to use; return it and its machine's overload.

        The task stays where it is even if its machine is then above its promise; the
        next repacking says what to move.

        Raises
        ------
        UnknownTask
            If it is not placed.
        InvalidInput
            If there are no samples, or one is negative or not finite.
        """
        return self._run(lambda d: d.measure(task, samples))

    def fail_usage(self, task: str, error: str) -> "Future[TaskView]":
        """Say that a task could not be measured: its last usage stands, as stale.

        Raises
        ------
        UnknownTask
            If it is not placed.
        """
        return self._run(lambda d: d.fail_measuring(task, error))

    def reserve(
        self,
        uid: str,
        task: TaskSpec,
        machines: Sequence[str],
        lasts: float | None = None,
    ) -> "Future[Reservation]":
        """Hold a place for a pod on the machine, of these, that the rule prefers.

        A reservation counts as load until it is confirmed, given up, or `lasts` seconds
        old. Asking again for a pod replaces its own reservation. Unknown machines are
        passed over.

        Raises
        ------
        NothingFits
            If none of the machines takes it; an earlier reservation is gone.
        """
        wait = self.settings.reserve_for if lasts is None else lasts
        return self._run(lambda d: d.reserve(uid, task, machines, wait))

    def unreserve(self, uid: str, why: str = "given up") -> "Future[bool]":
        """Give up the reservation of a pod; False if there was none."""
        return self._run(lambda d: d.unreserve(uid, why))

    def confirm(self, uid: str, task: TaskSpec, machine: str) -> "Future[Placed]":
        """Put a pod where Kubernetes has bound it, whether it fits there or not.

        Its reservation, wherever it is, ends. Repeating it changes nothing.

        Raises
        ------
        UnknownMachine
            If the machine is not in the fleet.
        """
        return self._run(lambda d: d.confirm(uid, task, machine))

    def expire(self) -> "Future[int]":
        """Give up reservations that ran out; also done before every decision."""
        return self._run(lambda d: d.expire())

    def repack(self) -> "Future[RepackPlan]":
        """Work out moves that keep promises, empty draining machines, or save some."""
        return self._run(lambda d: RepackPlan("none", d.state.number, (), {}, {}))

    def apply(self, plan: str) -> "Future[RepackPlan]":
        """Make exactly the moves of a plan.

        Raises
        ------
        UnknownPlan
            If there is none of that id.
        FleetChanged
            If a machine was added or drained since, or a machine of the plan touched.
        """
        raise NotImplementedError

    def assess(
        self, task: TaskSpec, machines: Sequence[str], uid: str | None = None
    ) -> list[Assessed]:
        """Say for machines, in the order given, what each would reach with a demand.

        Parameters
        ----------
        uid
            Pod whose own reservation does not count.
        """
        with self._lock:
            return self._decisions().assess(task, machines, uid)

    def task(self, name: str) -> TaskView:
        """Return a placed task.

        Raises
        ------
        UnknownTask
            If it is not placed.
        """
        with self._lock:
            if name not in self._state.held or is_pod(name):
                raise UnknownTask(name)
            return self._state.task_view(name)

    def tasks(self) -> list[TaskView]:
        """Return all tasks, in the order they were placed."""
        with self._lock:
            names = [name for name in self._state.held if not is_pod(name)]
            return [self._state.task_view(name) for name in names]

    def machine(self, name: str) -> MachineView:
        """Return a machine.

        Raises
        ------
        UnknownMachine
            If it is not in the fleet.
        """
        with self._lock:
            if name not in self._state.machines:
                raise UnknownMachine(name)
            return self._state.machine_view(name)

    def machines(self) -> list[MachineView]:
        """Return all machines, in the order they were declared."""
        with self._lock:
            return [self._state.machine_view(name) for name in self._state.machines]

    def events(self, after: int = 0, limit: int = 1000) -> list[Event]:
        """Return events with a number above `after`, in order, at most `limit`."""
        with self._lock:
            return [e for e in self._events if e.number > after][:limit]

    def summary(self) -> Summary:
        """Return the fleet at a glance."""
        machines, tasks = self.machines(), self.tasks()
        now = self._clock()
        used = [m for m in machines if m.tasks or m.reserved]
        overloads = [m.overload for m in used if m.overload is not None]
        measured = [t.measured_at for t in tasks if t.measured_at is not None]
        return Summary(
            machines=len(machines),
            machines_in_use=len(used),
            draining=sum(m.draining for m in machines),
            tasks=len(tasks),
            reservations=sum(m.reserved for m in machines),
            rho=self.settings.rho,
            mean_load=sum(m.load for m in machines) / max(len(machines), 1),
            mean_overload=sum(overloads) / len(overloads) if overloads else None,
            worst_overload=max(overloads, default=None),
            over_promise=sum(m.over_promise for m in machines),
            stale_tasks=sum(t.stale(now, self.settings.stale_after) for t in tasks),
            oldest_measurement=min(measured, default=None),
            placements=self._counts["placed"],
            releases=self._counts["released"],
            moves=self._counts["moved"],
            refusals={},
            events=self._state.number,
            last_event_at=self._events[-1].at if self._events else None,
            durable=True,
        )

    def _decisions(self) -> Decisions:
        return Decisions(self._state, self._clock())

    def _run(self, decide: Callable[[Decisions], T]) -> "Future[T]":
        future: Future[T] = Future()
        with self._lock:
            decisions = self._decisions()
            try:
                decisions.expire()
                future.set_result(decide(decisions))
            except Exception as error:
                future.set_exception(error)
            self._events.extend(decisions.events)
            self._counts.update(event.kind for event in decisions.events)
        return future
