"""Machines for tasks with random usage."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.colocate.admission import ExplainedAdmission, Verdict
from cotenant.colocate.exact import ExactAdmission
from cotenant.colocate.joint import JointAdmission, ResourceAdmission, SpreadAdmission
from cotenant.colocate.methods import make_admission
from cotenant.demand.task import Task
from cotenant.fleet import Machine
from cotenant.service.asked import MachineSpec, Settings
from cotenant.service.fixed import FixedPlacer, Watch
from cotenant.service.side import mask_of

Part: TypeAlias = ExplainedAdmission[Task, Machine]

UNLIMITED = float("inf")


class UsageSide:
    """Hosts for tasks with random usage; a machine is one host."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._exact = settings.method == "exact"
        self._first = settings.rule == "first-fit"
        self._odds = ExactAdmission(settings.rho)
        self._memory = ResourceAdmission("memory", make_admission("max", settings.rho))
        self._spread = SpreadAdmission()
        parts: list[Part] = [_cpu(settings, self._odds), self._memory, self._spread]
        if not self._exact:
            # Overload is told by the exact test whatever the method that decides.
            parts.append(ResourceAdmission("cpu", Watch(self._odds)))
        self.placer: FixedPlacer[Task, Machine] = FixedPlacer(
            JointAdmission(parts), settings.rule
        )
        self._empty: dict[tuple[tuple[str, float], ...], Part] = {}

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
        if not self._exact:
            host = self.placer.choose_among(demand, allowed)
            return None if host is None else (host, demand)
        if "memory" in demand.usage:
            allowed = allowed & self._memory.fits(demand)
        if demand.label is not None:
            allowed = allowed & self._spread.fits(demand)
        host = self._odds.pick(demand.usage["cpu"], self.placer.rule, allowed)
        return None if host is None else (host, demand)

    def put(self, key: str, host: int, demand: Task) -> None:
        self.placer.put(key, host, demand)

    def remove(self, key: str) -> None:
        self.placer.remove(key)

    def fill(self, demands: Iterable[tuple[str, int, Task]]) -> None:
        held = list(demands)
        with self._odds.deferred():
            for key, host, demand in held:
                self.placer.put(key, host, demand)

    def verdicts(self, hosts: Sequence[int], demand: Task) -> list[Verdict]:
        if not self._exact:
            return [self.placer.verdict(host, demand) for host in hosts]
        found = self._odds.verdicts(hosts, demand.usage["cpu"])
        others = self.placer.gate.open_ones().copy()
        if "memory" in demand.usage:
            others &= self._memory.fits(demand)
        if demand.label is not None:
            others &= self._spread.fits(demand)
        # Only where another part may refuse is the whole test asked.
        return [
            verdict if other else self.placer.verdict(host, demand)
            for host, verdict, other in zip(
                hosts, found, others[list(hosts)].tolist(), strict=True
            )
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

    def preference(self) -> FloatArray:
        fullness = self._odds.fullness()
        return np.zeros_like(fullness) if self._first else fullness

    def overload(self, host: int) -> float:
        return self._odds.overload(host)

    def load(self, hosts: range) -> float:
        return self._odds.load(hosts[0])


def _cpu(settings: Settings, exact: ExactAdmission) -> Part:
    if settings.method == "exact":
        return ResourceAdmission("cpu", exact)
    return ResourceAdmission("cpu", make_admission(settings.method, settings.rho))
