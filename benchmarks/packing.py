"""Packing: the machine index beside its bars, and whole packings beside NumPy's.

Seconds of one processor, warm; the bars are those the project set itself.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from benchmarks.timing import best, ratio
from cotenant.colocate import RULES
from cotenant.colocate.methods import make_admission
from cotenant.colocate.pack import Policy, pack
from cotenant.colocate.placer import Placer
from cotenant.demand.task import Task
from cotenant.demand.usage import Usage, usages
from cotenant.fleet import Fleet
from cotenant.kernels import summed as kernel
from cotenant.kernels.index import make_index
from cotenant.planning.problem import Selection, make_problem
from cotenant.study.grid import PoolSpec
from cotenant.study.grid_pool import open_pool
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import matched

RHO = 0.001
Z = float(-ndtri(RHO))
EQUAL = Fleet.of_equal({"cpu": 1.0})
MANY, SOME, ONLINE, MOVES = 1_000_000, 100_000, 4_000, 2_000
processor = time.process_time


def main() -> None:
    tasks = make_problem(from_frame(matched(20_000, seed=1), "fraction"), Selection())
    made = [task.usage["cpu"] for task in tasks.tasks]
    for rule, bar in (("first-fit", 0.5), ("best-fit", 1.5)):
        ours = best(lambda: moments_alone(made, rule), 3, processor)  # noqa: B023
        ratio(f"{MANY:,} tasks, gaussian, {rule}", ours, bar, "bar")
    for name, pool in {"matched": made, **planetlab()}.items():
        chosen = np.random.default_rng(2).integers(len(pool), size=SOME).tolist()
        drawn, bar = [pool[i] for i in chosen], 1.0 if name == "matched" else 5.0
        for rule in RULES:
            ours = best(lambda: exactly(drawn, rule), 1, processor)  # noqa: B023
            ratio(f"{SOME:,} tasks, exact, {rule}, {name}", ours, bar, "bar")
    for method in ("gaussian", "exact"):
        for what, seconds in online(made, method).items():
            ratio(f"{what}, {method}, {ONLINE:,} machines", seconds, 50e-6, "bar")
    beside_numpy(tasks.tasks)


def planetlab() -> dict[str, list[Usage]]:
    """Return tasks of PlanetLab, a fortieth of a machine each, if they are at hand."""
    folder = Path(os.environ.get("COTENANT_DATA", "")) / "planetlab"
    if not folder.is_dir():
        return {}
    pool = open_pool(PoolSpec((str(folder),), format="planetlab", mean=0.0272), 0)
    found = pool.take(np.arange(pool.size))
    weights = np.ones(len(found.instantaneous))
    return {"PlanetLab": usages(found.offsets, found.instantaneous, weights)}


def moments_alone(pool: list[Usage], rule: str) -> int:
    """Pack many tasks like these by GPA and return the machines they take."""
    random = np.random.default_rng(0)
    moments = np.array([(usage.mean, usage.variance) for usage in pool])
    numbers = moments[random.integers(len(pool), size=MANY)]
    numbers *= random.uniform(0.98, 1.02, size=MANY)[:, None]  # no two alike
    rows = MANY // 20
    one, none = np.ones(rows), np.zeros(2)
    sums = (np.zeros(rows), np.zeros((rows, 2)))
    load = kernel.Load(kernel.NORMAL, Z, 0.0, none, none, one, one, *sums)
    index, where = make_index(rows, rule == "best-fit"), np.empty(MANY, np.int64)
    means = numbers[:, 0].copy()
    return kernel.place(index, load, 0, 0, numbers, means, where)[1]


def exactly(tasks: list[Usage], rule: str) -> int:
    """Pack tasks by the exact test, cutting them into cells included."""
    return int(make_admission("exact", RHO).run(tasks, RULES[rule], 1.0).max())


def online(pool: list[Usage], method: str) -> dict[str, float]:
    """Return seconds to remove a task and to place one, machines being full."""
    admission = make_admission(method, RHO)
    placer = Placer(admission, lambda _task, _usage: 1.0, RULES["best-fit"])
    number = 0
    while len(placer.machines) < ONLINE:
        placer.place(str(number), pool[number % len(pool)])
        number += 1
    chosen = np.random.default_rng(0).permutation(number)[:MOVES].tolist()
    removing = timed(lambda: [placer.remove(str(i)) for i in chosen])
    placing = timed(lambda: [placer.place(str(i), pool[i % len(pool)]) for i in chosen])
    return {"remove": removing / MOVES, "place": placing / MOVES}


def timed(function: Callable[[], object]) -> float:
    started = processor()
    function()
    return processor() - started


def beside_numpy(every: list[Task]) -> None:
    """Compare whole packings, tasks with names, to a loop of array operations."""
    for count, runs in ((1_000, 5), (20_000, 2)):
        tasks = every[:count]
        plain = best(lambda: numpy_loop(tasks), runs, processor)  # noqa: B023
        for method in ("gaussian", "exact"):
            policy = Policy(method, "best-fit", RHO)
            ours = best(lambda: pack(tasks, EQUAL, policy), runs, processor)  # noqa: B023
            what = f"pack {count:,} tasks, {method}, best fit"
            ratio(what, ours, plain, "NumPy loop, gaussian")
        same = len(pack(tasks, EQUAL, Policy("gaussian", "best-fit", RHO)).machines)
        print(f"  machines: ours {same}, NumPy loop {numpy_loop(tasks)}")


def numpy_loop(tasks: list[Task]) -> int:
    """Pack by best fit with whole-array operations and nothing else."""
    mean, variance = np.zeros(len(tasks)), np.zeros(len(tasks))
    machines = 0
    for task in tasks:
        usage = task.usage["cpu"]
        load = mean[:machines]
        spread = np.sqrt(variance[:machines] + usage.variance)
        fits = load + usage.mean + Z * spread <= 1.0
        if fits.any():
            chosen = int(np.where(fits, load, -np.inf).argmax())
        else:
            chosen, machines = machines, machines + 1
        mean[chosen] += usage.mean
        variance[chosen] += usage.variance
    return machines


if __name__ == "__main__":
    main()
