"""How periodic tasks are placed: every choice in one value."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from cotenant.colocate import RULES
from cotenant.colocate.periodic.candidates import Rewriting
from cotenant.colocate.periodic.host_tests import host_test
from cotenant.colocate.periodic.repack import Migration
from cotenant.colocate.periodic.search import Order
from cotenant.errors import InvalidInput

Repack: TypeAlias = Literal["none", "forced", "periodic"]
Strategy: TypeAlias = Literal["in-order", "harmonic-first"]


@dataclass(frozen=True, slots=True)
class SlaPolicy:
    """How periodic tasks are placed.

    Parameters
    ----------
    test
        Host test by name: a row of `TESTS`.
    rule
        Which fitting host takes a task: a name in `RULES`.
    rewriting
        Which rewrites there are.
    strategy
        `in-order`: as asked where that fits, else rewritten. `harmonic-first`: first
        looks for a host on one harmonic chain that can take the task by adding at most
        a quarter of its utilization, the least added first.
    repack
        When to repack: never, when a task fits nowhere, or every so many arrivals.
    repack_every
        Arrivals between periodic repacks.
    migration, epsilon
        As in `Repacker`.
    cores
        Unit hosts of one machine.
    search, search_nodes, time_limit
        Order of searches of one host, nodes of a decision, seconds in all (None for no
        limit).

    Raises
    ------
    InvalidInput
        If a value is outside its range.
    """

    test: str = "response-time"
    rule: str = "first-fit"
    rewriting: Rewriting = field(default_factory=Rewriting)
    strategy: Strategy = "in-order"
    repack: Repack = "none"
    repack_every: int = 100
    migration: Migration = "none"
    epsilon: float = 0.1
    cores: int = 1
    search: Order = "depth"
    search_nodes: int = 2_000
    time_limit: float | None = 300.0

    def __post_init__(self) -> None:
        host_test(self.test)
        for name, value, known in (
            ("rule", self.rule, tuple(RULES)),
            ("strategy", self.strategy, get_args(Strategy)),
            ("repack", self.repack, get_args(Repack)),
            ("migration", self.migration, get_args(Migration)),
            ("search", self.search, get_args(Order)),
        ):
            if value not in known:
                expected = ", ".join(known)
                raise InvalidInput(f"{name} is {value!r}; expected one of {expected}")
        for name, number in (
            ("cores", self.cores),
            ("repack every", self.repack_every),
            ("search nodes", self.search_nodes),
        ):
            if number < 1:
                raise InvalidInput(f"{name} is {number}; expected 1 or more")
        if self.migration != "none" and self.repack == "none":
            raise InvalidInput(
                f"migration is {self.migration!r} but repack is 'none'; tasks move "
                "only in a repack, so choose repack forced or periodic"
            )
        if not -1.0 <= self.epsilon <= 1.0:
            raise InvalidInput(f"epsilon is {self.epsilon}; expected -1 to 1")
        if self.time_limit is not None and not self.time_limit > 0:
            raise InvalidInput(f"time limit is {self.time_limit} s; expected above 0")
