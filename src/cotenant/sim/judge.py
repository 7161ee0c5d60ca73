"""Judges a placement from the distributions of its tasks: computed or sampled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.colocate.cells import CELLS, cut, grid
from cotenant.demand.usage import Usage
from cotenant.kernels import exact as kernel
from cotenant.kernels.exact_index import Asked
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
    for capacity in {machine.capacity for machine in machines}:
        own = [n for n, machine in enumerate(machines) if machine.capacity == capacity]
        usages = [usage for n in own for usage in machines[n].usages]
        ends = np.cumsum([0, *(len(machines[n].usages) for n in own)])
        fine = grid(capacity, cells)
        if usages:
            asked = cut(usages, capacity, fine, slots)
            order = np.arange(len(usages))
            overload[own] = overloads(asked, order, ends, capacity, fine, slots)
        else:
            overload[own] = 0.0
    return Judgement(overload)


def overloads(
    asked: Asked,
    tasks: IntArray,
    ends: IntArray,
    capacity: float,
    cells: int,
    slots: int = 1,
) -> FloatArray:
    """Return how often each machine of a capacity is above it.

    Parameters
    ----------
    asked
        Tasks cut into cells for that capacity.
    tasks, ends
        Machine m has `tasks[ends[m]:ends[m + 1]]`.
    """
    cut_up = (asked.starts, asked.cells, asked.mass, asked.pinned)
    result = kernel.overloads(*cut_up, tasks, ends, cells + 1, slots)
    # Where all peaks together fit, and alone on a machine, nothing needs a grid.
    peaks = np.concatenate([[0.0], np.cumsum(asked.maximum[tasks])])[ends]
    result[np.diff(peaks) <= capacity * (1.0 + 1e-12)] = 0.0
    alone = np.flatnonzero(np.diff(ends) == 1)
    result[alone] = asked.alone[tasks[ends[alone]]]
    return result


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
