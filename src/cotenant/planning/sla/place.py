"""Places a file of periodic SLAs, and says what that is worth."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from cotenant.colocate.periodic.bounds import utilization
from cotenant.colocate.periodic.candidates import Rewriting, kept
from cotenant.colocate.periodic.host_tests import TESTS, host_test, response_times
from cotenant.colocate.periodic.hosts import Host
from cotenant.colocate.periodic.placer import SlaPlacer
from cotenant.colocate.periodic.policy import SlaPolicy
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput
from cotenant.planning.sla.answer import as_machines, as_move, machines
from cotenant.planning.sla.attempts import STRATEGIES, Advance, Attempt, attempts
from cotenant.planning.sla.results import (
    SlaBaseline,
    SlaFit,
    SlaPlacement,
    SlaSummary,
)

BASELINES = ("liu-layland", "response-time", "edf")


def fits(slas: Sequence[Sla], test: str = "response-time") -> SlaFit:
    """Say whether SLAs share one unit host, by every test.

    Raises
    ------
    InvalidInput
        If there is no such test, or no SLA.

    Examples
    --------
    >>> fits([Sla.parse("1/2"), Sla.parse("2/5")]).tests["harmonic"]
    False
    """
    host_test(test)
    if not slas:
        raise InvalidInput("no SLA is given; expected at least one")
    return SlaFit(
        test=test,
        slas=tuple(map(str, slas)),
        tests={name: row.keeps(slas) for name, row in TESTS.items()},
        utilization=float(utilization(slas)),
        response_times=tuple(response_times(slas)),
    )


def place_slas(
    slas: Mapping[str, Sla],
    policy: SlaPolicy | None = None,
    *,
    strategy: str = "in-order",
    clock: Callable[[], float] = time.monotonic,
    advance: Advance = lambda what, done, total: None,
) -> SlaPlacement:
    """Place tasks in the order given and repack as the policy says.

    Every host is tested once more at the end, and every rewrite is put to the oracle
    once more.

    Parameters
    ----------
    strategy
        `in-order` or `harmonic-first` as in `SlaPolicy`, `chains`: everything at once
        on hosts of one harmonic chain, or `portfolio`: the best of in-order without
        rewriting, with it, harmonic-first and chains.
    clock
        Seconds, ascending; for the time limit.
    advance
        Called with what is being done, how much is done, and how much there is.

    Raises
    ------
    InvalidInput
        If there is nothing to place, or no such strategy.
    """
    policy = policy or SlaPolicy()
    if strategy not in STRATEGIES:
        expected = ", ".join(STRATEGIES)
        raise InvalidInput(f"strategy is {strategy!r}; expected one of {expected}")
    if not slas:
        raise InvalidInput("no SLA is given; expected at least one")
    tried = attempts(slas, policy, strategy, clock, advance)
    # Fewest machines, then fewest rewrites; the plainer attempt stands first.
    best = min(tried, key=lambda a: (machines(a.hosts, policy.cores), a.rewritten))
    _verify(best.hosts, policy)
    baselines = _baselines(slas, policy.cores)
    return SlaPlacement(
        settings=_settings(policy, strategy, best.name),
        summary=_summary(slas, best, policy.cores, baselines[0].wasted),
        machines=as_machines(best.hosts, policy.cores),
        moves=tuple(as_move(move, policy.cores) for move in best.moves),
        baselines=baselines,
        notes=best.notes,
    )


def _verify(hosts: Sequence[Host], policy: SlaPolicy) -> None:
    """Test every host and every rewrite anew, whatever the search believed."""
    test = host_test(policy.test)
    for number, host in enumerate(hosts):
        if not test.keeps([held.offered for held in host.values()]):
            raise RuntimeError(
                f"host {number + 1} fails {policy.test} when tested anew"
            )
        for task, held in host.items():
            if kept(held.offered, held.sla, policy.rewriting) is None:
                raise RuntimeError(
                    f"task {task!r}: {held.offered} does not keep {held.sla}"
                )


def _baselines(slas: Mapping[str, Sla], cores: int) -> tuple[SlaBaseline, ...]:
    asks = float(utilization(list(slas.values()))) / cores
    rows: list[SlaBaseline] = []
    for test in BASELINES:
        policy = SlaPolicy(test=test, rewriting=Rewriting("none"), cores=cores)
        placer = SlaPlacer(policy)
        for task, sla in slas.items():
            placer.place(task, sla)
        wasted = placer.machines - asks
        first = rows[0].wasted if rows else wasted
        rows.append(SlaBaseline(test, placer.machines, wasted, _gain(wasted, first)))
    return tuple(rows)


def _gain(wasted: float, first: float) -> float | None:
    return 1.0 - wasted / first if first > 1e-9 else None


def _summary(
    slas: Mapping[str, Sla], best: Attempt, cores: int, first: float
) -> SlaSummary:
    asks = float(utilization(list(slas.values()))) / cores
    used = machines(best.hosts, cores)
    moved = {move.task for move in best.moves if move.source != move.target}
    return SlaSummary(
        tasks=len(slas),
        machines=used,
        utilization=asks,
        wasted=used - asks,
        efficiency_over_first_fit=_gain(used - asks, first),
        rewritten=best.rewritten,
        migrated=len(moved),
    )


def _settings(policy: SlaPolicy, strategy: str, used: str) -> dict[str, Any]:
    values = asdict(policy)
    rewriting = values.pop("rewriting")
    values["rewrite"] = rewriting.pop("mode")
    return {**values, **rewriting, "strategy": strategy, "strategy_used": used}
