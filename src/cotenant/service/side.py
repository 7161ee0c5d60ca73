"""What the engine is asked about the machines of one kind."""

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

import numpy as np

from cotenant.arrays import BoolArray, FloatArray
from cotenant.colocate.admission import Verdict
from cotenant.service.asked import MachineSpec

D = TypeVar("D")


class Side(Protocol[D]):
    """The hosts of one kind of machine."""

    def declare(self, spec: MachineSpec) -> range:
        """Add the hosts of a machine and return their numbers."""
        ...

    def close(self, hosts: range) -> None:
        """Let nothing more onto hosts."""
        ...

    def choose(
        self, demand: D, among: Sequence[int] | None = None
    ) -> tuple[int, D] | None:
        """Return the host the rule picks, and the demand as it admits it.

        Parameters
        ----------
        among
            Hosts to choose from; None for all.
        """
        ...

    def put(self, key: str, host: int, demand: D) -> None:
        """Put a demand on a host, whether it fits or not."""
        ...

    def remove(self, key: str) -> None:
        """Take a demand off its host."""
        ...

    def fill(self, demands: Iterable[tuple[str, int, D]]) -> None:
        """Put many demands on hosts that are empty; host numbers ascend."""
        ...

    def verdicts(self, hosts: Sequence[int], demand: D) -> list[Verdict]:
        """Return what each of some hosts would reach with a demand on it."""
        ...

    def alone(self, host: int, demand: D) -> bool:
        """Say whether a host would take a demand if it were empty."""
        ...

    def preference(self) -> FloatArray:
        """Return what the rule prefers hosts by, the highest first: `(hosts,)`."""
        ...

    def overload(self, host: int) -> float | None:
        """Return the probability that a host exceeds its CPU, if it is random."""
        ...

    def load(self, hosts: range) -> float:
        """Return mean load over capacity of hosts together."""
        ...


def mask_of(count: int, among: Sequence[int]) -> BoolArray:
    """Return which of some hosts are among those: `(count,)`."""
    result = np.zeros(count, dtype=np.bool_)
    result[list(among)] = True
    return result
