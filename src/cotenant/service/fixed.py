"""A fixed fleet: hosts are declared and closed, and none is opened for a task."""

from typing import Generic, Never, TypeVar

import numpy as np

from cotenant.arrays import BoolArray, FloatArray
from cotenant.colocate import RULES
from cotenant.colocate.admission import ExplainedAdmission, Verdict
from cotenant.colocate.exact import ExactAdmission
from cotenant.colocate.picking import pick
from cotenant.colocate.placer import Placer
from cotenant.colocate.rules import Rule
from cotenant.errors import DoesNotFit

D = TypeVar("D")
C = TypeVar("C")


class Gate(Generic[D, C]):
    """Admit only on hosts that are open, where the test behind it admits too."""

    def __init__(self, test: ExplainedAdmission[D, C]) -> None:
        self._test = test
        self._open: list[bool] = []
        self._mask: BoolArray | None = None

    def grow(self, capacity: C) -> None:
        self._test.grow(capacity)
        self._open.append(True)
        self._mask = None

    def close(self, host: int) -> None:
        """Admit nothing more on a host."""
        self._open[host] = False
        self._mask = None

    def open_ones(self) -> BoolArray:
        """Return which hosts are open: `(hosts,)`."""
        if self._mask is None:
            self._mask = np.array(self._open, dtype=np.bool_)
        return self._mask

    def fits(self, demand: D) -> BoolArray:
        return self._test.fits(demand) & self.open_ones()

    def fullness(self) -> FloatArray:
        return self._test.fullness()

    def pick(
        self, demand: D, rule: Rule, allowed: BoolArray | None = None
    ) -> int | None:
        open_ones = self.open_ones()
        both = open_ones if allowed is None else open_ones & allowed
        return pick(self._test, rule, demand, both)

    def add(self, machine: int, demand: D) -> None:
        self._test.add(machine, demand)

    def remove(self, machine: int, demand: D) -> None:
        self._test.remove(machine, demand)

    def verdict(self, machine: int, demand: D) -> Verdict:
        if not self._open[machine]:
            return Verdict("machine", 1.0, 0.0, "takes no more tasks")
        return self._test.verdict(machine, demand)


class FixedPlacer(Placer[D, C]):
    """A placer whose hosts are declared, not opened for tasks."""

    def __init__(self, test: ExplainedAdmission[D, C], rule: str) -> None:
        self.gate: Gate[D, C] = Gate(test)
        self.rule = RULES[rule]
        super().__init__(self.gate, _never_open, self.rule)

    def declare(self, capacity: C) -> int:
        """Add an empty host and return its number."""
        self.machines.append(capacity)
        self.gate.grow(capacity)
        self._tasks.append({})
        return len(self.machines) - 1

    def choose_among(self, demand: D, among: BoolArray) -> int | None:
        """Return the host the rule picks among some, None if none fits."""
        return pick(self.gate, self.rule, demand, among)


class Watch:
    """Keeps an admission up to date and lets every demand pass."""

    def __init__(self, test: ExactAdmission) -> None:
        self._test = test
        self.grow, self.add, self.remove = test.grow, test.add, test.remove
        self.fullness = test.fullness

    def fits(self, demand: object) -> BoolArray:
        return np.ones(len(self.fullness()), dtype=np.bool_)

    def verdict(self, machine: int, demand: object) -> Verdict:
        return Verdict("cpu", 0.0, 0.0, "only watched")


def _never_open(task: str, demand: object) -> Never:
    raise DoesNotFit(task, "machines", "the fleet is fixed")
