"""Ways to place a file of periodic SLAs; the best of several is the portfolio."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from cotenant.colocate.periodic.candidates import Rewriting, asked
from cotenant.colocate.periodic.doubling import Doublings, bases
from cotenant.colocate.periodic.harmonic import pack_chains
from cotenant.colocate.periodic.hosts import Held, Host, Move
from cotenant.colocate.periodic.placer import SlaPlacer
from cotenant.colocate.periodic.policy import SlaPolicy
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput

Advance: TypeAlias = Callable[[str, int, int], None]

STRATEGIES = ("in-order", "harmonic-first", "chains", "portfolio")
_CHAINABLE = ("harmonic", "chain-hyperbolic", "response-time", "edf")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One finished placement.

    Parameters
    ----------
    name
        The strategy in words.
    moves
        What repacking changed on the way.
    notes
        Sentences about limits that struck.
    """

    name: str
    hosts: list[Host]
    moves: Sequence[Move] = ()
    notes: tuple[str, ...] = ()

    @property
    def rewritten(self) -> int:
        """Tasks given something else than they asked."""
        return sum(
            h.offered != asked(h.sla) for host in self.hosts for h in host.values()
        )


def attempts(
    slas: Mapping[str, Sla],
    policy: SlaPolicy,
    strategy: str,
    clock: Callable[[], float],
    advance: Advance,
) -> list[Attempt]:
    """Place the tasks by each way of a strategy, the plainer ways first.

    Raises
    ------
    InvalidInput
        If no way is left.
    """
    found: list[Attempt] = []
    if strategy == "portfolio":
        plain = Rewriting("none")
        nothing = replace(
            policy,
            rewriting=plain,
            repack="none",
            migration="none",
            strategy="in-order",
        )
        found.append(_in_order(slas, nothing, "as asked", clock, advance))
    if strategy in ("in-order", "portfolio"):
        own = replace(policy, strategy="in-order")
        found.append(_in_order(slas, own, "in-order", clock, advance))
    if strategy in ("harmonic-first", "portfolio"):
        chained = replace(policy, strategy="harmonic-first")
        found.append(_in_order(slas, chained, "harmonic-first", clock, advance))
    if strategy in ("chains", "portfolio") and policy.rewriting.mode != "none":
        packed = _chains(slas, policy, advance)
        if packed is not None:
            found.append(Attempt("chains", packed))
    if not found:
        raise InvalidInput(
            "strategy chains finds no base period for some task, or its test or "
            "rewriting rules chains out; use --strategy in-order"
        )
    return found


def _in_order(
    slas: Mapping[str, Sla],
    policy: SlaPolicy,
    name: str,
    clock: Callable[[], float],
    advance: Advance,
) -> Attempt:
    placer = SlaPlacer(policy, clock)
    for number, (task, sla) in enumerate(slas.items()):
        placer.place(task, sla)
        advance(f"placing {name}", number + 1, len(slas))
    if policy.repack == "periodic":
        placer.repack()
    struck = placer.budget.struck
    notes = (f"a search was cut short at {struck}",) if struck else ()
    return Attempt(name, placer.hosts, placer.moves, notes)


def _chains(
    slas: Mapping[str, Sla], policy: SlaPolicy, advance: Advance
) -> list[Host] | None:
    if policy.test not in _CHAINABLE:
        return None
    names, values = list(slas), list(slas.values())
    advance("packing chains", 0, 1)
    known = bases((sla.period for sla in values), policy.rewriting.least_period)
    packed = pack_chains(values, Doublings(known, policy.rewriting))
    if packed is None:
        return None
    return [{names[i]: Held(values[i], given) for i, given in host} for host in packed]
