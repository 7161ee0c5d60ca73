"""Machines that are one host each, for tasks with random usage."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.colocate.admission import ExplainedAdmission, Verdict
from cotenant.demand.task import Task
from cotenant.fleet import Machine
from cotenant.service.asked import MachineSpec
from cotenant.service.fixed import FixedPlacer
from cotenant.service.side import mask_of

Part: TypeAlias = ExplainedAdmission[Task, Machine]

UNLIMITED = float("inf")


class HostSide(ABC):
    """Hosts behind one test; see `Side` for what each method answers.

    Parameters
    ----------
    test
        Says which hosts may take a task, in the form that `counted` gives it.
    rule
        Picks one of them.
    """

    def __init__(self, test: Part, rule: str) -> None:
        self.placer: FixedPlacer[Task, Machine] = FixedPlacer(test, rule)
        self._first = rule == "first-fit"

    @abstractmethod
    def fullness(self) -> FloatArray:
        """Return mean CPU load over capacity: `(hosts,)`."""

    def counted(self, demand: Task) -> Task:
        """Return a task with all that the test asks of it."""
        return demand

    def declare(self, spec: MachineSpec) -> range:
        capacity = {"memory": UNLIMITED, **spec.capacity}
        host = self.placer.declare(Machine(spec.name, spec.name, "", capacity))
        return range(host, host + 1)

    def close(self, hosts: range) -> None:
        for host in hosts:
            self.placer.gate.close(host)

    def choose(
        self, demand: Task, among: Sequence[int] | None = None
    ) -> tuple[int, Task] | None:
        allowed = self.placer.gate.open_ones()
        if among is not None:
            allowed = allowed & mask_of(len(allowed), among)
        host = self.placer.choose_among(self.counted(demand), allowed)
        return None if host is None else (host, demand)

    def put(self, key: str, host: int, demand: Task) -> None:
        self.placer.put(key, host, self.counted(demand))

    def remove(self, key: str) -> None:
        self.placer.remove(key)

    def fill(self, demands: Iterable[tuple[str, int, Task]]) -> None:
        for key, host, demand in demands:
            self.put(key, host, demand)

    def verdicts(self, hosts: Sequence[int], demand: Task) -> list[Verdict]:
        counted = self.counted(demand)
        return [self.placer.verdict(host, counted) for host in hosts]

    def preference(self) -> FloatArray:
        fullness = self.fullness()
        return np.zeros_like(fullness) if self._first else fullness

    def load(self, hosts: range) -> float:
        return float(self.fullness()[hosts[0]])
