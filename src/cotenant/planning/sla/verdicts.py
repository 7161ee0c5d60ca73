"""What the calculus of SLAs answers: frozen values with JSON and table."""

from dataclasses import dataclass

import polars as pl

from cotenant.demand.adversary import Phase
from cotenant.demand.counterexample import Counterexample
from cotenant.demand.schedule import Window
from cotenant.demand.sla import Sla
from cotenant.planning.results import API_VERSION, Json


@dataclass(frozen=True, slots=True)
class SlaCheck:
    """Whether `offered` may replace `required`, and what the paper says of it.

    Parameters
    ----------
    safe
        Decided exactly.
    paper
        The condition or theorem of the MorphoSys paper that accepts, as printed; None
        where none does. It may accept what is unsafe and pass over what is safe.
    counterexample
        A schedule that keeps the one and breaks the other; None where it is safe.
    notes
        Sentences about how it was read.
    """

    offered: Sla
    required: Sla
    window: Window
    phase: Phase
    safe: bool
    paper: str | None
    counterexample: Counterexample | None
    notes: tuple[str, ...]

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        against = self.counterexample
        return {
            "apiVersion": API_VERSION,
            "kind": "SlaCheck",
            "offered": str(self.offered),
            "required": str(self.required),
            "window": self.window,
            "phase": self.phase,
            "safe": self.safe,
            "exact": True,
            "paper": self.paper,
            "counterexample": None if against is None else against.to_dict(),
            "notes": list(self.notes),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row: offered, required, window, phase, safe, paper."""
        names = ("offered", "required", "window", "phase", "safe", "paper")
        return pl.DataFrame({name: [self.to_dict()[name]] for name in names})


@dataclass(frozen=True, slots=True)
class SlaRewrite:
    """The least safe budget at another period, and its price.

    Parameters
    ----------
    tolerance
        Misses, and the window they count in, that the supply may have.
    rewritten
        The SLA to supply instead; None where even the whole machine is not safe, which
        takes misses in the supply.
    paper_budget
        The budget by Theorems 1, 3 and 8 of the MorphoSys paper, for a supply without
        misses; None where it is more than the period or the supply has misses.
    """

    required: Sla
    period: int
    tolerance: tuple[int, int]
    window: Window
    phase: Phase
    rewritten: Sla | None
    paper_budget: int | None
    notes: tuple[str, ...]

    @property
    def overhead(self) -> float | None:
        """By how much the share of the machine grows: 0.1 is a tenth more."""
        if self.rewritten is None or self.required.budget == 0:
            return None
        return self.rewritten.utilization / self.required.utilization - 1.0

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        new = self.rewritten
        return {
            "apiVersion": API_VERSION,
            "kind": "SlaRewrite",
            "required": str(self.required),
            "period": self.period,
            "window": self.window,
            "phase": self.phase,
            "rewritten": None if new is None else str(new),
            "budget": None if new is None else new.budget,
            "utilization": None if new is None else new.utilization,
            "overhead": self.overhead,
            "paper_budget": self.paper_budget,
            "notes": list(self.notes),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row: the keys of the JSON form from required to paper_budget."""
        values = self.to_dict()
        names = [name for name in values if name not in ("apiVersion", "kind", "notes")]
        return pl.DataFrame({name: [values[name]] for name in names})
