"""Several placers side by side, for fleets beyond what one of them answers for."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import numpy as np

from cotenant.colocate.placer import Placed, Placer
from cotenant.errors import DoesNotFit, InvalidInput, UnknownTask

D = TypeVar("D")
C = TypeVar("C")


class ShardedPlacer(Generic[D, C]):
    """Place tasks through groups of machines, each with a placer of its own.

    A task goes to the group with the most spare capacity, the first on a tie. What has
    to be known of a group is that one number, and its answer needs nothing of the other
    groups, which may be other processes. The price is machines: a group opens one while
    another has one that could have taken the task.

    Parameters
    ----------
    groups
        Placers without tasks.
    capacity
        What the machines of each group offer together, those not opened yet too.
    load
        What a demand takes on average, in the same unit.

    Examples
    --------
    Two groups of ten machines, each machine of capacity 1:

    >>> from cotenant import Usage
    >>> from cotenant.colocate.methods import make_admission
    >>> groups = [
    ...     Placer(make_admission("exact", rho=0.001), lambda task, usage: 1.0)
    ...     for _ in range(2)
    ... ]
    >>> fleet = ShardedPlacer(groups, [10.0, 10.0], lambda usage: usage.mean)
    >>> web = Usage.from_samples([0.1, 0.2, 0.3])
    >>> [fleet.place(f"web-{n}", web).machine for n in range(5)]
    [0, 1, 0, 1, 0]
    >>> [fleet.group(machine) for machine in (0, 1)], len(fleet.tasks(0))
    ([0, 1], 3)
    >>> fleet.remove("web-1").machine
    1
    """

    def __init__(
        self,
        groups: Sequence[Placer[D, C]],
        capacity: Sequence[float],
        load: Callable[[D], float],
    ) -> None:
        self._groups, self._load = groups, load
        self._capacity = np.array(capacity, dtype=np.float64)
        self._used = np.zeros(len(groups))
        self._tasks = [0] * len(groups)
        self._group_of: dict[str, int] = {}
        self._numbers: list[list[int]] = [[] for _ in groups]
        self._opened: list[tuple[int, int]] = []

    @property
    def machines(self) -> list[C]:
        """All machines, in the order they were opened."""
        return [self._groups[g].machines[number] for g, number in self._opened]

    @property
    def spare(self) -> list[float]:
        """Capacity less mean load of each group."""
        return [float(spare) for spare in self._capacity - self._used]

    def group(self, machine: int) -> int:
        """Return the group that a machine is in."""
        return self._opened[machine][0]

    def place(self, task: str, demand: D) -> Placed[D]:
        """Put a task on a machine of some group and return where.

        Raises
        ------
        InvalidInput
            If a task of that name is already placed.
        DoesNotFit
            If that group does not take it on a machine that is open, and no group can
            open one for it; the reason is that of the first.
        """
        if task in self._group_of:
            raise InvalidInput(f"task {task!r} is placed already")
        spare = np.argsort(self._used - self._capacity, kind="stable").tolist()
        placed = self._groups[spare[0]].join(task, demand)
        if placed is not None:
            return self._note(task, spare[0], placed)
        return self._open(task, demand, spare)

    def remove(self, task: str) -> Placed[D]:
        """Take a task off its machine; the machine stays open, and in its group.

        Raises
        ------
        UnknownTask
            If it is not placed.
        """
        if task not in self._group_of:
            raise UnknownTask(task)
        group = self._group_of.pop(task)
        placed = self._groups[group].remove(task)
        self._tasks[group] -= 1
        # What subtraction leaves of an empty group is rounding.
        left = self._used[group] - self._load(placed.demand)
        self._used[group] = left if self._tasks[group] else 0.0
        return Placed(self._numbers[group][placed.machine], placed.demand)

    def tasks(self, machine: int) -> dict[str, D]:
        """Return the demands on a machine by task, in the order they joined."""
        group, number = self._opened[machine]
        return self._groups[group].tasks(number)

    def _open(self, task: str, demand: D, groups: Sequence[int]) -> Placed[D]:
        refusals: list[DoesNotFit] = []
        for group in groups:
            try:
                placed = self._groups[group].open(task, demand)
            except DoesNotFit as refusal:
                refusals.append(refusal)
            else:
                self._numbers[group].append(len(self._opened))
                self._opened.append((group, placed.machine))
                return self._note(task, group, placed)
        raise refusals[0]

    def _note(self, task: str, group: int, placed: Placed[D]) -> Placed[D]:
        self._group_of[task] = group
        self._tasks[group] += 1
        self._used[group] += self._load(placed.demand)
        return Placed(self._numbers[group][placed.machine], placed.demand)
