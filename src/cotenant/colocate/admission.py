"""The one question of this room: which machines may take this demand?"""

from dataclasses import dataclass
from typing import Protocol, TypeVar

from cotenant.arrays import BoolArray, FloatArray

D = TypeVar("D", contravariant=True)
C = TypeVar("C", contravariant=True)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one machine would reach with a demand on it.

    Parameters
    ----------
    resource
        What was tested: a resource, `tasks` or `replicas`.
    value, limit
        The test admits while value <= limit.
    words
        The same for people: ``Pr[use > 4] = 0.0011 > 0.001``.
    """

    resource: str
    value: float
    limit: float
    words: str

    @property
    def fits(self) -> bool:
        """Whether the machine may take the demand."""
        return self.value <= self.limit


class Admission(Protocol[D, C]):
    """What machines carry, and the test whether a demand may join them.

    Machines are numbered in the order they were opened. A demand that is removed is the
    very object that was added; afterwards the machine answers bit for bit as if the
    remaining demands had been added alone, in their order.
    """

    def grow(self, capacity: C) -> None:
        """Open one more machine, empty."""
        ...

    def fits(self, demand: D) -> BoolArray:
        """Say for each machine whether the demand may join it: `(machines,)`."""
        ...

    def fullness(self) -> FloatArray:
        """Return mean load over capacity: `(machines,)`, 0 when empty."""
        ...

    def add(self, machine: int, demand: D) -> None:
        """Put the demand on the machine, whether it fits or not."""
        ...

    def remove(self, machine: int, demand: D) -> None:
        """Take the demand off the machine."""
        ...


class Explains(Protocol[D]):
    """An admission that can give the number behind its answer."""

    def verdict(self, machine: int, demand: D) -> Verdict:
        """Return what the machine would reach with the demand on it."""
        ...


class ExplainedAdmission(Admission[D, C], Explains[D], Protocol[D, C]):
    """An admission that answers for all machines and explains itself for one."""
