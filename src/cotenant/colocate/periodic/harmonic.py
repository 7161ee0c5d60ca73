"""Packs SLAs that are all known onto hosts of one harmonic chain each."""

from collections.abc import Sequence

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.colocate.periodic.doubling import FULL, Doublings
from cotenant.demand.sla import Sla

_FAMILIES = 8  # most bases shared by all hosts


def pack_chains(
    slas: Sequence[Sla], doublings: Doublings
) -> list[list[tuple[int, Sla]]] | None:
    """Pack SLAs, largest first, so that each host keeps one chain of doublings.

    Few bases serve all hosts: for 1 to 8 of them, chosen one after the other so that
    the cheapest stand-ins of all SLAs add up to the least, hosts are filled best fit
    decreasing; the number with the fewest hosts wins. Then the emptiest hosts are
    emptied into the others while that works, where a host may take any base.

    Returns
    -------
    For each host the numbers of its SLAs, with their stand-ins; None if some SLA fits
    no base.
    """
    costs = np.array([doublings.row(sla).utilization for sla in slas])
    if not costs.size or not np.isfinite(costs).any(axis=1).all():
        return None
    packings = [_fill(costs, family) for family in _families(costs)]
    hosts = _emptied(costs, min(packings, key=len))
    result = []
    for numbers in hosts:
        offered = doublings.rewrite_host([slas[i] for i in numbers])
        if offered is None:
            return None
        result.append(list(zip(numbers, offered, strict=True)))
    return result


def _families(costs: FloatArray) -> list[IntArray]:
    """Choose bases greedily; each list is the one before with one more base."""
    chosen: list[int] = []
    least = np.full(len(costs), np.inf)
    found: list[IntArray] = []
    # An SLA that a base cannot serve counts as a host of its own.
    open_costs = np.minimum(costs, 1.0)
    for _ in range(min(_FAMILIES, costs.shape[1])):
        totals = np.minimum(least[:, None], open_costs).sum(axis=0)
        base = int(totals.argmin())
        if chosen and totals[base] >= least.sum() - 1e-12:
            break
        chosen.append(base)
        least = np.minimum(least, open_costs[:, base])
        if np.isfinite(costs[:, chosen].min(axis=1)).all():
            found.append(np.array(chosen, dtype=np.int64))
    if not found:
        found.append(np.unique(costs.argmin(axis=1)))
    return found


def _fill(costs: FloatArray, family: IntArray) -> list[list[int]]:
    hosts: list[list[int]] = []
    base_of: list[int] = []
    filled = np.zeros(len(costs))
    cheapest = family[costs[:, family].argmin(axis=1)]
    size = costs[np.arange(len(costs)), cheapest]
    for i in np.argsort(-size, kind="stable"):
        count = len(hosts)
        own = costs[i, base_of]
        room = filled[:count] + own <= FULL
        # No dearer than on its own base: what is left is filled when hosts are emptied.
        able = np.flatnonzero(room & (own <= size[i] * (1.0 + 1e-12)))
        if len(able):
            host = int(able[filled[able].argmax()])
        else:
            host = count
            hosts.append([])
            base_of.append(int(cheapest[i]))
        hosts[host].append(int(i))
        filled[host] += costs[i, base_of[host]]
    return hosts


def _emptied(costs: FloatArray, hosts: list[list[int]]) -> list[list[int]]:
    totals = np.array([costs[numbers].sum(axis=0) for numbers in hosts])
    stuck: set[int] = set()
    while len(stuck) < len(hosts):
        waiting = [h for h in range(len(hosts)) if h not in stuck]
        donor = min(waiting, key=lambda h: totals[h].min())
        trial = _spread(costs, totals, hosts[donor], donor)
        if trial is None:
            stuck.add(donor)
            continue
        totals, places = trial
        for i, host in zip(hosts[donor], places, strict=True):
            hosts[host].append(i)
        del hosts[donor]
        totals = np.delete(totals, donor, axis=0)
        stuck.clear()
    return hosts


def _spread(
    costs: FloatArray, totals: FloatArray, numbers: Sequence[int], donor: int
) -> tuple[FloatArray, list[int]] | None:
    """Place the SLAs of one host on the others, where utilization grows least."""
    totals = totals.copy()
    places: dict[int, int] = {}
    for i in sorted(numbers, key=lambda i: -costs[i].min()):
        after = (totals + costs[i]).min(axis=1)
        after[donor] = np.inf
        growth = np.where(after <= FULL, after - totals.min(axis=1), np.inf)
        host = int(growth.argmin())
        if not np.isfinite(growth[host]):
            return None
        places[i] = host
        totals[host] += costs[i]
    return totals, [places[i] for i in numbers]
