"""Judges a placement from the distributions of its tasks: computed or sampled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.colocate.cells import CELLS
from cotenant.colocate.exact import ExactAdmission
from cotenant.demand.usage import Usage
from cotenant.kernels.overload import add_realisations, count_above

REALISATIONS = 10_000


@dataclass(frozen=True, slots=True)
class Carried:
    """What a machine carries of one resource: its capacity and the tasks' usages."""

    capacity: float
    usages: Sequence[Usage]


@dataclass(frozen=True, slots=True)
class Judgement:
    """How often each machine is above capacity.

    Parameters
    ----------
    overload
        `(machines,)` fraction of moments strictly above capacity.
    counts
        For each machine how many moments were above, of how many, where overload was
        counted; empty where it was computed.
    timeline
        `(seconds, share of judged machines in overload)`, at most 2,000 points, where
        time was replayed.
    """

    overload: FloatArray
    counts: Sequence[tuple[int, int]] = ()
    timeline: tuple[tuple[float, float], ...] = ()

    @property
    def overloaded(self) -> int:
        """Machine-moments counted above capacity."""
        return sum(above for above, _ in self.counts)

    @property
    def moments(self) -> int:
        """Machine-moments looked at; 0 where overload was computed."""
        return sum(moments for _, moments in self.counts)


def judge_exact(
    machines: Sequence[Carried], cells: int = CELLS, slots: int = 1
) -> Judgement:
    """Compute overload by convolution, tasks taken as independent.

    Parameters
    ----------
    cells
        Least number of grid cells a capacity is cut into; see `ExactAdmission`.
    slots
        Time-of-day slots within which tasks are independent; 1 for the whole day.
    """
    overload = np.empty(len(machines))
    for number, machine in enumerate(machines):
        # A fresh one each time keeps a single machine's grid in memory.
        admission = ExactAdmission(0.5, cells, slots)
        admission.grow(machine.capacity)
        for usage in machine.usages:
            admission.add(0, usage)
        overload[number] = admission.overload(0)
    return Judgement(overload)


def judge_samples(
    machines: Sequence[Carried], seed: int = 0, realisations: int = REALISATIONS
) -> Judgement:
    """Draw realisations of every task from its samples and count overloads.

    The stream of a task depends on `seed` and its place alone, so the same placement
    gets the same answer.
    """
    counts = []
    for number, machine in enumerate(machines):
        random = np.random.default_rng([seed, number])
        load = np.zeros(realisations)
        for usage in machine.usages:
            add_realisations(
                usage.values, usage.weights, random.random(realisations), load
            )
        counts.append((count_above(load, machine.capacity), realisations))
    overload = np.array([above / realisations for above, _ in counts])
    return Judgement(overload, counts)
