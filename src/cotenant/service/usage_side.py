"""Machines for tasks with random usage."""

from collections.abc import Iterable, Sequence

from cotenant.arrays import BoolArray, FloatArray
from cotenant.colocate.admission import Verdict
from cotenant.colocate.exact import ExactAdmission
from cotenant.colocate.joint import JointAdmission, ResourceAdmission, SpreadAdmission
from cotenant.colocate.methods import make_admission
from cotenant.demand.task import Task
from cotenant.service.asked import Settings
from cotenant.service.fixed import Watch
from cotenant.service.host_side import HostSide, Part
from cotenant.service.side import mask_of


class UsageSide(HostSide):
    """Hosts whose tasks are admitted by the method of the settings.

    The exact method is asked directly, without the parts that have no say in a task.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._exact = settings.method == "exact"
        self._odds = ExactAdmission(settings.rho)
        self._memory = ResourceAdmission("memory", make_admission("max", settings.rho))
        self._spread = SpreadAdmission()
        parts: list[Part] = [_cpu(settings, self._odds), self._memory, self._spread]
        if not self._exact:
            # Overload is told by the exact test whatever the method that decides.
            parts.append(ResourceAdmission("cpu", Watch(self._odds)))
        super().__init__(JointAdmission(parts), settings.rule)
        self._empty: dict[tuple[tuple[str, float], ...], Part] = {}

    def choose(
        self, demand: Task, among: Sequence[int] | None = None
    ) -> tuple[int, Task] | None:
        if not self._exact:
            return super().choose(demand, among)
        allowed = self._allowed(demand)
        if among is not None:
            allowed = allowed & mask_of(len(allowed), among)
        host = self._odds.pick(demand.usage["cpu"], self.placer.rule, allowed)
        return None if host is None else (host, demand)

    def fill(self, demands: Iterable[tuple[str, int, Task]]) -> None:
        held = list(demands)
        with self._odds.deferred():
            super().fill(held)

    def verdicts(self, hosts: Sequence[int], demand: Task) -> list[Verdict]:
        if not self._exact:
            return super().verdicts(hosts, demand)
        found = self._odds.verdicts(hosts, demand.usage["cpu"])
        allowed = self._allowed(demand)[list(hosts)].tolist()
        # Only where another part may refuse is the whole test asked.
        return [
            verdict if others else self.placer.verdict(host, demand)
            for host, verdict, others in zip(hosts, found, allowed, strict=True)
        ]

    def alone(self, host: int, demand: Task) -> bool:
        capacity = self.placer.machines[host].capacity
        size = tuple(sorted(capacity.items()))
        if size not in self._empty:
            exact = ExactAdmission(self._settings.rho)
            memory = make_admission("max", self._settings.rho)
            self._empty[size] = JointAdmission(
                [_cpu(self._settings, exact), ResourceAdmission("memory", memory)]
            )
            self._empty[size].grow(self.placer.machines[host])
        return bool(self._empty[size].fits(demand)[0])

    def fullness(self) -> FloatArray:
        return self._odds.fullness()

    def overload(self, host: int) -> float:
        return self._odds.overload(host)

    def load(self, hosts: range) -> float:
        return self._odds.load(hosts[0])

    def _allowed(self, demand: Task) -> BoolArray:
        """Return the open hosts that all but the test of CPU admit to."""
        allowed = self.placer.gate.open_ones()
        if "memory" in demand.usage:
            allowed = allowed & self._memory.fits(demand)
        if demand.label is not None:
            allowed = allowed & self._spread.fits(demand)
        return allowed


def _cpu(settings: Settings, exact: ExactAdmission) -> Part:
    if settings.method == "exact":
        return ResourceAdmission("cpu", exact)
    return ResourceAdmission("cpu", make_admission(settings.method, settings.rho))
