"""The engine over a fixed fleet: one side for random usage, one for SLAs."""

from collections.abc import Collection, Sequence
from typing import Generic, TypeVar

import numpy as np

from cotenant.arrays import BoolArray, FloatArray
from cotenant.colocate import RULES
from cotenant.colocate.admission import ExplainedAdmission, Verdict
from cotenant.colocate.exact import ExactAdmission
from cotenant.colocate.joint import JointAdmission, ResourceAdmission, SpreadAdmission
from cotenant.colocate.methods import make_admission
from cotenant.colocate.periodic import UnitHost, host_test
from cotenant.colocate.placer import Placer
from cotenant.demand.sla import Sla
from cotenant.demand.task import Task
from cotenant.errors import DoesNotFit
from cotenant.fleet import Machine
from cotenant.service.asked import MachineSpec, Settings

D = TypeVar("D")
C = TypeVar("C")

UNLIMITED = float("inf")


class Gate(Generic[D, C]):
    """Admit only on hosts that are open, where the test behind it admits too."""

    def __init__(self, test: ExplainedAdmission[D, C]) -> None:
        self._test = test
        self._open: list[bool] = []
        self._mask = np.zeros(0, dtype=np.bool_)

    def grow(self, capacity: C) -> None:
        self._test.grow(capacity)
        self._open.append(True)

    def close(self, host: int) -> None:
        """Admit nothing more on a host."""
        self._open[host] = False
        self._mask = np.zeros(0, dtype=np.bool_)

    def fits(self, demand: D) -> BoolArray:
        return self._test.fits(demand) & self.mask()

    def mask(self) -> BoolArray:
        """Return which hosts are open: `(hosts,)`."""
        if len(self._mask) != len(self._open):
            self._mask = np.array(self._open, dtype=np.bool_)
        return self._mask

    def fullness(self) -> FloatArray:
        return self._test.fullness()

    def add(self, machine: int, demand: D) -> None:
        self._test.add(machine, demand)

    def remove(self, machine: int, demand: D) -> None:
        self._test.remove(machine, demand)

    def verdict(self, machine: int, demand: D) -> Verdict:
        if not self._open[machine]:
            return Verdict("machine", 1.0, 0.0, "takes no more tasks")
        return self._test.verdict(machine, demand)


class FixedPlacer(Placer[D, C]):
    """A placer whose hosts are declared, not opened for tasks."""

    def __init__(self, test: ExplainedAdmission[D, C], rule: str) -> None:
        self.gate: Gate[D, C] = Gate(test)
        self._by_rule = RULES[rule]
        super().__init__(self.gate, _never, self._by_rule)

    def declare(self, capacity: C) -> int:
        """Add an empty host and return its number."""
        self.machines.append(capacity)
        self.gate.grow(capacity)
        self._tasks.append({})
        return len(self.machines) - 1

    def choose_among(self, demand: D, hosts: Sequence[int] | None) -> int | None:
        """Return the host the rule picks among some, or all; None if none fits."""
        fits = self.gate.fits(demand)
        if hosts is not None:
            allowed = np.zeros(len(fits), dtype=np.bool_)
            allowed[list(hosts)] = True
            fits = fits & allowed
        return self._by_rule(fits, self.gate.fullness())


class UsageSide:
    """Hosts for tasks with random usage; a machine is one host."""

    def __init__(self, settings: Settings) -> None:
        cpu = make_admission(settings.method, settings.rho)
        self._rho = settings.rho
        # Overload is told by the exact test whatever the method that decides.
        self._judge = (
            cpu if isinstance(cpu, ExactAdmission) else ExactAdmission(settings.rho)
        )
        self._memory = make_admission("max", settings.rho)
        parts: list[ExplainedAdmission[Task, Machine]] = [
            ResourceAdmission("cpu", cpu),
            ResourceAdmission("memory", self._memory),
            SpreadAdmission(),
        ]
        if self._judge is not cpu:
            parts.append(ResourceAdmission("cpu", _Watching(self._judge)))
        self.placer: FixedPlacer[Task, Machine] = FixedPlacer(
            JointAdmission(parts), settings.rule
        )

    def declare(self, spec: MachineSpec) -> range:
        """Add the host of a machine."""
        capacity = {"memory": UNLIMITED, **spec.capacity}
        host = self.placer.declare(Machine(spec.name, spec.name, "", capacity))
        return range(host, host + 1)

    def choose(
        self, demand: Task, hosts: Sequence[int] | None = None
    ) -> tuple[int, Task] | None:
        """Return the host the rule picks, with the demand it admits."""
        host = self.placer.choose_among(demand, hosts)
        return None if host is None else (host, demand)

    def overload(self, host: int) -> float:
        """Return the probability that a host exceeds its CPU."""
        return self._judge.overload(host)

    def load(self, hosts: Collection[int]) -> float:
        """Return mean CPU over capacity of the host of a machine."""
        return float(sum(self.placer.gate.fullness()[list(hosts)]))


class SlaSide:
    """Hosts for tasks with an SLA; a machine is one host a core."""

    def __init__(self, settings: Settings) -> None:
        self.placer: FixedPlacer[Sla, object] = FixedPlacer(
            host_test(settings.test).make(), settings.rule
        )

    def declare(self, spec: MachineSpec) -> range:
        """Add the hosts of a machine."""
        cores = range(int(spec.capacity["cpu"]))
        hosts = [self.placer.declare(UnitHost(spec.name, core)) for core in cores]
        return range(hosts[0], hosts[-1] + 1)

    def choose(
        self, demand: Sla, hosts: Sequence[int] | None = None
    ) -> tuple[int, Sla] | None:
        """Return the host the rule picks, with the SLA it gives."""
        asked = Sla(demand.budget, demand.period)
        host = self.placer.choose_among(asked, hosts)
        return None if host is None else (host, asked)

    def overload(self, host: int) -> None:
        """Return None: every admitted task meets its promise."""

    def load(self, hosts: Collection[int]) -> float:
        """Return the mean utilization of the cores of a machine."""
        return float(self.placer.gate.fullness()[list(hosts)].mean())


class _Watching:
    """Keeps an admission up to date and lets everything pass."""

    def __init__(self, test: ExactAdmission) -> None:
        self._test = test
        self.grow, self.add, self.remove = test.grow, test.add, test.remove
        self.fullness = test.fullness

    def fits(self, demand: object) -> BoolArray:
        return np.ones(len(self.fullness()), dtype=np.bool_)

    def verdict(self, machine: int, demand: object) -> Verdict:
        return Verdict("cpu", 0.0, 0.0, "watched")


def _never(task: str, demand: object) -> object:
    raise DoesNotFit(task, "machines", "no machine of the fleet takes it")
