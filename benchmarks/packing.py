"""Packing 1,000 and 20,000 tasks by GPA against a plain NumPy loop."""

import numpy as np
from scipy.special import ndtri

from benchmarks.timing import best, ratio
from cotenant.colocate.pack import Policy, pack
from cotenant.demand.task import Task
from cotenant.fleet import Fleet
from cotenant.planning.problem import Selection, make_problem
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import matched

RHO = 0.001
EQUAL = Fleet.of_equal({"cpu": 1.0})


def numpy_loop(tasks: list[Task]) -> int:
    """Pack by best fit with whole-array operations and nothing else."""
    z = float(-ndtri(RHO))
    mean, variance = np.zeros(len(tasks)), np.zeros(len(tasks))
    machines = 0
    for task in tasks:
        usage = task.usage["cpu"]
        load = mean[:machines]
        spread = np.sqrt(variance[:machines] + usage.variance)
        fits = load + usage.mean + z * spread <= 1.0
        if fits.any():
            chosen = int(np.where(fits, load, -np.inf).argmax())
        else:
            chosen, machines = machines, machines + 1
        mean[chosen] += usage.mean
        variance[chosen] += usage.variance
    return machines


def main() -> None:
    for count, runs in ((1_000, 5), (20_000, 2)):
        frame = matched(count, seed=1)
        tasks = make_problem(from_frame(frame, "fraction"), Selection()).tasks
        for method in ("gaussian", "exact"):
            policy = Policy(method, "best-fit", RHO)
            ours = best(lambda: pack(tasks, EQUAL, policy), runs)  # noqa: B023
            plain = best(lambda: numpy_loop(tasks), runs)  # noqa: B023
            what = f"pack {count:,} tasks, {method}, best fit"
            ratio(what, ours, plain, "NumPy loop, gaussian")
        same = len(pack(tasks, EQUAL, Policy("gaussian", "best-fit", RHO)).machines)
        print(f"  machines: ours {same}, NumPy loop {numpy_loop(tasks)}")


if __name__ == "__main__":
    main()
