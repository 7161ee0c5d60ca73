"""Best of a few runs, and a line that says the ratio."""

import time
from collections.abc import Callable


def best(function: Callable[[], object], runs: int = 3) -> float:
    """Return the shortest wall time of some runs, in seconds, after a warm-up."""
    function()
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return min(times)


def ratio(what: str, ours: float, baseline: float, against: str) -> None:
    """Print how many times the baseline's speed ours has."""
    print(
        f"{what:<46} {ours:9.4f} s   {baseline:9.4f} s {against:<24} "
        f"{baseline / ours:7.2f} x"
    )
