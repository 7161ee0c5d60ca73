"""Which task was on which machine when."""

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Stay:
    """A task on a machine from one moment up to, not including, another.

    Parameters
    ----------
    until
        None while it is there.
    """

    machine: str
    since: int
    until: int | None = None


class Stays:
    """Stays by task, the latest last."""

    def __init__(self) -> None:
        self.of: dict[str, tuple[Stay, ...]] = {}

    def copy(self) -> "Stays":
        """Return a copy."""
        other = Stays()
        other.of = dict(self.of)
        return other

    def join(self, task: str, machine: str, now: int) -> None:
        """Note that a task has come to a machine, or back to it."""
        before = self.of.get(task, ())
        if before and before[-1].machine == machine and before[-1].until == now:
            self.of[task] = (*before[:-1], replace(before[-1], until=None))
        else:
            self.of[task] = (*before, Stay(machine, now))

    def leave(self, task: str, now: int) -> None:
        """Note that a task has left its machine."""
        *before, last = self.of[task]
        self.of[task] = (*before, replace(last, until=now))

    def during(self, first: int, end: int) -> Iterator[tuple[str, str, int, int]]:
        """Return task, machine, first moment and end of each stay, cut to a time."""
        for task, stays in self.of.items():
            for stay in stays:
                since = max(stay.since, first)
                until = end if stay.until is None else min(stay.until, end)
                if since < until:
                    yield task, stay.machine, since, until

    def forget(self, before: int) -> None:
        """Let go of stays that ended by a moment."""
        for task, stays in list(self.of.items()):
            kept = tuple(s for s in stays if s.until is None or s.until > before)
            if kept:
                self.of[task] = kept
            else:
                del self.of[task]
