"""Packs a problem by a run: in one kernel where the test is of sums, else by `pack`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from cotenant.arrays import FloatArray, IntArray
from cotenant.colocate.methods import make_admission
from cotenant.colocate.pack import pack
from cotenant.colocate.sized import SizedAdmission
from cotenant.colocate.stochastic import GaussianAdmission
from cotenant.demand.task import Task
from cotenant.fleet import Fleet
from cotenant.kernels import packing as kernel
from cotenant.study.grid import Run


@dataclass(frozen=True, slots=True)
class _Sums:
    """What the kernel needs of the tasks and of a machine."""

    sizes: FloatArray
    variances: FloatArray
    z: float
    limit: float


def pack_run(tasks: Sequence[Task], run: Run, seed: int) -> IntArray:
    """Return the machine of each task, -1 where it fits none alone.

    The answer is that of `pack` with the policy of the run.
    """
    policy = run.policy(seed)
    if run.order == "arrival" and run.groups == 1:
        sums = _sums(tasks, run)
        if sums is not None:
            means = np.array([task.usage["cpu"].mean for task in tasks])
            best = run.rule == "best-fit"
            level = (sums.z, sums.limit)
            machine = kernel.place(
                sums.sizes, sums.variances, means, *level, run.capacity, best
            )
            if run.rebalance:
                kernel.rebalance(machine, sums.sizes, sums.variances, *level)
            return machine
    packing = pack(tasks, Fleet.of_equal({"cpu": run.capacity}), policy)
    place = {
        task.name: number for number, on in enumerate(packing.tasks) for task in on
    }
    return np.array([place.get(task.name, -1) for task in tasks], dtype=np.int64)


def _sums(tasks: Sequence[Task], run: Run) -> _Sums | None:
    cpu = [task.usage["cpu"] for task in tasks]
    policy = run.policy(0)
    admission = make_admission(
        run.method, policy.rho, population=cpu, capacity=run.capacity
    )
    if not isinstance(admission, SizedAdmission | GaussianAdmission):
        return None
    admission.grow(run.capacity)
    limit = float(admission.limits()[0])
    numbers = np.array([admission.numbers(usage) for usage in cpu])
    if isinstance(admission, SizedAdmission):
        return _Sums(numbers[:, 0].copy(), np.zeros(len(cpu)), 0.0, limit)
    z = float(-ndtri(policy.rho))
    return _Sums(numbers[:, 0].copy(), numbers[:, 1].copy(), z, limit)
