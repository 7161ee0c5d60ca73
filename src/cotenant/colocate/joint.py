"""Several tests at once: resources, a limit of tasks, replicas and groups apart."""

from collections.abc import Mapping, Sequence

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.colocate.admission import ExplainedAdmission, Verdict
from cotenant.colocate.picking import Runs, pick
from cotenant.colocate.rules import Rule
from cotenant.colocate.stacks import Rows
from cotenant.demand.task import Task
from cotenant.demand.usage import Usage
from cotenant.fleet import Machine


class ResourceAdmission:
    """Ask a test about one resource of a task.

    A task that was never measured in the resource joins any machine as far as this
    resource is concerned.

    Parameters
    ----------
    resource
        Which usage of a task and which capacity of a machine to hand on.
    test
        The admission test of that resource.
    """

    def __init__(self, resource: str, test: ExplainedAdmission[Usage, float]) -> None:
        self._resource, self._test = resource, test

    def grow(self, capacity: Machine) -> None:
        self._test.grow(capacity.capacity[self._resource])

    def fits(self, demand: Task) -> BoolArray:
        usage = demand.usage.get(self._resource)
        if usage is None:
            return np.ones(len(self._test.fullness()), dtype=np.bool_)
        return self._test.fits(usage)

    def fullness(self) -> FloatArray:
        return self._test.fullness()

    def pick(
        self, demand: Task, rule: Rule, allowed: BoolArray | None = None
    ) -> int | None:
        usage = demand.usage.get(self._resource)
        if usage is not None:
            return pick(self._test, rule, usage, allowed)
        return rule(self.fits(demand) if allowed is None else allowed, self.fullness())

    @property
    def runs(self) -> bool:
        """Whether the test packs a list of tasks in one go."""
        return isinstance(self._test, Runs)

    def run(self, demands: Sequence[Task], rule: Rule, capacity: Machine) -> IntArray:
        """Pack tasks measured in the resource, if the test can."""
        assert isinstance(self._test, Runs)
        usages = [demand.usage[self._resource] for demand in demands]
        return self._test.run(usages, rule, capacity.capacity[self._resource])

    def add(self, machine: int, demand: Task) -> None:
        if self._resource in demand.usage:
            self._test.add(machine, demand.usage[self._resource])

    def remove(self, machine: int, demand: Task) -> None:
        if self._resource in demand.usage:
            self._test.remove(machine, demand.usage[self._resource])

    def verdict(self, machine: int, demand: Task) -> Verdict:
        usage = demand.usage.get(self._resource)
        if usage is None:
            return Verdict(self._resource, 0.0, 0.0, f"{self._resource} not measured")
        found = self._test.verdict(machine, usage)
        return Verdict(self._resource, found.value, found.limit, found.words)


class CountAdmission:
    """Admit at most `limit` tasks on a machine."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._count = Rows()

    def grow(self, capacity: Machine) -> None:
        self._count.grow()

    def fits(self, demand: Task) -> BoolArray:
        return self._count.all < self._limit

    def fullness(self) -> FloatArray:
        return self._count.all / self._limit

    def add(self, machine: int, demand: Task) -> None:
        self._count.all[machine] += 1

    def remove(self, machine: int, demand: Task) -> None:
        self._count.all[machine] -= 1

    def verdict(self, machine: int, demand: Task) -> Verdict:
        count = int(self._count.all[machine]) + 1
        words = f"{count} tasks, limit {self._limit}"
        return Verdict("tasks", count, self._limit, words)


class SpreadAdmission:
    """Keep tasks with the same label on different machines."""

    def __init__(self) -> None:
        self._labels: list[dict[str, int]] = []

    def grow(self, capacity: Machine) -> None:
        self._labels.append({})

    def fits(self, demand: Task) -> BoolArray:
        if demand.label is None:
            return np.ones(len(self._labels), dtype=np.bool_)
        free = [demand.label not in labels for labels in self._labels]
        return np.array(free, dtype=np.bool_)

    def fullness(self) -> FloatArray:
        return np.array([float(bool(labels)) for labels in self._labels])

    def add(self, machine: int, demand: Task) -> None:
        if demand.label is not None:
            labels = self._labels[machine]
            labels[demand.label] = labels.get(demand.label, 0) + 1

    def remove(self, machine: int, demand: Task) -> None:
        if demand.label is not None:
            labels = self._labels[machine]
            labels[demand.label] -= 1
            if not labels[demand.label]:
                del labels[demand.label]

    def verdict(self, machine: int, demand: Task) -> Verdict:
        held = self._labels[machine].get(demand.label or "", 0)
        words = f"{held} replicas of {demand.label!r} already there"
        return Verdict("replicas", held, 0, words)


class GroupAdmission:
    """Keep each group of tasks on machines of its own.

    A machine belongs to the group of its first task until it is empty again.

    Parameters
    ----------
    group_of
        Group of each task by name.
    """

    def __init__(self, group_of: Mapping[str, int]) -> None:
        self._group_of = group_of
        self._group, self._count = Rows(), Rows()

    def grow(self, capacity: Machine) -> None:
        self._group.grow()
        self._count.grow()

    def fits(self, demand: Task) -> BoolArray:
        own = self._group.all == self._group_of[demand.name]
        return np.asarray(own | (self._count.all == 0))

    def fullness(self) -> FloatArray:
        return np.minimum(self._count.all, 1.0)

    def add(self, machine: int, demand: Task) -> None:
        self._group.all[machine] = self._group_of[demand.name]
        self._count.all[machine] += 1

    def remove(self, machine: int, demand: Task) -> None:
        self._count.all[machine] -= 1

    def verdict(self, machine: int, demand: Task) -> Verdict:
        own, its = self._group_of[demand.name], int(self._group.all[machine])
        apart = bool(self._count.all[machine]) and own != its
        words = f"group {own} on a machine of group {its}"
        return Verdict("group", float(apart), 0.0, words)


class JointAdmission:
    """Admit where every part admits; fullness is that of the first part.

    Parameters
    ----------
    parts
        At least one; the first one is asked for fullness.
    """

    def __init__(self, parts: Sequence[ExplainedAdmission[Task, Machine]]) -> None:
        self._parts = parts

    def grow(self, capacity: Machine) -> None:
        for part in self._parts:
            part.grow(capacity)

    def fits(self, demand: Task) -> BoolArray:
        result = self._parts[0].fits(demand)
        for part in self._parts[1:]:
            result = result & part.fits(demand)
        return result

    def fullness(self) -> FloatArray:
        return self._parts[0].fullness()

    def pick(
        self, demand: Task, rule: Rule, allowed: BoolArray | None = None
    ) -> int | None:
        for part in self._parts[1:]:
            fits = part.fits(demand)
            allowed = fits if allowed is None else allowed & fits
        return pick(self._parts[0], rule, demand, allowed)

    def add(self, machine: int, demand: Task) -> None:
        for part in self._parts:
            part.add(machine, demand)

    def remove(self, machine: int, demand: Task) -> None:
        for part in self._parts:
            part.remove(machine, demand)

    def verdict(self, machine: int, demand: Task) -> Verdict:
        """Return the first part that refuses, else that of the first part."""
        verdicts = [part.verdict(machine, demand) for part in self._parts]
        return next((v for v in verdicts if not v.fits), verdicts[0])
