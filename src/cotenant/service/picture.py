"""A state at one moment, for those who work on it beside the thread that decides."""

from dataclasses import dataclass, replace
from typing import Any

from cotenant.service.answers import Placed
from cotenant.service.asked import MachineSpec
from cotenant.service.keeping.kept import Kept
from cotenant.service.state import Held, State


@dataclass(frozen=True, slots=True)
class Picture:
    """References to all of a state at one moment; nothing in it changes any more."""

    number: int
    at: float
    fleet_changed: int
    machines: list[tuple[MachineSpec, bool, int, list[str]]]
    held: dict[str, Held]
    answered: dict[str, tuple[str, tuple[Placed, ...]]]
    plans: dict[str, dict[str, Any]]
    kept: Kept | None = None

    def with_today(self) -> "Picture":
        """Return a picture that replays the part of today that is over as well."""
        return self if self.kept is None else replace(self, kept=self.kept.with_today())


def take_picture(state: State) -> Picture:
    """Return the state as it is now; quick, since values are not copied."""
    machines = [
        (entry.spec, entry.draining, entry.changed, list(entry.keys))
        for entry in state.machines.values()
    ]
    return Picture(
        state.number,
        state.at,
        state.fleet_changed,
        machines,
        dict(state.held),
        dict(state.answered),
        dict(state.plans),
        None if state.kept is None else state.kept.copy(),
    )
