"""The engine over a fixed fleet: one side for random usage, one for SLAs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeAlias, TypeVar

import numpy as np

from cotenant.arrays import BoolArray, FloatArray
from cotenant.colocate.admission import ExplainedAdmission, Verdict
from cotenant.colocate.candidates import Rewriting, asked, offers
from cotenant.colocate.joint import JointAdmission, ResourceAdmission, SpreadAdmission
from cotenant.colocate.methods import make_admission
from cotenant.colocate.periodic import UnitHost, host_test
from cotenant.colocate.pruned import PrunedAdmission
from cotenant.demand.sla import Sla
from cotenant.demand.task import Task
from cotenant.fleet import Machine
from cotenant.service.asked import MachineSpec, Settings
from cotenant.service.fixed import FixedPlacer, Watch

D = TypeVar("D")

Part: TypeAlias = ExplainedAdmission[Task, Machine]

UNLIMITED = float("inf")


class Side(Protocol[D]):
    """The hosts of one kind of machine."""

    def declare(self, spec: MachineSpec) -> range:
        """Add the hosts of a machine and return their numbers."""
        ...

    def close(self, hosts: range) -> None:
        """Let nothing more onto hosts."""
        ...

    def choose(
        self, demand: D, among: Sequence[int] | None = None
    ) -> tuple[int, D] | None:
        """Return the host the rule picks, and the demand as it admits it.

        Parameters
        ----------
        among
            Hosts to choose from; None for all.
        """
        ...

    def put(self, key: str, host: int, demand: D) -> None:
        """Put a demand on a host, whether it fits or not."""
        ...

    def remove(self, key: str) -> None:
        """Take a demand off its host."""
        ...

    def fill(self, demands: Iterable[tuple[str, int, D]]) -> None:
        """Put many demands on hosts that are empty; host numbers ascend."""
        ...

    def verdicts(self, hosts: Sequence[int], demand: D) -> list[Verdict]:
        """Return what each of some hosts would reach with a demand on it."""
        ...

    def alone(self, host: int, demand: D) -> bool:
        """Say whether a host would take a demand if it were empty."""
        ...

    def preference(self) -> FloatArray:
        """Return what the rule prefers hosts by, the highest first: `(hosts,)`."""
        ...

    def overload(self, host: int) -> float | None:
        """Return the probability that a host exceeds its CPU, if it is random."""
        ...

    def load(self, hosts: range) -> float:
        """Return mean load over capacity of hosts together."""
        ...


class UsageSide:
    """Hosts for tasks with random usage; a machine is one host."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._exact = settings.method == "exact"
        self._first = settings.rule == "first-fit"
        self._pruned = PrunedAdmission(settings.rho)
        self._memory = ResourceAdmission("memory", make_admission("max", settings.rho))
        self._spread = SpreadAdmission()
        parts: list[Part] = [_cpu(settings, self._pruned), self._memory, self._spread]
        if not self._exact:
            # Overload is told by the exact test whatever the method that decides.
            parts.append(ResourceAdmission("cpu", Watch(self._pruned)))
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
            allowed = allowed & _mask(len(allowed), among)
        if not self._exact:
            host = self.placer.choose_among(demand, allowed)
            return None if host is None else (host, demand)
        if "memory" in demand.usage:
            allowed = allowed & self._memory.fits(demand)
        if demand.label is not None:
            allowed = allowed & self._spread.fits(demand)
        host = self._pruned.pick(demand.usage["cpu"], allowed, self.preference())
        return None if host is None else (host, demand)

    def put(self, key: str, host: int, demand: Task) -> None:
        self.placer.put(key, host, demand)

    def remove(self, key: str) -> None:
        self.placer.remove(key)

    def fill(self, demands: Iterable[tuple[str, int, Task]]) -> None:
        held = list(demands)
        with self._pruned.deferred():
            for key, host, demand in held:
                self.placer.put(key, host, demand)

    def verdicts(self, hosts: Sequence[int], demand: Task) -> list[Verdict]:
        if not self._exact:
            return [self.placer.verdict(host, demand) for host in hosts]
        found = self._pruned.verdicts(hosts, demand.usage["cpu"])
        others = self.placer.gate.open_ones().copy()
        if "memory" in demand.usage:
            others &= self._memory.fits(demand)
        if demand.label is not None:
            others &= self._spread.fits(demand)
        # Only where another part may refuse is the whole test asked.
        return [
            verdict if others[host] else self.placer.verdict(host, demand)
            for host, verdict in zip(hosts, found, strict=True)
        ]

    def alone(self, host: int, demand: Task) -> bool:
        capacity = self.placer.machines[host].capacity
        size = tuple(sorted(capacity.items()))
        if size not in self._empty:
            exact = PrunedAdmission(self._settings.rho)
            memory = make_admission("max", self._settings.rho)
            self._empty[size] = JointAdmission(
                [_cpu(self._settings, exact), ResourceAdmission("memory", memory)]
            )
            self._empty[size].grow(self.placer.machines[host])
        return bool(self._empty[size].fits(demand)[0])

    def preference(self) -> FloatArray:
        fullness = self._pruned.fullness()
        return np.zeros_like(fullness) if self._first else fullness

    def overload(self, host: int) -> float:
        return self._pruned.overload(host)

    def load(self, hosts: range) -> float:
        return self._pruned.load(hosts[0])


