"""Rewrites whole hosts: on one chain where that works, else by searching."""

from collections.abc import Iterable, Sequence
from itertools import chain

from cotenant.colocate.periodic.candidates import Rewriting, asked, offers
from cotenant.colocate.periodic.doubling import FULL, Doublings, bases
from cotenant.colocate.periodic.harmonic import pack_chains
from cotenant.colocate.periodic.host_tests import HostTest
from cotenant.colocate.periodic.hosts import Held, Host, given
from cotenant.colocate.periodic.search import Budget, Order, rewrite_host
from cotenant.demand.sla import Sla

_FEW = 128  # distinct periods; beyond that bases are chosen anew for shorter ones only
_REMEMBERED = 1 << 16  # hosts


class Rewriter:
    """Chooses stand-ins for all tasks of a host together.

    Parameters
    ----------
    test
        Every host passes it afterwards.
    how
        Which rewrites there are.
    budget, order
        Limits and order of searches.
    """

    def __init__(
        self, test: HostTest, how: Rewriting, budget: Budget, order: Order
    ) -> None:
        self._test, self._how = test, how
        self._budget, self._order = budget, order
        self._doublings: Doublings | None = None
        self._periods: set[int] = set()
        self._known: dict[tuple[Sla, ...], list[Sla] | None] = {}

    def prepare(self, slas: Iterable[Sla], *more: Sla) -> None:
        """Make ready for hosts with the SLAs given and `more`."""
        new = {sla.period for sla in chain(slas, more)} - self._periods
        if not new:
            return
        # Rows of doublings cost the most.
        shorter = not self._periods or min(new) < min(self._periods)
        if shorter or len(self._periods) < _FEW:
            self._periods |= new
            known = bases(self._periods, self._how.least_period)
            self._doublings = Doublings(known, self._how)
            self._known.clear()

    def rewritten(self, host: Host) -> Host | None:
        """Return a host as rewritten so that it passes the test, None if not found."""
        slas = tuple(held.sla for held in host.values())
        if sum(sla.utilization for sla in slas) > FULL:
            return None
        # Arrivals ask for the same hosts again and again.
        if slas not in self._known:
            if len(self._known) == _REMEMBERED:
                self._known.clear()
            self._known[slas] = self._unsearched(slas)
        offered = self._known[slas] or self._searched(slas)
        return None if offered is None else given(host, offered)

    def _unsearched(self, slas: Sequence[Sla]) -> list[Sla] | None:
        as_asked = [asked(sla) for sla in slas]
        if self._test.keeps(as_asked):
            return as_asked
        if self._how.mode == "none" or self._doublings is None:
            return None
        doubled = self._doublings.rewrite_host(slas)
        return doubled if doubled is not None and self._test.keeps(doubled) else None

    def _searched(self, slas: Sequence[Sla]) -> list[Sla] | None:
        if self._how.mode == "none" or self._budget.exhausted():
            return None
        in_use = {sla.period for sla in slas}
        choices = [offers(sla, in_use, self._how) for sla in slas]
        return rewrite_host(choices, self._test.keeps, self._budget, self._order)

    def restored(self, host: Host) -> Host:
        """Give tasks what they asked, one by one, where the host keeps it."""
        result = dict(host)
        for task, held in host.items():
            if held.offered != asked(held.sla):
                trial = {**result, task: Held(held.sla, asked(held.sla))}
                if self._test.keeps([h.offered for h in trial.values()]):
                    result = trial
        return result

    def chained(self, tasks: Host, most: int) -> list[Host] | None:
        """Place everything on at most so many hosts of one chain each, if possible."""
        if self._doublings is None or self._how.mode == "none":
            return None
        names = list(tasks)
        packed = pack_chains([tasks[name].sla for name in names], self._doublings)
        if packed is None or len(packed) > most:
            return None
        found = [{names[i]: Held(tasks[names[i]].sla, o) for i, o in p} for p in packed]
        kept = all(self._test.keeps([h.offered for h in x.values()]) for x in found)
        return found if kept else None
