"""Searches over rewrites: of one host (Procedure 1), over hosts (Procedure 2)."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from cotenant.arrays import BoolArray
from cotenant.colocate.periodic.host_tests import Test
from cotenant.demand.sla import Sla

Order: TypeAlias = Literal["breadth", "depth"]
Keeps: TypeAlias = Callable[[Sequence[Sla]], bool]

_SLACK = 1e-9


@dataclass(slots=True)
class Budget:
    """How much searching is allowed.

    Parameters
    ----------
    nodes
        From one start to the next; the same limit always cuts at the same place.
    seconds
        From the first start on; None for no limit.
    clock
        Seconds, ascending.
    """

    nodes: int
    seconds: float | None
    clock: Callable[[], float]
    struck: str | None = None  # the limit that cut a search short, in words
    spent: int = 0  # nodes in all
    _left: int = field(default=0, init=False)
    _end: float | None = field(default=None, init=False)

    def start(self) -> None:
        """Begin one more decision: its nodes are counted from here."""
        self._left = self.nodes
        if self._end is None and self.seconds is not None:
            self._end = self.clock() + self.seconds

    def exhausted(self) -> bool:
        """Say whether no node is left for a search that is about to need one."""
        if self._left > 0:
            return False
        self.struck = self.struck or f"{self.nodes:,} search nodes"
        return True

    def spend(self) -> bool:
        """Pay for one node; False when nothing is left."""
        if self.exhausted():
            return False
        if self._end is not None and self.clock() > self._end:
            self.struck = f"{self.seconds:g} s"
            return False
        self._left -= 1
        self.spent += 1
        return True


def rewrite_host(
    choices: Sequence[Sequence[Sla]], keeps: Keeps, budget: Budget, order: Order
) -> list[Sla] | None:
    """Choose a stand-in for each SLA so that one host keeps all: Procedure 1.

    A node fixes the stand-in of one more SLA; SLAs with the fewest choices come first.
    Branches that pass utilization 1 with the least the rest can take, or that the test
    refuses already, are cut.

    Parameters
    ----------
    choices
        For each SLA its stand-ins, the preferred first.
    keeps
        The host test; no set of SLAs that it refuses may become right by adding one.
    order
        Level by level, or down the first branch first.
    """
    levels = by_degree(choices)
    least = _least_rest([choices[task] for task in levels])
    frontier: deque[tuple[tuple[Sla, ...], float]] = deque([((), 0.0)])
    while frontier:
        chosen, filled = frontier.popleft() if order == "breadth" else frontier.pop()
        depth = len(chosen)
        if depth == len(levels):
            place = dict(zip(levels, chosen, strict=True))
            return [place[task] for task in range(len(levels))]
        if not budget.spend():
            return None
        grown = []
        for offered in choices[levels[depth]]:
            total = filled + offered.utilization
            if total + least[depth + 1] <= 1.0 + _SLACK and keeps([*chosen, offered]):
                grown.append(((*chosen, offered), total))
        frontier.extend(grown if order == "breadth" else reversed(grown))
    return None


def by_degree(choices: Sequence[Sequence[Sla]]) -> list[int]:
    """Order tasks: fewest choices first, then the largest utilization."""
    return sorted(
        range(len(choices)), key=lambda t: (len(choices[t]), -choices[t][0].utilization)
    )


def _least_rest(choices: Sequence[Sequence[Sla]]) -> list[float]:
    rest = [0.0]
    for options in reversed(choices):
        rest.append(rest[-1] + min(offered.utilization for offered in options))
    return rest[::-1]


class HostSearch:
    """Places several tasks on the hosts of an admission, going back where stuck.

    Procedure 2: depth first, tasks with the fewest choices first; for each its
    stand-ins in the order given, and for each of those the fullest host first. A branch
    is cut when it would use more hosts than allowed, or when what is left to place
    exceeds what is free.

    Parameters
    ----------
    admission
        Hosts with what stays on them. Successful searches leave the tasks on it;
        failed ones leave it as it was.
    usable
        Which hosts may take tasks: `(hosts,)`.
    most
        Hosts that may be in use afterwards.
    """

    def __init__(self, admission: Test, usable: BoolArray, most: int) -> None:
        self._admission, self._usable, self._most = admission, usable, most

    def run(
        self, choices: Sequence[Sequence[Sla]], budget: Budget
    ) -> list[tuple[int, Sla]] | None:
        """Return for each task its host and stand-in; None where none was found."""
        levels = by_degree(choices)
        least = _least_rest([choices[task] for task in levels])
        placed: list[tuple[int, Sla]] = []
        branches = [self._options(choices, levels, least, 0)]
        while branches and len(placed) < len(levels):
            step = next(branches[-1], None) if budget.spend() else None
            if step is None:
                branches.pop()
                if placed:
                    self._admission.remove(*placed.pop())
                continue
            self._admission.add(*step)
            placed.append(step)
            branches.append(self._options(choices, levels, least, len(placed)))
        if len(placed) < len(levels):
            return None
        place = dict(zip(levels, placed, strict=True))
        return [place[task] for task in range(len(levels))]

    def _options(
        self,
        choices: Sequence[Sequence[Sla]],
        levels: Sequence[int],
        least: Sequence[float],
        depth: int,
    ) -> Iterator[tuple[int, Sla]]:
        if depth == len(levels):
            return
        fullness = self._admission.fullness()
        used = self._usable & (fullness > 0.0)
        empty = np.flatnonzero(self._usable & (fullness <= 0.0))
        spare = min(self._most - int((fullness > 0.0).sum()), len(empty))
        free = float((1.0 - fullness[used]).sum()) + max(spare, 0)
        if least[depth] > free + _SLACK:
            return
        for offered in choices[levels[depth]]:
            fits = self._admission.fits(offered)
            able = np.flatnonzero(fits & used)
            yield from (
                (int(host), offered)
                for host in able[np.argsort(-fullness[able], kind="stable")]
            )
            # Empty hosts are alike: one stands for all.
            if spare > 0 and fits[empty[0]]:
                yield int(empty[0]), offered
