"""Strategies for periodic tasks by name: the paper's, plain ones, and one's own."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cotenant.colocate.periodic.candidates import Rewriting
from cotenant.colocate.periodic.policy import SlaPolicy

BASELINE = "first-fit"
GIVEN = "given"


def _plain(test: str, rule: str) -> Callable[[SlaPolicy], SlaPolicy]:
    def make(own: SlaPolicy) -> SlaPolicy:
        nothing = Rewriting("none")
        return SlaPolicy(test=test, rule=rule, rewriting=nothing, cores=own.cores)

    return make


def _paper(**changes: Any) -> Callable[[SlaPolicy], SlaPolicy]:
    def make(own: SlaPolicy) -> SlaPolicy:
        how = replace(own.rewriting, mode="paper")
        quiet: dict[str, Any] = {"repack": "none", "migration": "none"}
        plain: dict[str, Any] = {"test": "harmonic", "rule": "first-fit"}
        return replace(own, **(plain | quiet | changes), rewriting=how)

    return make


# The paper's names in small letters; the others place every SLA as it was asked.
STRATEGIES: dict[str, Callable[[SlaPolicy], SlaPolicy]] = {
    BASELINE: _plain("liu-layland", "first-fit"),
    "best-fit": _plain("liu-layland", "best-fit"),
    "ff-nr": _paper(),
    "bf-nr": _paper(rule="best-fit"),
    "nm": _paper(repack="forced"),
    "cm": _paper(repack="forced", migration="constrained"),
    "um": _paper(repack="forced", migration="all"),
    "response-time": _plain("response-time", "first-fit"),
    "edf": _plain("edf", "first-fit"),
    GIVEN: lambda own: own,
}
USUAL = (BASELINE, "ff-nr", "nm", "response-time", "edf", GIVEN)