class SlaSide:
    """Hosts for tasks with an SLA; a machine is one host a core.

    A task is tried as asked on hosts in use, then in its safe rewrites by utilization,
    and last on an idle host. Offsets between tasks and hosts are not known, so rewrites
    hold for any phase.
    """

    def __init__(self, settings: Settings) -> None:
        self.placer: FixedPlacer[Sla, UnitHost] = FixedPlacer(
            host_test(settings.test).make(), settings.rule
        )
        self._first = settings.rule == "first-fit"
        self._how = Rewriting(phase="any")
        self._periods: Counter[int] = Counter()

    def declare(self, spec: MachineSpec) -> range:
        cores = range(int(spec.capacity["cpu"]))
        hosts = [self.placer.declare(UnitHost(spec.name, core)) for core in cores]
        return range(hosts[0], hosts[-1] + 1)

    def close(self, hosts: range) -> None:
        for host in hosts:
            self.placer.gate.close(host)

    def choose(
        self, demand: Sla, among: Sequence[int] | None = None
    ) -> tuple[int, Sla] | None:
        allowed = self.placer.gate.open_ones()
        if among is not None:
            allowed = allowed & _mask(len(allowed), among)
        in_use = self.placer.gate.fullness() > 0.0
        for offered in self._offers(demand, bool((allowed & in_use).any())):
            host = self.placer.choose_among(offered, allowed & in_use)
            if host is not None:
                return host, offered
        host = self.placer.choose_among(asked(demand), allowed & ~in_use)
        return None if host is None else (host, asked(demand))

    def put(self, key: str, host: int, demand: Sla) -> None:
        self.placer.put(key, host, demand)
        self._periods[demand.period] += 1

    def remove(self, key: str) -> None:
        period = self.placer.remove(key).demand.period
        self._periods[period] -= 1
        if not self._periods[period]:
            del self._periods[period]

    def fill(self, demands: Iterable[tuple[str, int, Sla]]) -> None:
        for key, host, demand in demands:
            self.put(key, host, demand)

    def verdicts(self, hosts: Sequence[int], demand: Sla) -> list[Verdict]:
        return [self.placer.verdict(host, asked(demand)) for host in hosts]

    def alone(self, host: int, demand: Sla) -> bool:
        return True  # a budget is never more than its period

    def preference(self) -> FloatArray:
        fullness = self.placer.gate.fullness()
        return np.zeros_like(fullness) if self._first else fullness

    def overload(self, host: int) -> None:
        return None

    def load(self, hosts: range) -> float:
        return float(self.placer.gate.fullness()[hosts[0] : hosts[-1] + 1].mean())

    def _offers(self, demand: Sla, any_in_use: bool) -> Iterator[Sla]:
        if not any_in_use:
            return
        yield asked(demand)
        # Sorted, so that the answer does not depend on the order periods were met in.
        yield from offers(demand, sorted(self._periods), self._how)[1:]


def _cpu(settings: Settings, exact: PrunedAdmission) -> Part:
    if settings.method == "exact":
        return ResourceAdmission("cpu", exact)
    return ResourceAdmission("cpu", make_admission(settings.method, settings.rho))


def _mask(count: int, among: Sequence[int]) -> BoolArray:
    result = np.zeros(count, dtype=np.bool_)
    result[list(among)] = True
    return result
