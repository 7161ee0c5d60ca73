"""Places periodic tasks: as asked, rewritten, after a repack, on a new machine."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from cotenant.arrays import BoolArray, FloatArray
from cotenant.colocate import RULES
from cotenant.colocate.periodic.candidates import asked, offers
from cotenant.colocate.periodic.host_tests import UnitHost, host_test
from cotenant.colocate.periodic.hosts import Held, Host, Move, changes
from cotenant.colocate.periodic.policy import SlaPolicy
from cotenant.colocate.periodic.repack import Repacker
from cotenant.colocate.periodic.search import Budget
from cotenant.colocate.placer import Placed, Placer
from cotenant.demand.sla import Sla

_MOST_ADDED = 0.25  # of a task's utilization, to join a chain
_MANY = 200  # candidates when periods are chosen at placement time


class SlaPlacer:
    """Places periodic tasks one by one and repacks them.

    A task is tried as asked, then on an idle core of a machine in use, then in its safe
    rewrites by added utilization, then by repacking where that is forced, and last on
    an empty machine.

    Parameters
    ----------
    clock
        Seconds, ascending; for the time limit.

    Attributes
    ----------
    rewrites_tried
        Stand-ins tried for the last arrival, the asked one not counted: the paper's k.
    moves
        Everything repacking has changed, in order.
    budget
        Says whether a limit struck.
    """

    def __init__(
        self, policy: SlaPolicy, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._policy = policy
        test = host_test(policy.test)
        self._admission = test.make()
        self._placer: Placer[Sla, UnitHost] = Placer(
            self._admission, self._next_host, self._choose, self._alternatives
        )
        self.budget = Budget(policy.search_nodes, policy.time_limit, clock)
        self._repacker = Repacker(
            test,
            policy.rewriting,
            policy.migration,
            policy.epsilon,
            policy.cores,
            self.budget,
            policy.search,
        )
        self._where: dict[str, int] = {}
        self._held: list[Host] = []
        self._in_use: Counter[int] = Counter()
        self._arrivals = 0
        self.rewrites_tried = 0
        self.moves: list[Move] = []

    def place(self, task: str, sla: Sla) -> int:
        """Put a task on a host and return its number.

        Raises
        ------
        InvalidInput
            If a task of that name is already placed.
        """
        self.rewrites_tried = 0
        joined = self._chained(task, sla) or self._placer.join(task, sla)
        if joined is not None:
            self._note(task, joined.machine, Held(sla, joined.demand))
        elif self._idle_core() is not None or not self._forced(task, sla):
            self._put_on_empty(task, sla)
        self._arrivals += 1
        due = self._arrivals % self._policy.repack_every == 0
        if self._policy.repack == "periodic" and due:
            self.repack()
        return self._where[task]

    def remove(self, task: str) -> Sla:
        """Take a task off its host and return what it had asked.

        Raises
        ------
        UnknownTask
            If it is not placed.
        """
        self._placer.remove(task)
        held = self._held[self._where.pop(task)].pop(task)
        self._forget(held)
        return held.sla

    def repack(self) -> list[Move]:
        """Repack everything once and return what changed."""
        return self._apply(self._repacker.repack(self._held), "fewer machines")

    @property
    def hosts(self) -> list[Host]:
        """Tasks of every host that was ever used, by number."""
        return [dict(host) for host in self._held]

    @property
    def machines(self) -> int:
        """Machines with at least one task."""
        used = {n // self._policy.cores for n, host in enumerate(self._held) if host}
        return len(used)

    @property
    def given(self) -> float:
        """Sum of the utilization that tasks are given, in hosts."""
        return float(self._admission.fullness().sum())

    def host(self, number: int) -> UnitHost:
        """Return what a host is called."""
        machine, core = divmod(number, self._policy.cores)
        return UnitHost(f"m-{machine + 1:04d}", core)

    def _next_host(self, task: str, sla: Sla) -> UnitHost:
        return self.host(len(self._held))

    def _choose(self, fits: BoolArray, fullness: FloatArray) -> int | None:
        return RULES[self._policy.rule](fits & (fullness > 0.0), fullness)

    def _alternatives(self, sla: Sla) -> Iterator[Sla]:
        yield asked(sla)
        if self._idle_core() is None:
            for offered in offers(sla, list(self._in_use), self._policy.rewriting)[1:]:
                self.rewrites_tried += 1
                yield offered

    def _chained(self, task: str, sla: Sla) -> Placed[Sla] | None:
        """Join a host that stays on one harmonic chain, where the strategy says so."""
        if self._policy.strategy != "harmonic-first":
            return None
        many = replace(self._policy.rewriting, most=_MANY)
        for offered in sorted(
            offers(sla, list(self._in_use), many), key=lambda o: o.utilization
        ):
            if offered.utilization > sla.utilization * (1.0 + _MOST_ADDED):
                break
            fits, fullness = self._admission.fits(offered), self._admission.fullness()
            for host in np.flatnonzero(fits):
                fits[host] = self._stays_chain(int(host), offered.period)
            number = self._choose(fits, fullness)
            if number is not None:
                return self._placer.put(task, number, offered)
        return None

    def _stays_chain(self, host: int, period: int) -> bool:
        periods = sorted(
            {period, *(h.offered.period for h in self._held[host].values())}
        )
        return all(b % a == 0 for a, b in pairwise(periods))

    def _idle_core(self) -> int | None:
        """Return the first idle core of a machine in use; it may be yet to open."""
        cores = self._policy.cores
        if cores == 1:
            return None
        used = {n // cores for n, host in enumerate(self._held) if host}
        for number in range(-(-len(self._held) // cores) * cores):
            idle = number >= len(self._held) or not self._held[number]
            if idle and number // cores in used:
                return number
        return None

    def _put_on_empty(self, task: str, sla: Sla) -> None:
        number = self._idle_core()
        if number is None:
            empty = (n for n, host in enumerate(self._held) if not host)
            number = next(empty, len(self._held))
        if number == len(self._held):
            self._placer.open(task, asked(sla))
            self._held.append({})
        else:
            self._placer.put(task, number, asked(sla))
        self._note(task, number, Held(sla, asked(sla)))

    def _forced(self, task: str, sla: Sla) -> bool:
        if self._policy.repack != "forced":
            return False
        after = self._repacker.admit(self._held, task, sla)
        if after is None:
            return False
        number, held = next((n, h[task]) for n, h in enumerate(after) if task in h)
        self._apply(after, f"room for {task}", arriving=task)
        self._placer.put(task, number, held.offered)
        self._note(task, number, held)
        return True

    def _apply(
        self, after: list[Host], reason: str, arriving: str | None = None
    ) -> list[Move]:
        moves = changes(self._held, after, reason)
        # All leave before any joins, so that no host is overfull in between.
        for move in moves:
            self._placer.remove(move.task)
            self._forget(self._held[move.source].pop(move.task))
        for move in moves:
            self._placer.put(move.task, move.target, move.after)
            self._note(move.task, move.target, after[move.target][move.task])
        self.moves.extend(moves)
        return moves

    def _note(self, task: str, host: int, held: Held) -> None:
        if host == len(self._held):
            self._held.append({})
        self._where[task] = host
        self._held[host][task] = held
        self._in_use[held.offered.period] += 1

    def _forget(self, held: Held) -> None:
        self._in_use[held.offered.period] -= 1
        if not self._in_use[held.offered.period]:
            del self._in_use[held.offered.period]
