"""Machines for tasks with random usage whose days are replayed."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from cotenant.arrays import BoolArray, FloatArray
from cotenant.colocate.admission import ExplainedAdmission, Verdict
from cotenant.colocate.joint import JointAdmission, ResourceAdmission, SpreadAdmission
from cotenant.colocate.methods import make_admission
from cotenant.colocate.replayed import ReplayAdmission
from cotenant.demand.task import Task
from cotenant.fleet import Machine
from cotenant.service.asked import MachineSpec, Settings
from cotenant.service.fixed import FixedPlacer
from cotenant.service.keeping.kept import Kept
from cotenant.service.side import mask_of

Part: TypeAlias = ExplainedAdmission[Task, Machine]

UNLIMITED = float("inf")


class ReplaySide:
    """Hosts whose tasks are admitted by replay, with the margin in force.

    What is replayed stays as it is until the next night, when a new side is made.
    """

    def __init__(self, settings: Settings, kept: Kept) -> None:
        self._settings, self._kept = settings, kept
        self._first = settings.rule == "first-fit"
        self._replay, admission = self._tests()
        self.placer: FixedPlacer[Task, Machine] = FixedPlacer(admission, settings.rule)

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
        host = self.placer.choose_among(self._dressed(demand), allowed)
        return None if host is None else (host, demand)

    def put(self, key: str, host: int, demand: Task) -> None:
        self.placer.put(key, host, self._dressed(demand))

    def remove(self, key: str) -> None:
        self.placer.remove(key)

    def fill(self, demands: Iterable[tuple[str, int, Task]]) -> None:
        for key, host, demand in demands:
            self.put(key, host, demand)

    def verdicts(self, hosts: Sequence[int], demand: Task) -> list[Verdict]:
        dressed = self._dressed(demand)
        return [self.placer.verdict(host, dressed) for host in hosts]

    def alone(self, host: int, demand: Task) -> bool:
        _, empty = self._tests()
        empty.grow(self.placer.machines[host])
        return bool(empty.fits(self._dressed(demand))[0])

    def preference(self) -> FloatArray:
        fullness = self._replay.fullness()
        return np.zeros_like(fullness) if self._first else fullness

    def overload(self, host: int) -> float:
        """Return the share of the replayed moments above capacity."""
        above = self._replay.above(host, 1.0)
        return float(above.mean()) if len(above) else 0.0

    def load(self, hosts: range) -> float:
        return float(self._replay.fullness()[hosts[0]])

    def keeps(self, host: int, margin: float) -> bool:
        """Say whether a host stays within the promise with a margin."""
        above = self._replay.above(host, margin)
        return int(above.sum()) <= self._replay.allowed

    def above(self, host: int, margin: float) -> BoolArray:
        """Return at which moments a host is above what a margin leaves."""
        return self._replay.above(host, margin)

    def replayed(self, host: int) -> FloatArray:
        """Return what the tasks of a host used together, moment by moment."""
        return self._replay.load(host)

    def _tests(self) -> tuple[ReplayAdmission, JointAdmission]:
        rho, margin = self._settings.rho, self._kept.daybook.margin
        replay = ReplayAdmission(rho, margin)
        memory = ResourceAdmission("memory", make_admission("max", rho))
        cpu = ResourceAdmission("cpu", replay)
        parts: list[Part] = [cpu, memory, SpreadAdmission()]
        return replay, JointAdmission(parts)

    def _dressed(self, demand: Task) -> Task:
        cpu = replace(demand.usage["cpu"], series=self._kept.series(demand))
        return replace(demand, usage={**demand.usage, "cpu": cpu})
