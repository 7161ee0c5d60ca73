"""The options of `sla place` that `churn` shares, and the policy they make."""

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


def make_policy(
    test: str,
    rule: str,
    rewrite: str,
    least_period: int,
    phase: str,
    window: str,
    repack: str,
    repack_every: int,
    migration: str,
    epsilon: float,
    cores: int,
    search: str,
    search_nodes: int,
    time_limit: float,
) -> "SlaPolicy":
    """Make the policy, which checks all values.

    Raises
    ------
    InvalidInput
        If one is outside its range.
    """
    from cotenant.colocate.periodic.candidates import Rewriting
    from cotenant.colocate.periodic.policy import SlaPolicy

    if time_limit < 0:
        raise InvalidInput(f"time limit is {time_limit:g}; expected 0 or more seconds")
    return SlaPolicy(
        test=test,
        rule=rule,
        rewriting=Rewriting(
            mode=cast("Any", rewrite),
            least_period=least_period,
            phase=cast("Any", phase),
            window=cast("Any", window),
        ),
        repack=cast("Any", repack),
        repack_every=repack_every,
        migration=cast("Any", migration),
        epsilon=epsilon,
        cores=cores,
        search=cast("Any", search),
        search_nodes=search_nodes,
        time_limit=time_limit or None,
    )
