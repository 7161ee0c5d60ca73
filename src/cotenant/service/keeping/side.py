"""Machines for tasks with random usage whose days are replayed."""

from dataclasses import replace

from cotenant.arrays import BoolArray, FloatArray
from cotenant.colocate.joint import JointAdmission, ResourceAdmission, SpreadAdmission
from cotenant.colocate.methods import make_admission
from cotenant.colocate.replayed import ReplayAdmission
from cotenant.demand.task import Task
from cotenant.service.asked import Settings
from cotenant.service.host_side import HostSide, Part
from cotenant.service.keeping.kept import Kept


class ReplaySide(HostSide):
    """Hosts whose tasks are admitted by replay, with the margin in force.

    What is replayed stays as it is until the next night, when a new side is made.
    """

    def __init__(self, settings: Settings, kept: Kept) -> None:
        self._settings, self._kept = settings, kept
        self._replay, test = self._tests()
        super().__init__(test, settings.rule)

    def counted(self, demand: Task) -> Task:
        cpu = replace(demand.usage["cpu"], series=self._kept.series(demand))
        return replace(demand, usage={**demand.usage, "cpu": cpu})

    def alone(self, host: int, demand: Task) -> bool:
        _, empty = self._tests()
        empty.grow(self.placer.machines[host])
        return bool(empty.fits(self.counted(demand))[0])

    def fullness(self) -> FloatArray:
        return self._replay.fullness()

    def overload(self, host: int) -> float:
        """Return the share of the replayed moments above capacity."""
        above = self._replay.above(host, 1.0)
        return float(above.mean()) if len(above) else 0.0

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
