"""What groups of machines cost in machines, beside one placer for the whole fleet."""

import time
from typing import Any

from benchmarks.timing import fewer, ratio
from cotenant.colocate.methods import make_admission
from cotenant.colocate.placer import Placer
from cotenant.colocate.sharded import ShardedPlacer
from cotenant.demand.usage import Usage
from cotenant.planning.problem import Selection, make_problem
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import matched

TASKS, RHO = 20_000, 0.001
GROUPS = (2, 4, 16, 64)


def pack(usages: list[Usage], method: str, groups: int) -> tuple[int, float]:
    """Place tasks on machines of equal groups; return machines, and CPU seconds."""
    admissions: list[Any] = [make_admission(method, RHO) for _ in range(groups)]
    placers: list[Placer[Usage, float]] = [
        Placer(admission, lambda task, usage: 1.0) for admission in admissions
    ]
    fleet = ShardedPlacer(placers, [1.0] * groups, lambda usage: usage.mean)
    since = time.process_time()
    for number, usage in enumerate(usages):
        fleet.place(str(number), usage)
    return len(fleet.machines), time.process_time() - since


def main() -> None:
    frame = matched(TASKS, seed=1)
    tasks = make_problem(from_frame(frame, "fraction"), Selection()).tasks
    usages = [task.usage["cpu"] for task in tasks]
    for method in ("gaussian", "exact"):
        alone, once = pack(usages, method, 1)
        for groups in GROUPS:
            machines, seconds = pack(usages, method, groups)
            what = f"{method}, {TASKS:,} tasks, {groups} groups"
            fewer(f"{what}: machines", machines, alone, "", "one placer")
            ratio(f"{what}: CPU", seconds, once, "one placer")


if __name__ == "__main__":
    main()
