"""Packs a problem by a run: in one go where the method can, else task by task."""

from collections.abc import Sequence

import numpy as np

from cotenant.arrays import IntArray
from cotenant.colocate import RULES
from cotenant.colocate.methods import make_admission
from cotenant.colocate.pack import pack
from cotenant.colocate.picking import Runs
from cotenant.demand.task import Task
from cotenant.fleet import Fleet
from cotenant.study.grid import Run


def pack_run(tasks: Sequence[Task], run: Run, seed: int) -> IntArray:
    """Return the machine of each task, -1 where it fits none alone.

    The answer is that of `pack` with the policy of the run.
    """
    policy = run.policy(seed)
    if run.order == "arrival" and run.groups == 1:
        cpu = [task.usage["cpu"] for task in tasks]
        admission = make_admission(
            run.method, policy.rho, population=cpu, capacity=run.capacity
        )
        if isinstance(admission, Runs):
            where = admission.run(cpu, RULES[run.rule], run.capacity)
            return admission.rebalanced() if run.rebalance else where
    packing = pack(tasks, Fleet.of_equal({"cpu": run.capacity}), policy)
    place = {
        task.name: number for number, on in enumerate(packing.tasks) for task in on
    }
    return np.array([place.get(task.name, -1) for task in tasks], dtype=np.int64)
