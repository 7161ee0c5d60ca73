"""Machines of a fleet, opened one by one as tasks need them."""

from collections.abc import Callable
from typing import Generic, TypeVar

from cotenant.colocate.admission import ExplainedAdmission, Verdict
from cotenant.errors import DoesNotFit
from cotenant.fleet import Fleet, Machine, MachineType

D = TypeVar("D")


class Supply(Generic[D]):
    """Opens the cheapest machine per core that takes a task by itself.

    Parameters
    ----------
    fleet
        The machines there are, spares taken out.
    make_admission
        Makes an empty admission; each type gets one, with a single empty machine, to
        test tasks alone.
    """

    def __init__(
        self, fleet: Fleet, make_admission: Callable[[], ExplainedAdmission[D, Machine]]
    ) -> None:
        self._types = [kind for kind, _ in fleet.usable()]
        self._counts = [count for _, count in fleet.usable()]
        self._opened = [0] * len(self._types)
        self._alone = []
        for kind in self._types:
            admission = make_admission()
            admission.grow(Machine(kind.name, kind.type, kind.capacity))
            self._alone.append(admission)

    def open(self, task: str, demand: D) -> Machine:
        """Return a new machine for a task.

        Raises
        ------
        DoesNotFit
            If no type takes the task alone, or those that do are used up.
        """
        able = [i for i, alone in enumerate(self._alone) if bool(alone.fits(demand)[0])]
        if not able:
            raise self._too_big(task, demand)
        for i in able:
            count = self._counts[i]
            if count is None or self._opened[i] < count:
                self._opened[i] += 1
                return self._machine(self._types[i], self._opened[i])
        names = ", ".join(self._types[i].name for i in able)
        reason = f"all machines that take it are in use ({names})"
        raise DoesNotFit(task, "machines", reason)

    def _machine(self, kind: MachineType, number: int) -> Machine:
        name = kind.name if kind.count == 1 else f"{kind.name}-{number:04d}"
        return Machine(name, kind.type, kind.capacity)

    def _too_big(self, task: str, demand: D) -> DoesNotFit:
        verdicts: list[Verdict] = [a.verdict(0, demand) for a in self._alone]
        nearest = min(verdicts, key=lambda v: v.value / v.limit if v.limit else v.value)
        reason = f"exceeds every machine by itself: {nearest.words}"
        return DoesNotFit(task, nearest.resource, reason)
