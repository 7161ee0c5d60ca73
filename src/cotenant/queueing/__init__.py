"""On which cluster does a job of the queue start, and when?

An `Allocator` answers that: it is shown a `View` of the run and returns a cluster, or
None to wait. May import `demand`, `fleet`, `traces` and `kernels`. To add one, write a
function in `allocators.py` and a row in the table below; every command and the contract
tests pick it up.
"""

from collections.abc import Callable, Mapping

from cotenant.queueing.allocators import (
    Allocator,
    best_fit,
    earliest_completion,
    fastest_first,
    random_cluster,
    worst_fit,
)
from cotenant.queueing.estimates import Estimates, exact, last_two, uniform, user
from cotenant.queueing.lookahead import TLA, LookAhead

ALLOCATORS: Mapping[str, Allocator] = {
    "best-fit": best_fit,
    "fastest-first": fastest_first,
    "worst-fit": worst_fit,
    "random": random_cluster,
    "earliest-completion": earliest_completion,
    "tla": TLA,
    "look-ahead": LookAhead(),
}
ESTIMATES: Mapping[str, Callable[..., Estimates]] = {
    "exact": exact,
    "user": user,
    "last-two": last_two,
    "uniform": uniform,
}
