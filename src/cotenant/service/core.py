"""The placement core: one door for HTTP, the extender and the dashboard."""

import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from cotenant.errors import ServiceUnavailable
from cotenant.service import placing, repacking, reserving, resizing
from cotenant.service.answers import (
    Assessed,
    Changed,
    MachineView,
    Placed,
    RepackPlan,
    Reservation,
    Resized,
    TaskView,
)
from cotenant.service.asked import MachineSpec, Settings, TaskSpec
from cotenant.service.desk import Desk
from cotenant.service.keeping.kept import Told
from cotenant.service.keeping.timing import NOW, Timing
from cotenant.service.ledger import Ledger
from cotenant.service.lookups import Lookups
from cotenant.service.picture import take_picture
from cotenant.service.repack import plan_moves
from cotenant.service.state import pod_key
from cotenant.service.views import machine_view, task_view
from cotenant.service.writer import Writer

T = TypeVar("T")


class Placement(Lookups):
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
        SQLAlchemy URL of the ledger; None for one that is gone with the process.
    clock
        Seconds since 1970.
    meanwhile
        Called in a thread of its own while the engine is filled from the ledger, which
        leaves the interpreter to others.

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
        meanwhile: Callable[[], None] | None = None,
    ) -> None:
        self.settings, self._clock = settings, clock
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if database is None:
            self._folder = tempfile.TemporaryDirectory(prefix="cotenant-")
            database = f"sqlite:///{self._folder.name}/ledger.db"
        self._ledger = Ledger(database)
        self._writer = Writer(settings, self._ledger, clock, meanwhile)
        self._writer.start()
        self._planner = ThreadPoolExecutor(1, thread_name_prefix="cotenant-repack")

    def close(self) -> None:
        """Finish what was asked, then stop; later calls fail."""
        self._planner.shutdown(cancel_futures=True)
        self._writer.close()
        if self._folder is not None:
            self._folder.cleanup()

    def add_machines(
        self, machines: Sequence[MachineSpec]
    ) -> Future[list[MachineView]]:
        """Declare machines, all or none. Declaring one again, equal, changes nothing.

        Raises
        ------
        Conflict
            If a name is taken by a machine with other facts, or one that drains.
        """
        return self._run(
            lambda desk: [
                machine_view(desk.state, name)
                for name in placing.add_machines(desk, machines)
            ]
        )

    def drain(self, machine: str) -> Future[MachineView | None]:
        """Let a machine take no more tasks and leave once empty; None: it has left.

        Its tasks stay until they are released or a repacking moves them.

        Raises
        ------
        UnknownMachine
            If it is not in the fleet.
        """
        return self._run(lambda desk: _drained(desk, machine))

    def resize(
        self, machine: str, capacity: Mapping[str, float], stay: bool = False
    ) -> Future[Resized]:
        """Change what a machine offers; tasks that no longer fit move.

        Parameters
        ----------
        stay
            Leave tasks with random usage where they are, even if the machine is then
            above its promise.

        Raises
        ------
        UnknownMachine
            If it is not in the fleet.
        Conflict
            If it drains, or room held for a pod would not fit.
        NothingFits
            If no machine takes a task that has to leave; nothing was changed.
        """
        return self._run(lambda desk: resizing.resize(desk, machine, capacity, stay))

    def place(
        self, tasks: Sequence[TaskSpec], key: str | None = None
    ) -> Future[list[Placed]]:
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
        return self._run(lambda desk: placing.place(desk, tasks, key))

    def release(self, task: str) -> Future[str]:
        """Take a task off and return the name of the machine it was on.

        Raises
        ------
        UnknownTask
            If it is not placed.
        """
        return self._run(lambda desk: placing.release(desk, task))

    def change(self, task: TaskSpec) -> Future[Changed]:
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
        return self._run(lambda desk: placing.change(desk, task))

    def update_usage(
        self,
        task: str,
        samples: Mapping[str, Sequence[float]],
        timing: Timing = NOW,
    ) -> Future[tuple[TaskView, float | None]]:
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
        return self._run(lambda desk: _measured(desk, task, samples, timing))

    def fail_usage(self, task: str, error: str) -> Future[TaskView]:
        """Say that a task could not be measured: its last usage stands, as stale.

        Raises
        ------
        UnknownTask
            If it is not placed.
        """
        return self._run(
            lambda desk: task_view(placing.fail_measuring(desk, task, error))
        )

    def reserve(
        self,
        uid: str,
        task: TaskSpec,
        machines: Sequence[str],
        lasts: float | None = None,
    ) -> Future[Reservation]:
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
        return self._run(
            lambda desk: reserving.reserve(desk, uid, task, machines, wait)
        )

    def unreserve(self, uid: str, why: str = "given up") -> Future[bool]:
        """Give up the reservation of a pod; False if there was none."""
        return self._run(lambda desk: reserving.unreserve(desk, uid, why))

    def confirm(self, uid: str, task: TaskSpec, machine: str) -> Future[Placed]:
        """Put a pod where Kubernetes has bound it, whether it fits there or not.

        Its reservation, wherever it is, ends. Repeating it changes nothing.

        Raises
        ------
        UnknownMachine
            If the machine is not in the fleet.
        """
        return self._run(lambda desk: reserving.confirm(desk, uid, task, machine))

    def expire(self) -> Future[int]:
        """Give up reservations that ran out; also done before every decision."""
        return self._run(reserving.expire)

    def repack(self) -> Future[RepackPlan]:
        """Work out moves that keep promises, empty draining machines, or save some."""
        try:
            return self._planner.submit(self._plan)
        except RuntimeError:  # it is closed
            stopped: Future[RepackPlan] = Future()
            stopped.set_exception(ServiceUnavailable("the service is stopping"))
            return stopped

    def apply(self, plan: str) -> Future[RepackPlan]:
        """Make exactly the moves of a plan.

        Measurements since the plan was made do not matter as long as every task still
        fits where the plan puts it.

        Raises
        ------
        UnknownPlan
            If there is none of that id.
        FleetChanged
            If a machine was added, drained or removed since, what is on a machine of
            the plan changed, or a task no longer fits.
        """
        return self._run(lambda desk: repacking.apply(desk, plan))

    def decide(self, decide: Callable[[Desk], T]) -> Future[T]:
        """Decide something on the state; done once what was decided is durable."""
        return self._run(decide)

    def kept(self) -> Told | None:
        """Return how the promise is kept; None where days are not replayed."""
        return self._writer.published.kept

    def assess(
        self, task: TaskSpec, machines: Sequence[str], uid: str | None = None
    ) -> list[Assessed]:
        """Say for machines, in the order given, what each would reach with a demand.

        Parameters
        ----------
        uid
            Pod whose own reservation does not count.
        """
        with self._asking() as desk:
            return reserving.assess(desk, task, machines, uid)

    def fits_without(
        self,
        task: TaskSpec,
        machine: str,
        leaving: Collection[str],
        uid: str | None = None,
    ) -> bool:
        """Say whether a machine would take a task once others have left it.

        Parameters
        ----------
        leaving
            Names of tasks; those that are not on the machine do not matter.
        uid
            Pod whose own reservation does not count.
        """
        own = () if uid is None else (pod_key(uid),)
        with self._asking() as desk:
            return reserving.fits_without(desk, task, machine, {*leaving, *own})

    @contextmanager
    def _asking(self) -> Iterator[Desk]:
        writer = self._writer
        with writer.lock:
            if writer.state is None:
                raise ServiceUnavailable("the ledger is not available")
            yield Desk(writer.state, self._clock())

    def _plan(self) -> RepackPlan:
        """Plan on a copy, in a thread of its own: it may take seconds."""
        picture = self._run(lambda desk: take_picture(desk.state)).result()
        worked = plan_moves(picture, self.settings)
        return self._run(lambda desk: repacking.propose(desk, picture, worked)).result()

    def _run(self, decide: Callable[[Desk], T]) -> Future[T]:
        return self._writer.submit(decide)


def _drained(desk: Desk, machine: str) -> MachineView | None:
    placing.drain(desk, machine)
    left = machine not in desk.state.machines
    return None if left else machine_view(desk.state, machine)


def _measured(
    desk: Desk, task: str, samples: Mapping[str, Sequence[float]], timing: Timing
) -> tuple[TaskView, float | None]:
    held = placing.measure(desk, task, samples, timing)
    return task_view(held), held.overload
