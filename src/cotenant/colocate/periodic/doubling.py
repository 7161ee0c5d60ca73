"""Hosts on one harmonic chain: a base period and its doublings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.colocate.periodic.candidates import Rewriting, divisors, offer
from cotenant.demand.sla import Sla

_OCTAVES = 16  # bases down to a sixteenth of the shortest period
_MOST = 128
FULL = 1.0 + 1e-9


def bases(periods: Iterable[int], least_period: int = 1) -> list[int]:
    """Return base periods to try for SLAs with the given periods, ascending.

    All integers from a sixteenth of the shortest period, or `least_period`, up to it or
    one octave, whichever is more: a longer base is the double of one of these, nearly.
    Where they are more than 128 they are thinned out evenly, but divisors of the
    periods given are kept, since they cost nothing there (Theorem 3).

    >>> bases([12, 40], least_period=9)
    [9, 10, 11, 12, 13, 14, 15, 16, 17]
    """
    given = set(periods)
    low = max(min(given) // _OCTAVES + 1, least_period)
    high = max(min(given), 2 * low - 1)
    step = -(-(high - low + 1) // _MOST)
    found = set(range(low, high + 1, step))
    for period in given:
        found.update(d for d in divisors(period) if low <= d <= high)
    return sorted(found)


@dataclass(frozen=True, slots=True)
class Row:
    """What an SLA costs on each base.

    Parameters
    ----------
    utilization
        Of the cheapest stand-in: `(bases,)`; infinite where there is none.
    offered
        The stand-ins.
    """

    utilization: FloatArray
    offered: list[Sla | None]


class Doublings:
    """The cheapest stand-in of each SLA on each base, worked out when first asked.

    One chain is feasible exactly up to utilization 1, so whether tasks share a host on
    a base is a sum.

    Parameters
    ----------
    bases
        Base periods, ascending.
    """

    def __init__(self, bases: Sequence[int], how: Rewriting) -> None:
        self.bases: IntArray = np.array(bases, dtype=np.int64)
        self._how = how
        self._rows: dict[Sla, Row] = {}

    def row(self, sla: Sla) -> Row:
        """Return the costs of an SLA."""
        if sla not in self._rows:
            offered = [self._cheapest(sla, int(base)) for base in self.bases]
            costs = [np.inf if o is None else o.utilization for o in offered]
            self._rows[sla] = Row(np.array(costs), offered)
        return self._rows[sla]

    def rewrite_host(self, slas: Sequence[Sla]) -> list[Sla] | None:
        """Return stand-ins on the base of least utilization; None if it passes 1."""
        if not len(self.bases) or not slas:
            return None
        total = sum((self.row(sla).utilization for sla in slas), 0.0 * self.bases)
        best = int(total.argmin())
        if total[best] > FULL:
            return None
        offered = [self.row(sla).offered[best] for sla in slas]
        return [o for o in offered if o is not None]

    def _cheapest(self, sla: Sla, base: int) -> Sla | None:
        best: Sla | None = None
        period, longest = base, max(sla.period, sla.period_high or 0)
        while period <= longest:
            found = offer(sla, period, self._how)
            if found and (best is None or found.utilization <= best.utilization):
                best = found
            period *= 2
        return best
