"""A study on one and two Dask workers of this machine against this process alone."""

import os
import time
from dataclasses import dataclass
from importlib.util import find_spec

from benchmarks.timing import absent, ratio
from cotenant.study.grid_result import study_grid

PROBLEMS = 16
RUNS = [{"method": ["gaussian"], "rho": [0.01, 0.001]}]
GRID = {"problems": PROBLEMS, "tasks": 1_000, "realisations": 20_000, "runs": RUNS}


@dataclass(frozen=True)
class Took:
    """Seconds: of wall time after the first cells, of CPU by workers, and here."""

    steady: float
    workers: float
    here: float


def run(where: str) -> Took:
    """Run the study; workers have begun when as many cells as there are of them are."""
    stamps: list[float] = []
    before = os.times()
    study_grid(GRID, where, advance=lambda *_: stamps.append(time.perf_counter()))
    after = os.times()
    begun = int(where.removeprefix("local:"))
    each = (stamps[-1] - stamps[begun - 1]) / (PROBLEMS - begun)
    workers = after.children_user - before.children_user
    workers += after.children_system - before.children_system
    here = after.user - before.user + after.system - before.system
    return Took(each, workers, here)


def main() -> None:
    alone = run("1")
    if find_spec("distributed") is None:
        absent("a cell of a study", alone.steady, "distributed")
        return
    one, two = run("local:1"), run("local:2")
    ratio("a cell on one worker, once begun", one.steady, alone.steady, "this process")
    ratio("a cell on two workers, once begun", two.steady, one.steady, "one worker")
    start = two.workers - one.workers
    cell = (one.workers - start) / PROBLEMS
    ratio("CPU of a cell on a worker", cell, alone.here / PROBLEMS, "this process")
    print(f"  CPU to start: {start:.1f} s a worker, {one.here:.1f} s here")


if __name__ == "__main__":
    main()
