"""The engine: places demands on machines that are open, or opens one."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from cotenant.arrays import IntArray
from cotenant.colocate.admission import ExplainedAdmission, Verdict
from cotenant.colocate.picking import pick
from cotenant.colocate.rules import Rule, best_fit
from cotenant.errors import DoesNotFit, InvalidInput, UnknownTask

D = TypeVar("D")
C = TypeVar("C")


@dataclass(frozen=True, slots=True)
class Placed(Generic[D]):
    """Where a task went, and the demand as it was admitted."""

    machine: int
    demand: D


def as_asked(demand: D) -> Iterable[D]:
    """Offer the demand as it is and nothing else."""
    return (demand,)


class Placer(Generic[D, C]):
    """Place tasks one by one; machines that are open come before new ones.

    Parameters
    ----------
    admission
        Says which machines may take a demand. Owned by the placer from now on.
    open_machine
        Given a demand, returns the capacity of a new machine that takes it alone, or
        raises `DoesNotFit`.
    rule
        Picks one of the machines that fit.
    alternatives
        Yields the demands that may stand in for the one asked, the asked one first.
    """

    def __init__(
        self,
        admission: ExplainedAdmission[D, C],
        open_machine: Callable[[str, D], C],
        rule: Rule = best_fit,
        alternatives: Callable[[D], Iterable[D]] = as_asked,
    ) -> None:
        self._admission, self._open, self._rule = admission, open_machine, rule
        self._alternatives = alternatives
        self._placed: dict[str, Placed[D]] = {}
        self._tasks: list[dict[str, D]] = []
        self.machines: list[C] = []

    def place(self, task: str, demand: D) -> Placed[D]:
        """Put a task on a machine and return where.

        Raises
        ------
        InvalidInput
            If a task of that name is already placed.
        DoesNotFit
            If no open machine takes it and none can be opened for it.
        """
        return self.join(task, demand) or self.open(task, demand)

    def join(self, task: str, demand: D) -> Placed[D] | None:
        """Put a task on an open machine, None if none takes it.

        Raises
        ------
        InvalidInput
            If a task of that name is already placed.
        """
        if task in self._placed:
            raise InvalidInput(f"task {task!r} is placed already")
        for offered in self._alternatives(demand):
            machine = self.choose(offered)
            if machine is not None:
                return self.put(task, machine, offered)
        return None

    def fill(self, demands: Mapping[str, D], where: IntArray) -> list[DoesNotFit]:
        """Note tasks that the admission has put on machines in one go.

        Parameters
        ----------
        where
            The machine of each task as `Runs.run` returns it.

        Returns
        -------
        list
            For tasks on no machine, the reason.
        """
        refused = []
        for (task, demand), machine in zip(
            demands.items(), where.tolist(), strict=True
        ):
            try:
                if machine < 0 or machine == len(self.machines):
                    self.machines.append(self._open(task, demand))
                    self._tasks.append({})
            except DoesNotFit as refusal:
                refused.append(refusal)
            else:
                self._tasks[machine][task] = demand
                self._placed[task] = Placed(machine, demand)
        return refused

    def open(self, task: str, demand: D) -> Placed[D]:
        """Put a task, not placed, on a new machine.

        Raises
        ------
        DoesNotFit
            If none can be opened for it.
        """
        self.machines.append(self._open(task, demand))
        self._admission.grow(self.machines[-1])
        self._tasks.append({})
        return self.put(task, len(self.machines) - 1, demand)

    def choose(self, demand: D) -> int | None:
        """Return the open machine the rule would pick, None if none fits."""
        return pick(self._admission, self._rule, demand)

    def remove(self, task: str) -> Placed[D]:
        """Take a task off its machine; the machine stays open.

        Raises
        ------
        UnknownTask
            If it is not placed.
        """
        placed = self._placed.pop(task, None)
        if placed is None:
            raise UnknownTask(task)
        self._admission.remove(placed.machine, placed.demand)
        del self._tasks[placed.machine][task]
        return placed

    def move(self, task: str, machine: int) -> Placed[D]:
        """Put a placed task on another open machine, which the caller has tested."""
        return self.put(task, machine, self.remove(task).demand)

    def put(self, task: str, machine: int, demand: D) -> Placed[D]:
        """Put a task, not placed, on an open machine, which the caller has tested."""
        self._admission.add(machine, demand)
        self._tasks[machine][task] = demand
        self._placed[task] = Placed(machine, demand)
        return self._placed[task]

    def fits(self, task: str, machine: int) -> bool:
        """Say whether a placed task might also join that machine."""
        return self._admission.verdict(machine, self._placed[task].demand).fits

    def verdict(self, machine: int, demand: D) -> Verdict:
        """Return what the machine would reach with the demand on it."""
        return self._admission.verdict(machine, demand)

    def refusals(self, demand: D, chosen: int | None, most: int) -> list[int]:
        """Return machines the rule prefers to `chosen` that refuse, the best first.

        Asked before the demand is placed; `chosen` is what `choose` returned.
        """
        fits, fullness = self._admission.fits(demand), self._admission.fullness()
        found: list[int] = []
        open_ones = ~fits
        while len(found) < most and open_ones.any():
            preferred = self._rule(open_ones, fullness)
            assert preferred is not None
            if chosen is not None:
                both = open_ones.copy()
                both[chosen] = True
                if self._rule(both, fullness) == chosen:
                    break
            found.append(preferred)
            open_ones[preferred] = False
        return found

    def tasks(self, machine: int) -> dict[str, D]:
        """Return the demands on a machine by task, in the order they joined."""
        return dict(self._tasks[machine])
