"""Machines for tasks with an SLA."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.colocate.admission import Verdict
from cotenant.colocate.periodic.candidates import Rewriting, asked, offers
from cotenant.colocate.periodic.host_tests import UnitHost, host_test
from cotenant.demand.sla import Sla
from cotenant.service.asked import MachineSpec, Settings
from cotenant.service.fixed import FixedPlacer
from cotenant.service.side import mask_of


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
            allowed = allowed & mask_of(len(allowed), among)
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
