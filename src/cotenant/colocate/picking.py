"""Finding the machine a rule picks: through an index, else by asking all."""

from collections.abc import Sequence
from typing import Protocol, TypeVar, runtime_checkable

from cotenant.arrays import BoolArray, IntArray
from cotenant.colocate.admission import Admission
from cotenant.colocate.rules import Rule, best_fit, first_fit

D = TypeVar("D")
D_contra = TypeVar("D_contra", contravariant=True)
C = TypeVar("C")
C_contra = TypeVar("C_contra", contravariant=True)


@runtime_checkable
class Picks(Protocol[D_contra]):
    """An admission that finds a machine without asking all of them."""

    def pick(
        self, demand: D_contra, rule: Rule, allowed: BoolArray | None = None
    ) -> int | None:
        """Return what `pick` below returns, for first fit and best fit."""
        ...


@runtime_checkable
class Runs(Picks[D_contra], Protocol[D_contra, C_contra]):
    """An admission that also packs a list of demands in one go."""

    def run(
        self, demands: Sequence[D_contra], rule: Rule, capacity: C_contra
    ) -> IntArray:
        """Put demands, in order, where the rule picks; return the machine of each.

        Machines of `capacity` are opened as they are needed; -1 stands for demands that
        fit none alone. All machines must be of that capacity.
        """
        ...

    def rebalanced(self) -> IntArray:
        """Return where the last run would have put them, then rebalanced."""
        ...


def pick(
    admission: Admission[D, C],
    rule: Rule,
    demand: D,
    allowed: BoolArray | None = None,
) -> int | None:
    """Return the machine the rule picks for a demand, None if none fits.

    An admission with a way of its own to find it is asked; else it is asked about all
    machines.

    Parameters
    ----------
    allowed
        `(machines,)` the machines to pick from; None for all.
    """
    # Asked for by name: asking for a protocol takes longer than the answer.
    own = getattr(admission, "pick", None)
    if own is not None and rule in (first_fit, best_fit):
        found: int | None = own(demand, rule, allowed)
        return found
    fits = admission.fits(demand)
    return rule(fits if allowed is None else fits & allowed, admission.fullness())
