"""Everything a plan depends on beside the trace and the fleet."""

from dataclasses import dataclass, field
from typing import Any

from cotenant.colocate.pack import Policy
from cotenant.errors import InvalidInput
from cotenant.fleet import Fleet, MachineType
from cotenant.planning.problem import Selection
from cotenant.planning.results import Judge, Promise
from cotenant.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Settings:
    """How tasks are packed, chosen and judged.

    Parameters
    ----------
    policy
        How tasks are packed.
    selection
        Which tasks are planned, and on which samples.
    judge
        How overload is measured; None for `aligned` with time-of-day slots or a promise
        for tomorrow, and `exact` otherwise.
    promise
        `history`: the promise holds for usage like that of the trace. `tomorrow`: it is
        meant for the next day, kept by a margin fitted on past days.
    conservative
        Take the largest margin that any of seven days needed.
    threshold
        Decide at this overload probability in place of rho; None for rho itself. A
        calibration sets it.
    spread
        Label column whose equal values are kept on different machines.
    """

    policy: Policy = field(default_factory=Policy)
    selection: Selection = field(default_factory=Selection)
    judge: Judge | None = None
    spread: str | None = None
    threshold: float | None = None
    promise: Promise = "history"
    conservative: bool = False

    def __post_init__(self) -> None:
        if self.promise not in ("history", "tomorrow"):
            raise InvalidInput(
                f"promise is {self.promise!r}; expected history or tomorrow"
            )
        if self.judge not in (None, "exact", "samples", "aligned"):
            raise InvalidInput(
                f"judge is {self.judge!r}; expected exact, samples or aligned"
            )

    @property
    def judged_by(self) -> Judge:
        """The judge in force."""
        if self.judge:
            return self.judge
        rhythm = self.policy.slots > 1 or self.promise == "tomorrow"
        return "aligned" if rhythm else "exact"


def describe(settings: Settings, fleet: Fleet, trace: Trace) -> dict[str, Any]:
    """Return the `settings` of a plan's JSON: what was in force."""
    policy, selection = settings.policy, settings.selection
    equal = len(fleet.types) == 1
    return {
        "method": policy.method,
        "rule": policy.rule,
        "rho": policy.rho,
        "threshold": settings.threshold,
        "slots": policy.slots,
        "groups": policy.groups,
        "promise": settings.promise,
        "conservative": settings.conservative,
        "judge": settings.judged_by,
        "capacity": dict(fleet.types[0].capacity) if equal else None,
        "fleet": None if equal else [_type(t) for t in fleet.types],
        "spare": fleet.spare,
        "unit": trace.unit,
        "order": policy.order,
        "rebalance": policy.rebalance,
        "max_tasks": policy.max_tasks,
        "spread": settings.spread,
        "observe": selection.observe,
        "variance_factor": selection.variance_factor,
        "min_samples": selection.min_samples,
        "keep_short": selection.keep_short,
        "keep_failing": selection.keep_failing,
        "seed": policy.seed,
    }


def _type(kind: MachineType) -> dict[str, Any]:
    return {
        "name": kind.name,
        "type": kind.type,
        "count": kind.count,
        "capacity": dict(kind.capacity),
        "cost": kind.cost,
    }
