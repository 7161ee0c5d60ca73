"""Computed overload of many packings of the same tasks."""

from collections.abc import Sequence

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.colocate.cells import grid
from cotenant.demand.usage import Usage
from cotenant.kernels import exact as kernel

_Cells = tuple[IntArray, IntArray, FloatArray, FloatArray]


class Judge:
    """Answers like `judge_exact`, and cuts each task into cells only once."""

    def __init__(self, truth: Sequence[Usage]) -> None:
        self._offsets = np.cumsum([0, *(len(usage.values) for usage in truth)])
        self._values = np.concatenate([usage.values for usage in truth])
        self._weights = np.concatenate([usage.weights for usage in truth])
        self._cells: dict[float, _Cells] = {}

    def overload(self, tasks: IntArray, ends: IntArray, capacity: float) -> FloatArray:
        """Return how often each machine is above capacity.

        Parameters
        ----------
        tasks, ends
            Machine m has `tasks[ends[m]:ends[m + 1]]`, at least one.
        """
        size = grid(capacity)
        if capacity not in self._cells:
            arrays = (self._offsets, self._values, self._weights)
            self._cells[capacity] = kernel.to_cells(*arrays, capacity / size)
        result = kernel.overloads(*self._cells[capacity], tasks, ends, size + 1)
        for machine in np.flatnonzero(np.diff(ends) == 1):
            # Alone on a machine nothing needs a grid.
            task = tasks[ends[machine]]
            own = slice(self._offsets[task], self._offsets[task + 1])
            whole = np.array([0, own.stop - own.start])
            values, weights = self._values[own], self._weights[own]
            alone = kernel.overload_alone(whole, values, weights, capacity)
            result[machine] = alone
        return result
