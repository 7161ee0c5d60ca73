"""Computed overload of many packings of the same tasks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cotenant.arrays import FloatArray, IntArray
from cotenant.colocate.cells import cut, grid
from cotenant.demand.usage import Usage
from cotenant.sim.judge import overloads

if TYPE_CHECKING:
    from cotenant.kernels.exact_index import Asked


class Judge:
    """Answers like `judge_exact`, and cuts each task into cells only once."""

    def __init__(self, truth: Sequence[Usage]) -> None:
        self._truth = truth
        self._asked: dict[float, Asked] = {}

    def overload(self, tasks: IntArray, ends: IntArray, capacity: float) -> FloatArray:
        """Return how often each machine is above capacity.

        Parameters
        ----------
        tasks, ends
            Machine m has `tasks[ends[m]:ends[m + 1]]`, at least one.
        """
        cells = grid(capacity)
        if capacity not in self._asked:
            self._asked[capacity] = cut(self._truth, capacity, cells)
        return overloads(self._asked[capacity], tasks, ends, capacity, cells)
