"""What readers may ask of a placement core: answers at once, of durable state only."""

from collections.abc import Callable

from cotenant.errors import UnknownMachine, UnknownTask
from cotenant.service.answers import Event, MachineView, Summary, TaskView
from cotenant.service.asked import Settings
from cotenant.service.ledger import Ledger
from cotenant.service.published import stale_machines, summarize
from cotenant.service.views import task_view
from cotenant.service.writer import Writer

PAGE = 1_000  # events looked through at once


class Lookups:
    """The reading half of `Placement`; from any thread."""

    settings: Settings
    _ledger: Ledger
    _writer: Writer
    _clock: Callable[[], float]

    def task(self, name: str) -> TaskView:
        """Return a placed task.

        Raises
        ------
        UnknownTask
            If it is not placed.
        """
        held = self._writer.published.tasks.get(name)
        if held is None:
            raise UnknownTask(name)
        return task_view(held)

    def tasks(self) -> list[TaskView]:
        """Return all tasks, in the order they were placed."""
        return [task_view(held) for held in list(self._writer.published.tasks.values())]

    def machine(self, name: str) -> MachineView:
        """Return a machine.

        Raises
        ------
        UnknownMachine
            If it is not in the fleet.
        """
        found = self._writer.published.machines.get(name)
        if found is None:
            raise UnknownMachine(name)
        return found

    def machines(self) -> list[MachineView]:
        """Return all machines, in the order they were declared."""
        return list(self._writer.published.machines.values())

    def events(
        self,
        after: int = 0,
        limit: int = 1000,
        task: str | None = None,
        machine: str | None = None,
    ) -> list[Event]:
        """Return events with a number above `after`, in order, at most `limit`.

        Parameters
        ----------
        task, machine
            Only events about it, where a name is given; with both, about both.
        """
        names = [name for name in (task, machine) if name is not None]
        if not names:
            return self._ledger.read(after, limit)
        found: list[Event] = []
        # The database finds texts, wherever they are; what they name is seen here.
        while page := self._ledger.naming(names, after, PAGE):
            found += [event for event in page if event.about(task, machine)]
            if len(found) >= limit or len(page) < PAGE:
                break
            after = page[-1].number
        return found[:limit]

    @property
    def durable(self) -> bool:
        """Whether the last write to the database succeeded."""
        return self._writer.durable

    def stale_machines(self, now: float) -> dict[str, tuple[int, float | None]]:
        """Return by machine how many tasks are stale, and when the oldest was read."""
        return stale_machines(self.settings, self._writer.published, now)

    def summary(self) -> Summary:
        """Return the fleet at a glance."""
        shown = self._writer.published
        return summarize(self.settings, shown, self._clock(), self._writer.durable)
