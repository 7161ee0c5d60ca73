"""Admission of periodic SLAs to unit hosts; the table of host tests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.colocate.admission import ExplainedAdmission, Verdict
from cotenant.colocate.periodic.bounds import BOUNDS, Bound, BoundAdmission
from cotenant.colocate.periodic.loads import place_of
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput
from cotenant.kernels import response_time as kernel

Test: TypeAlias = ExplainedAdmission[Sla, object]

_NEVER = np.iinfo(np.int64).max
_REMEMBERED = 512  # periods


@dataclass(frozen=True, slots=True)
class UnitHost:
    """One core of a machine: it gives one tick a tick, to one task at a time.

    Parameters
    ----------
    machine
        Name of the machine.
    core
        From 0. Tasks are partitioned: none runs on two cores.
    """

    machine: str
    core: int


class ResponseTimeAdmission:
    """Admit while every task ends within its period under rate-monotonic priorities.

    Exact for any release offsets that can occur, since all tasks released at once is
    the worst case (Liu and Layland, 1973; response times by Joseph and Pandya, 1986).

    Notes
    -----
    A host that refuses a budget refuses any larger one at that period until a task
    leaves it. The least refused budgets are remembered, for the periods asked last, and
    hosts that cannot fit are skipped.
    """

    def __init__(self) -> None:
        self._held: list[list[Sla]] = []
        self._rows = np.zeros((3, 4, 8), np.int64)  # budget, period, response time
        self._count = np.zeros(4, np.int64)
        self._sums = np.zeros((2, 4))  # utilization, product of 1 + utilization
        self._broken = np.zeros(4, np.bool_)
        self._refused: dict[int, IntArray] = {}

    def grow(self, capacity: object) -> None:
        if len(self._held) == len(self._count):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)], 1)
            self._sums = np.concatenate([self._sums, np.zeros_like(self._sums)], 1)
            for name in ("_count", "_broken"):
                array = getattr(self, name)
                setattr(self, name, np.concatenate([array, np.zeros_like(array)]))
            self._refused.clear()
        self._held.append([])
        self._clear(len(self._held) - 1)

    def fits(self, demand: Sla) -> BoolArray:
        refused = self._refused.get(demand.period)
        if refused is None:
            if len(self._refused) == _REMEMBERED:
                del self._refused[next(iter(self._refused))]
            refused = np.full(len(self._count), _NEVER)
            self._refused[demand.period] = refused
        budget, period, response = self._rows
        filled, product = self._sums
        return kernel.admits(
            budget,
            period,
            response,
            self._count[: len(self._held)],
            filled,
            product,
            self._broken,
            refused,
            demand.budget,
            demand.period,
        )

    def fullness(self) -> FloatArray:
        return self._sums[0, : len(self._held)].copy()

    def add(self, machine: int, demand: Sla) -> None:
        self._held[machine].append(demand)
        self._join(machine, demand)

    def remove(self, machine: int, demand: Sla) -> None:
        del self._held[machine][place_of(self._held[machine], demand)]
        self._clear(machine)
        for sla in self._held[machine]:
            self._join(machine, sla)

    def verdict(self, machine: int, demand: Sla) -> Verdict:
        slas = sorted([*self._held[machine], demand], key=lambda s: s.period)
        times = response_times(slas)
        late = next((i for i, time in enumerate(times) if time is None), None)
        if late is not None:
            period = slas[late].period
            words = f"response time of {slas[late]} > {period}"
            return Verdict("", float(period + 1), float(period), words)
        # The closest call of those that the newcomer can delay.
        met = [(s, t) for s, t in zip(slas, times, strict=True) if t is not None]
        sla, time = max(met, key=lambda pair: pair[1] / pair[0].period)
        words = f"response time of {sla} = {time} <= {sla.period}"
        return Verdict("", float(time), float(sla.period), words)

    def _join(self, machine: int, demand: Sla) -> None:
        count = int(self._count[machine])
        if count == self._rows.shape[2]:
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)], 2)
        budget, period, response = self._rows[:, machine]
        kernel.join(budget, period, response, count, demand.budget, demand.period)
        self._count[machine] += 1
        self._sums[0, machine] += demand.utilization
        self._sums[1, machine] *= 1.0 + demand.utilization
        self._broken[machine] = (response[: count + 1] == kernel.MISSED).any()

    def _clear(self, machine: int) -> None:
        self._count[machine] = 0
        self._sums[:, machine] = (0.0, 1.0)
        self._broken[machine] = False
        for refused in self._refused.values():
            refused[machine] = _NEVER


def response_times(slas: Sequence[Sla]) -> list[int | None]:
    """Return worst-case response times, in the order given; None beyond the period.

    Shorter periods have priority; among equal ones the SLA given first.

    Examples
    --------
    >>> response_times([Sla.parse(text) for text in ("2/6", "1/3", "2/9", "9/20")])
    [3, 1, 6, None]
    """
    order = sorted(range(len(slas)), key=lambda i: slas[i].period)
    budget = np.array([slas[i].budget for i in order], dtype=np.int64)
    period = np.array([slas[i].period for i in order], dtype=np.int64)
    found = kernel.response_times(budget, period)
    result: list[int | None] = [None] * len(slas)
    for i, time in zip(order, found.tolist(), strict=True):
        result[i] = None if time == kernel.MISSED else time
    return result


@dataclass(frozen=True, slots=True)
class HostTest:
    """One row of the table of host tests.

    Parameters
    ----------
    make
        Makes the admission.
    keeps
        Says whether a list of SLAs may share one unit host; in integers or rationals.
    """

    make: Callable[[], Test]
    keeps: Callable[[Sequence[Sla]], bool]


def _bounded(bound: Bound) -> HostTest:
    return HostTest(lambda: BoundAdmission(bound), bound.keeps)


TESTS: dict[str, HostTest] = {
    "liu-layland": _bounded(BOUNDS["liu-layland"]),
    "hyperbolic": _bounded(BOUNDS["hyperbolic"]),
    "harmonic": _bounded(BOUNDS["harmonic"]),
    "chain-hyperbolic": _bounded(BOUNDS["chain-hyperbolic"]),
    "response-time": HostTest(
        ResponseTimeAdmission, lambda slas: None not in response_times(slas)
    ),
    "edf": _bounded(BOUNDS["edf"]),
}


def host_test(name: str) -> HostTest:
    """Return a row of the table.

    Raises
    ------
    InvalidInput
        If there is none of that name.
    """
    if name not in TESTS:
        raise InvalidInput(f"test is {name!r}; expected one of {', '.join(TESTS)}")
    return TESTS[name]
