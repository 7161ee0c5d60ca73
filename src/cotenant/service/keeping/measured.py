"""What machines really went through on a day, from who was there and what they used."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.service.keeping.history import MOMENTS, History
from cotenant.service.keeping.stays import Stays

ENOUGH = 0.9
"""Share of its moments that must be measured for a machine-day to count."""

SLACK = 1e-9
"""Sums of decimals that equal the capacity are not above it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A day, machine by machine: `(machines,)`.

    Parameters
    ----------
    over
        Moments above capacity, throttled parts of others included.
    observed
        Moments at which every task there was measured.
    occupied
        Moments with a task.
    """

    machines: list[str]
    over: FloatArray
    observed: IntArray
    occupied: IntArray

    def counted(self, besides: Collection[str] = ()) -> "Measured":
        """Return the machines that count: in use, measured, and not set aside."""
        enough = self.observed >= np.maximum(1, ENOUGH * self.occupied)
        rows = [
            row
            for row in np.flatnonzero(enough).tolist()
            if self.machines[row] not in besides
        ]
        names = [self.machines[row] for row in rows]
        return Measured(
            names, self.over[rows], self.observed[rows], self.occupied[rows]
        )

    @property
    def shares(self) -> FloatArray:
        """Share of the measured time of each machine above capacity."""
        return np.asarray(self.over / self.observed)

    @property
    def overload(self) -> float | None:
        """Share of all machine time above capacity; None if nothing was measured."""
        total = int(self.observed.sum())
        return float(self.over.sum()) / total if total else None


def measure(
    history: History, stays: Stays, capacity: Mapping[str, float], day: int
) -> Measured:
    """Add up a day on the machines where tasks really were.

    A moment is over where the tasks of a machine used more than its capacity; else as
    far as the machine held one of them back. It is measured if all of them were.

    Parameters
    ----------
    capacity
        CPU by machine; others are passed over.
    """
    rows = {name: row for row, name in enumerate(capacity)}
    load = np.zeros((len(rows), MOMENTS))
    throttled = np.zeros_like(load)
    occupied = np.zeros(load.shape, dtype=np.bool_)
    missing = np.zeros(load.shape, dtype=np.bool_)
    first = day * MOMENTS
    for task, machine, since, until in stays.during(first, first + MOMENTS):
        row, part = rows.get(machine), slice(since - first, until - first)
        if row is None:
            continue
        occupied[row, part] = True
        samples = history.usage.get(task, {}).get(day)
        if samples is None:
            missing[row, part] = True
            continue
        known = np.isfinite(samples[part])
        missing[row, part] |= ~known
        load[row, part] += np.where(known, samples[part], 0.0)
        held_back = history.throttled.get(task, {}).get(day)
        if held_back is not None:
            share = np.nan_to_num(held_back[part])
            throttled[row, part] = np.maximum(throttled[row, part], share)
    above = load > np.array(list(capacity.values()))[:, None] * (1.0 + SLACK)
    observed = occupied & ~missing
    over = np.where(above, 1.0, throttled) * observed
    return Measured(
        list(rows), over.sum(axis=1), observed.sum(axis=1), occupied.sum(axis=1)
    )
