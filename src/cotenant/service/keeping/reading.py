"""Decisions about readings and about days that do not count."""

from collections.abc import Sequence
from dataclasses import dataclass

from cotenant.demand.task import Task
from cotenant.errors import InvalidInput
from cotenant.service.asked import check_name, check_samples
from cotenant.service.desk import Desk
from cotenant.service.keeping.daybook import date_of
from cotenant.service.keeping.timing import NOW, Timing


@dataclass(frozen=True, slots=True)
class Reading:
    """CPU samples of a task, and when they were taken."""

    task: str
    cpu: Sequence[float]
    timing: Timing = NOW

    def __post_init__(self) -> None:
        check_samples(self.task, "cpu", tuple(self.cpu))


def read(desk: Desk, readings: Sequence[Reading]) -> list[str]:
    """Take in readings of many tasks; return the names that are not placed."""
    unknown, rows = [], []
    for reading in readings:
        held = desk.state.held.get(reading.task)
        if held is None or not isinstance(held.demand, Task):
            unknown.append(reading.task)
            continue
        facts = reading.timing.facts(reading.task, reading.cpu, desk.now)
        rows.append(
            {"name": reading.task, "cpu": list(reading.cpu), **facts},
        )
    if rows:
        samples = sum(len(row["cpu"]) for row in rows)
        words = f"measured {len(rows):,} tasks, {samples:,} samples"
        desk.do("read", words, {"readings": rows})
    return unknown


def exclude(desk: Desk, day: int, reason: str | None) -> bool:
    """Let a day not count, or count again with no reason; say whether that is news."""
    kept = desk.state.kept
    if kept is None:
        raise InvalidInput("days are kept with --promise tomorrow only")
    if kept.daybook.excluded.get(day) == reason:
        return False
    words = f"day {date_of(day)} counts again"
    if reason is not None:
        check_name("reason", reason)
        words = f"day {date_of(day)} does not count: {reason}"
    desk.do("day_excluded", words, {"day": day, "reason": reason})
    return True
