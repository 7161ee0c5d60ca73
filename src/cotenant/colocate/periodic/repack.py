"""Repacking: rewrites and moves SLAs that are placed, to need fewer hosts."""

from collections.abc import Sequence
from itertools import chain
from typing import Literal, TypeAlias

import numpy as np

from cotenant.colocate.periodic.candidates import Rewriting, asked, offers
from cotenant.colocate.periodic.host_tests import HostTest, Test
from cotenant.colocate.periodic.hosts import Held, Host, matched, original
from cotenant.colocate.periodic.rewriter import Rewriter
from cotenant.colocate.periodic.search import Budget, HostSearch, Order
from cotenant.demand.sla import Sla

Migration: TypeAlias = Literal["none", "constrained", "all"]

_DONORS = 8  # hosts tried for room for one arriving task


class Repacker:
    """Searches rewrites and, where migration allows, moves between hosts.

    Parameters
    ----------
    test
        Every host passes it afterwards.
    how
        Which rewrites there are.
    migration
        `none`: tasks stay on their host. `constrained`: tasks leave hosts whose
        original utilization omega is at least `epsilon` below phi, the mean utilization
        of used hosts as rewritten. `all`: any task may move.
    epsilon
        In hosts, 0 to 1.
    cores
        Hosts of one machine; machines are emptied whole.
    budget
        Search nodes of each decision, and time in all.
    order
        Whether rewrites of one host are searched level by level or depth first.
    """

    def __init__(
        self,
        test: HostTest,
        how: Rewriting,
        migration: Migration,
        epsilon: float,
        cores: int,
        budget: Budget,
        order: Order = "depth",
    ) -> None:
        self._test, self._how, self._migration = test, how, migration
        self._epsilon, self._cores = epsilon, cores
        self._budget = budget
        self._rewriter = Rewriter(test, how, budget, order)

    def repack(self, hosts: Sequence[Host]) -> list[Host]:
        """Return hosts with the same tasks on as many machines or fewer.

        Tasks go back to what they asked where their host keeps that. With migration,
        machines are emptied into the others, the least used first, until none can be;
        with `all`, everything is also placed anew where that takes fewer machines.
        Running it on its own result changes nothing, unless a time limit struck.
        """
        found = [dict(host) for host in hosts]
        self._rewriter.prepare(held.sla for host in found for held in host.values())
        while True:
            better = self._emptied(found) or self._anew(found)
            if better is None:
                better = [self._rewriter.restored(host) for host in found]
                if better == found:
                    return found
            found = better

    def admit(self, hosts: Sequence[Host], task: str, sla: Sla) -> list[Host] | None:
        """Return hosts with one more task on a used one, None where that is not found.

        One host is rewritten together with the task, the fullest first; where migration
        allows, then one host's tasks and the new one are placed anew on used hosts.
        """
        self._budget.start()
        self._rewriter.prepare(
            chain((h.sla for host in hosts for h in host.values()), (sla,)), sla
        )
        used = [number for number, host in enumerate(hosts) if host]
        for number in sorted(used, key=lambda h: -original(hosts[h])):
            host = self._rewriter.rewritten(
                {**hosts[number], task: Held(sla, asked(sla))}
            )
            if host is not None:
                return [*hosts[:number], host, *hosts[number + 1 :]]
        for donor in self._donors(hosts)[:_DONORS]:
            leaving = {**hosts[donor], task: Held(sla, asked(sla))}
            rest = [{} if h == donor else dict(hosts[h]) for h in range(len(hosts))]
            placed = self._place(rest, leaving, used)
            if placed is not None:
                return placed
        return None

    def _donors(self, hosts: Sequence[Host]) -> list[int]:
        used = [number for number, host in enumerate(hosts) if host]
        used.sort(key=lambda h: original(hosts[h]))
        if self._migration == "none" or not used:
            return []
        if self._migration == "all":
            return used
        given = [h.offered.utilization for n in used for h in hosts[n].values()]
        phi = sum(given) / len(used)
        return [h for h in used if phi - original(hosts[h]) >= self._epsilon]

    def _emptied(self, hosts: list[Host]) -> list[Host] | None:
        donors = self._donors(hosts)
        by_machine: dict[int, list[int]] = {}
        for number, host in enumerate(hosts):
            if host:
                by_machine.setdefault(number // self._cores, []).append(number)
        machines = [m for m, own in by_machine.items() if set(own) <= set(donors)]
        machines.sort(key=lambda m: sum(original(hosts[h]) for h in by_machine[m]))
        for machine in machines:
            leaving = {
                t: held for h in by_machine[machine] for t, held in hosts[h].items()
            }
            rest = [
                {} if h in by_machine[machine] else dict(hosts[h])
                for h in range(len(hosts))
            ]
            others = [h for h, host in enumerate(rest) if host]
            self._budget.start()
            placed = self._place(rest, leaving, others)
            if placed is not None:
                return placed
        return None

    def _place(
        self, rest: list[Host], leaving: Host, usable: Sequence[int]
    ) -> list[Host] | None:
        """Place tasks on hosts: as those stand, else rewriting whole hosts."""
        free = sum(1.0 - original(rest[h]) for h in usable)
        if sum(held.sla.utilization for held in leaving.values()) > free + 1e-9:
            return None
        in_use = {h.offered.period for host in rest for h in host.values()}
        choices = [offers(held.sla, in_use, self._how) for held in leaving.values()]
        mask = np.zeros(len(rest), np.bool_)
        mask[list(usable)] = True
        search = HostSearch(self._admission(rest), mask, len(usable))
        found = search.run(choices, self._budget)
        if found is not None:
            for (task, held), (host, offered) in zip(
                leaving.items(), found, strict=True
            ):
                rest[host][task] = Held(held.sla, offered)
            return rest
        return self._squeezed(rest, leaving, usable)

    def _squeezed(
        self, rest: list[Host], leaving: Host, usable: Sequence[int]
    ) -> list[Host] | None:
        hosts = [dict(host) for host in rest]
        by_size = sorted(leaving.items(), key=lambda item: -item[1].sla.utilization)
        for task, held in by_size:
            for number in sorted(usable, key=lambda h: -original(hosts[h])):
                host = self._rewriter.rewritten({**hosts[number], task: held})
                if host is not None:
                    hosts[number] = host
                    break
            else:
                return None
        return hosts

    def _anew(self, hosts: list[Host]) -> list[Host] | None:
        """Place everything anew on fewer machines, tasks staying where they can."""
        used = {number // self._cores for number, host in enumerate(hosts) if host}
        if self._migration != "all" or not used:
            return None
        tasks = {task: held for host in hosts for task, held in host.items()}
        most = (len(used) - 1) * self._cores
        found = self._rewriter.chained(tasks, most) or self._searched(tasks, most)
        return None if found is None else matched(hosts, found, self._cores)

    def _searched(self, tasks: Host, most: int) -> list[Host] | None:
        self._budget.start()
        in_use = {held.sla.period for held in tasks.values()}
        choices = [offers(held.sla, in_use, self._how) for held in tasks.values()]
        hosts: list[Host] = [{} for _ in range(most)]
        search = HostSearch(self._admission(hosts), np.ones(most, np.bool_), most)
        found = search.run(choices, self._budget)
        if found is None:
            return None
        for (task, held), (host, offered) in zip(tasks.items(), found, strict=True):
            hosts[host][task] = Held(held.sla, offered)
        return hosts

    def _admission(self, hosts: Sequence[Host]) -> Test:
        admission = self._test.make()
        for number, host in enumerate(hosts):
            admission.grow(number)
            for held in host.values():
                admission.add(number, held.offered)
        return admission
