"""The options of `sla place` that `churn` shares, and the policy they make."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from cotenant.errors import InvalidInput

if TYPE_CHECKING:
    from cotenant.colocate.periodic.policy import SlaPolicy

Test = Annotated[
    str,
    typer.Option(
        help="response-time, chain-hyperbolic, harmonic, liu-layland, hyperbolic, edf."
    ),
]
Rule = Annotated[str, typer.Option(help="first-fit or best-fit.")]
Rewrite = Annotated[
    str,
    typer.Option(
        help="none, fluid (periods a fluid SLA allows), paper (also Theorems 1 and 3), "
        "exact (least safe budget at any period)."
    ),
]
LeastPeriod = Annotated[
    int, typer.Option(help="No rewritten period is shorter, in ticks.")
]
Phase = Annotated[
    str,
    typer.Option(help="aligned: rewritten and asked clock start together; or any."),
]
Window = Annotated[
    str, typer.Option(help="How misses are counted: aligned or sliding windows.")
]
Repack = Annotated[
    str, typer.Option(help="none, forced (when nothing fits) or periodic.")
]
RepackEvery = Annotated[
    int, typer.Option(help="Arrivals from one periodic repack to the next.")
]
Migration = Annotated[
    str,
    typer.Option(help="Who may move in a repack: none, constrained (--epsilon), all."),
]
Epsilon = Annotated[
    float,
    typer.Option(
        help="Constrained: tasks leave hosts whose asked utilization is this far below "
        "the mean of used hosts."
    ),
]
Cores = Annotated[int, typer.Option(help="Cores of a machine, each tested by itself.")]
Search = Annotated[
    str, typer.Option(help="Search rewrites of a host depth or breadth.")
]
SearchNodes = Annotated[
    int, typer.Option(help="Most nodes one decision may search; reproducible.")
]
TimeLimit = Annotated[
    float, typer.Option(help="Seconds of searching in all; 0 for no limit.")
]


@dataclass(frozen=True, slots=True)
class Placing:
    """How periodic tasks are tested, rewritten, placed and repacked."""

    test: Test = "response-time"
    rule: Rule = "first-fit"
    rewrite: Rewrite = "exact"
    least_period: LeastPeriod = 1
    phase: Phase = "aligned"
    window: Window = "aligned"
    repack: Repack = "none"
    repack_every: RepackEvery = 100
    migration: Migration = "none"
    epsilon: Epsilon = 0.1
    cores: Cores = 1
    search: Search = "depth"
    search_nodes: SearchNodes = 2_000
    time_limit: TimeLimit = 300.0

    def policy(self) -> "SlaPolicy":
        """Make the policy, which checks all values.

        Raises
        ------
        InvalidInput
            If one is outside its range.
        """
        from cotenant.colocate.periodic.candidates import Rewriting
        from cotenant.colocate.periodic.policy import SlaPolicy

        if self.time_limit < 0:
            raise InvalidInput(
                f"time limit is {self.time_limit:g}; expected 0 or more seconds"
            )
        return SlaPolicy(
            test=self.test,
            rule=self.rule,
            rewriting=Rewriting(
                mode=cast("Any", self.rewrite),
                least_period=self.least_period,
                phase=cast("Any", self.phase),
                window=cast("Any", self.window),
            ),
            repack=cast("Any", self.repack),
            repack_every=self.repack_every,
            migration=cast("Any", self.migration),
            epsilon=self.epsilon,
            cores=self.cores,
            search=cast("Any", self.search),
            search_nodes=self.search_nodes,
            time_limit=self.time_limit or None,
        )


@dataclass(frozen=True, slots=True)
class Churning(Placing):
    """The same for a stream of arrivals: each may search less."""

    search_nodes: SearchNodes = 200
