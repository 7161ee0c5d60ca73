"""Admission by replaying aligned histories, with headroom for drift."""

import numpy as np

from cotenant.arrays import BoolArray, FloatArray
from cotenant.colocate.admission import Verdict
from cotenant.colocate.stacks import Rows
from cotenant.colocate.summed import check_rho, sign
from cotenant.demand.usage import Usage
from cotenant.errors import InvalidInput
from cotenant.kernels import margin as kernel


class ReplayAdmission:
    """Admit while histories, added up moment by moment, stay within capacity.

    At most a share `rho` of the moments may be above what is left of capacity once
    (margin - 1) times the mean load of all tasks is kept free: room for every task
    using that much more of its mean than before. Nothing is supposed independent.

    Parameters
    ----------
    rho
        Largest accepted share of moments above, in (0, 1).
    margin
        1 for no headroom.

    Raises
    ------
    InvalidInput
        If `rho` is outside (0, 1), the margin below 1, or a usage has no aligned
        history or one of another length.
    """

    def __init__(self, rho: float, margin: float = 1.0) -> None:
        if not 1.0 <= margin < 100.0:
            raise InvalidInput(f"margin is {margin:g}; expected 1 or more")
        self._rho, self._margin = check_rho(rho), margin
        self._capacity, self._mean = Rows(), Rows()
        self._load: Rows | None = None
        self._held: list[list[Usage]] = []

    def grow(self, capacity: float) -> None:
        for rows in (self._capacity, self._mean):
            rows.grow()
        if self._load is not None:
            self._load.grow()
        self._capacity.all[-1] = capacity
        self._held.append([])

    def fits(self, demand: Usage) -> BoolArray:
        series = self._series(demand)
        return kernel.admits(
            self._loads(len(series)),
            self._mean.all,
            self._capacity.all,
            series,
            float(series.mean()),
            self._margin,
            self._allowed(series),
        )

    def fullness(self) -> FloatArray:
        return self._mean.all / self._capacity.all

    def add(self, machine: int, demand: Usage) -> None:
        series = self._series(demand)
        self._loads(len(series))[machine] += series
        self._mean.all[machine] += series.mean()
        self._held[machine].append(demand)

    def remove(self, machine: int, demand: Usage) -> None:
        # Summed anew: subtraction would leave rounding behind.
        remaining = self._held[machine]
        remaining.remove(demand)
        self._held[machine] = []
        self._loads(len(self._series(demand)))[machine] = 0.0
        self._mean.all[machine] = 0.0
        for usage in remaining:
            self.add(machine, usage)

    def load(self, machine: int) -> FloatArray:
        """Return what is on a machine, moment by moment; empty before the first."""
        return np.zeros(0) if self._load is None else self._load.all[machine]

    def above(self, machine: int, margin: float) -> BoolArray:
        """Return at which moments a machine is above what a margin leaves."""
        headroom = (margin - 1.0) * float(self._mean.all[machine])
        room = float(self._capacity.all[machine]) * (1.0 + 1e-9) - headroom
        return self.load(machine) > room

    @property
    def allowed(self) -> int:
        """At how many moments a machine may be above."""
        return 0 if self._load is None else self._allowed(self._load.all[0])

    def verdict(self, machine: int, demand: Usage) -> Verdict:
        series = self._series(demand)
        count = kernel.count_over(
            self._loads(len(series))[machine],
            self._mean.all[machine],
            series,
            float(series.mean()),
            self._capacity.all[machine],
            self._margin,
        )
        allowed = self._allowed(series)
        words = (
            f"{count} of {len(series)} replayed moments above capacity with margin "
            f"{self._margin:.3g} {sign(count, allowed)} {allowed}"
        )
        return Verdict("", float(count), float(allowed), words)

    def _allowed(self, series: FloatArray) -> int:
        return int(self._rho * len(series) + 1e-9)

    def _series(self, usage: Usage) -> FloatArray:
        if usage.series is None:
            raise InvalidInput(
                "method replay needs usage aligned in time; the trace carries none"
            )
        return usage.series

    def _loads(self, moments: int) -> FloatArray:
        if self._load is None:
            self._load = Rows(moments)
            for _ in self._held:
                self._load.grow()
        if self._load.all.shape[1] != moments:
            raise InvalidInput(
                f"a history has {moments} moments; expected {self._load.all.shape[1]}"
            )
        return np.asarray(self._load.all)
