"""Machines of a fleet, opened one by one as tasks need them."""

from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from cotenant.colocate.admission import ExplainedAdmission, Verdict
from cotenant.errors import DoesNotFit
from cotenant.fleet import Fleet, Machine

D = TypeVar("D")


class Supply(Generic[D]):
    """Opens the cheapest machine per core that takes a task by itself.

    Parameters
    ----------
    fleet
        The machines there are, spares taken out.
    make_admission
        Makes an empty admission; one with an empty machine of each type tests tasks
        alone.
    """

    def __init__(
        self, fleet: Fleet, make_admission: Callable[[], ExplainedAdmission[D, Machine]]
    ) -> None:
        self._types = [kind for kind, _ in fleet.usable()]
        self._counts = [count for _, count in fleet.usable()]
        self._opened = [0] * len(self._types)
        first = self._types[0].machine(1)
        # What every machine is like, where all are and there are as many as needed.
        self.only = first if self._counts == [None] else None
        self._alone = make_admission()
        for kind in self._types:
            self._alone.grow(kind.machine(1))

    def open(self, task: str, demand: D) -> Machine:
        """Return a new machine for a task.

        Raises
        ------
        DoesNotFit
            If no type takes the task alone, or those that do are used up.
        """
        able = np.flatnonzero(self._alone.fits(demand))
        if not len(able):
            raise self._too_big(task, demand)
        for i in able:
            count = self._counts[i]
            if count is None or self._opened[i] < count:
                self._opened[i] += 1
                return self._types[i].machine(self._opened[i])
        names = ", ".join(self._types[i].name for i in able)
        reason = f"all machines that take it are in use or kept spare ({names})"
        raise DoesNotFit(task, "machines", reason)

    def verdict(self, machine: Machine, demand: D) -> Verdict:
        """Return what a machine of the fleet would reach with the demand alone."""
        kind = next(i for i, t in enumerate(self._types) if t.name == machine.kind)
        return self._alone.verdict(kind, demand)

    def _too_big(self, task: str, demand: D) -> DoesNotFit:
        numbers = range(len(self._types))
        verdicts = [self._alone.verdict(i, demand) for i in numbers]
        nearest = min(verdicts, key=lambda v: v.value / v.limit if v.limit else v.value)
        reason = f"exceeds every machine by itself: {nearest.words}"
        return DoesNotFit(task, nearest.resource, reason)
