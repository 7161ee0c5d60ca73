"""Packing fixed sizes against binpacking, prtpy and OR-Tools: time, and machines."""

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from benchmarks.timing import absent, best, fewer, ratio
from cotenant.colocate.pack import Policy, pack
from cotenant.fleet import Fleet
from cotenant.planning.problem import Selection, make_problem
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import matched

processor = time.process_time
EQUAL = Fleet.of_equal({"cpu": 1.0})
DECREASING = Policy("percentile:95", "first-fit", 0.01, order="largest-mean")
TASKS, FEW, SECONDS = 2_000, 100, 10.0


def with_binpacking(sizes: list[float]) -> int:
    """Best fit, sizes descending."""
    return len(import_module("binpacking").to_constant_volume(sizes, 1.0))


def with_prtpy(sizes: list[float]) -> int:
    """First fit, sizes descending."""
    prtpy: Any = import_module("prtpy")
    return len(prtpy.pack(prtpy.packing.first_fit_decreasing, 1.0, sizes))


def with_ortools(sizes: list[float]) -> int:
    """As few machines as CP-SAT finds in some seconds."""
    cp: Any = import_module("ortools.sat.python.cp_model")
    whole = [round(1_000_000 * size) for size in sizes]
    most = with_prtpy(sizes)
    model = cp.CpModel()
    used = [model.new_bool_var("") for _ in range(most)]
    for machine in range(1, most):
        model.add_implication(used[machine], used[machine - 1])
    loads: list[list[Any]] = [[] for _ in range(most)]
    for size in whole:
        on = [model.new_bool_var("") for _ in range(most)]
        model.add_exactly_one(on)
        for machine in range(most):
            loads[machine].append(size * on[machine])
    for machine in range(most):
        model.add(sum(loads[machine]) <= 1_000_000 * used[machine])
    model.minimize(sum(used))
    solver = cp.CpSolver()
    solver.parameters.max_time_in_seconds = SECONDS
    solver.solve(model)
    return round(solver.objective_value)


PEERS: dict[str, tuple[Callable[[list[float]], int], int]] = {
    "binpacking": (with_binpacking, TASKS),
    "prtpy": (with_prtpy, TASKS),
    "ortools": (with_ortools, FEW),
}


def main() -> None:
    frame = matched(TASKS, seed=1)
    every = make_problem(from_frame(frame, "fraction"), Selection()).tasks
    for name, (peer, count) in PEERS.items():
        tasks = every[:count]
        sizes = [task.usage["cpu"].percentile(95) for task in tasks]
        ours = best(lambda: pack(tasks, EQUAL, DECREASING), 3, processor)  # noqa: B023
        what = f"place {count:,} fixed sizes"
        try:
            theirs = best(lambda: peer(sizes), 1, processor)  # noqa: B023
        except ModuleNotFoundError:
            absent(what, ours, name)
            continue
        ratio(what, ours, theirs, name)
        machines = len(pack(tasks, EQUAL, DECREASING).machines)
        fewer(f"machines for {count:,} fixed sizes", machines, peer(sizes), "", name)


if __name__ == "__main__":
    main()
