"""The exact admission with shortcuts for many machines; same answers, bit for bit."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from operator import itemgetter

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.colocate.admission import Verdict
from cotenant.colocate.columns import Columns
from cotenant.colocate.exact import CELLS, ExactAdmission
from cotenant.colocate.summed import sign
from cotenant.demand.usage import Usage
from cotenant.kernels import exact as kernel
from cotenant.kernels.pruned import pick

THREADS = 2


class PrunedAdmission(ExactAdmission):
    """An `ExactAdmission` that also picks a machine without asking all of them."""

    def __init__(self, rho: float, cells: int = CELLS, slots: int = 1) -> None:
        super().__init__(rho, cells, slots)
        self._columns: dict[float, Columns] = {}
        self._deferred: list[tuple[int, Usage]] | None = None

    def grow(self, capacity: float) -> None:
        super().grow(capacity)
        self._columns.setdefault(capacity, Columns())
        self._touch(len(self._place) - 1)

    def add(self, machine: int, demand: Usage) -> None:
        if self._deferred is not None:
            self._deferred.append((machine, demand))
            return
        super().add(machine, demand)
        self._touch(machine)

    def remove(self, machine: int, demand: Usage) -> None:
        super().remove(machine, demand)
        self._touch(machine)

    def pick(
        self, demand: Usage, allowed: BoolArray, preference: FloatArray
    ) -> int | None:
        """Return the allowed machine of highest preference that fits, None if none.

        The lowest-numbered machine on a tie. With fullness as preference this is best
        fit, with equal preferences first fit.

        Parameters
        ----------
        allowed, preference
            `(machines,)`
        """
        chosen: int | None = None
        for capacity, pool in self._pools.items():
            numbers = self._numbers[capacity]
            alike = len(self._pools) == 1
            liked = preference if alike else preference[numbers]
            own = allowed if alike else allowed[numbers]
            columns = self._columns[capacity]
            columns.follow(pool.load.all, pool.tail.all)
            found = pool.cells(demand)
            row = pick(
                columns.strict,
                pool.tail.all,
                pool.pinned.all,
                pool.count.all,
                pool.peak.all,
                own,
                liked,
                *found,
                demand.maximum,
                pool.alone(demand),
                pool.limit,
                self._rho,
                columns.changed,
                columns.refused(b"".join(part.tobytes() for part in found)),
                columns.now,
            )
            if row < 0:
                continue
            number = numbers[row]
            if chosen is None or (-preference[number], number) < (
                -preference[chosen],
                chosen,
            ):
                chosen = number
        return chosen

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Gather what is added to empty machines, and do it at once at the end.

        Nothing may be asked or removed in between. Machines get what they would have
        got one by one, bit for bit.
        """
        gathered: list[tuple[int, Usage]] = []
        self._deferred = gathered
        try:
            yield
        finally:
            self._deferred = None
            gathered.sort(key=itemgetter(0))  # stable
            if gathered:
                machines, demands = zip(*gathered, strict=True)
                self._fill(machines, demands)

    def _fill(self, machines: Sequence[int], demands: Sequence[Usage]) -> None:
        for capacity, pool in self._pools.items():
            own = set(self._numbers[capacity])
            chosen = [i for i, machine in enumerate(machines) if machine in own]
            if not chosen:
                continue
            rows = np.array([self._place[machines[i]][1] for i in chosen])
            offsets, values, weights = self._laid_out(
                capacity, [demands[i] for i in chosen]
            )
            ends = np.cumsum(offsets[:, -1])
            pool.note(rows, [demands[i] for i in chosen])
            self._columns[capacity].touch(*rows.tolist())
            # Cut between machines; each machine is filled by one thread, in order.
            cuts = np.searchsorted(rows, np.linspace(0, rows[-1] + 1, THREADS + 1))
            arrays = (pool.load.all, pool.pinned.all, pool.above.all, pool.tail.all)
            with ThreadPoolExecutor(THREADS) as threads:
                jobs = [
                    threads.submit(
                        kernel.fill,
                        *arrays,
                        rows[low:high],
                        ends[low:high],
                        offsets[low:high],
                        values,
                        weights,
                        pool.width,
                    )
                    for low, high in pairwise(cuts.tolist())
                ]
                for job in jobs:
                    job.result()

    def verdicts(self, machines: Sequence[int], demand: Usage) -> list[Verdict]:
        """Return the verdict of each of some machines."""
        found: dict[int, Verdict] = {}
        for capacity, pool in self._pools.items():
            own = [m for m in machines if self._place[m][0] is pool]
            if not own:
                continue
            rows = np.array([self._place[m][1] for m in own])
            values = kernel.overload_with(
                pool.tail.all[rows], pool.pinned.all[rows], *pool.cells(demand)
            )
            values[pool.count.all[rows] == 0] = pool.alone(demand)
            values[pool.never_over(demand)[rows]] = 0.0
            for machine, value in zip(own, values.tolist(), strict=True):
                found[machine] = self._words(value, capacity)
        return [found[machine] for machine in machines]

    def load(self, machine: int) -> float:
        """Return mean load over capacity of one machine."""
        pool, row = self._place[machine]
        return float(pool.mean.all[row]) / pool.capacity

    def _words(self, value: float, capacity: float) -> Verdict:
        odds = f"{value:.3g} {sign(value, self._rho)} {self._rho:.3g}"
        return Verdict("", value, self._rho, f"Pr[use > {capacity:.4g}] = {odds}")

    def _laid_out(
        self, capacity: float, demands: Sequence[Usage]
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return offsets `(demands, slots + 1)`, and all values and weights."""
        laid = [self._pools[capacity].laid(demand) for demand in demands]
        offsets, values, weights = zip(*laid, strict=True)
        return np.array(offsets), np.concatenate(values), np.concatenate(weights)

    def _touch(self, machine: int) -> None:
        pool, row = self._place[machine]
        self._columns[pool.capacity].touch(row)
