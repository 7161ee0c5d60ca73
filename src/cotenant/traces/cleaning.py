"""What was dropped, repaired or set aside while a trace was read, and how much."""

from collections import Counter
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TypeAlias

Example: TypeAlias = tuple[str, int, str]


@dataclass(slots=True)
class Cleaning:
    """Counts by reason; nothing leaves a trace without a line here.

    Parameters
    ----------
    rows
        Rows read from the source.
    dropped
        Rows not used, by reason.
    repaired
        Rows used with a changed value or place, by reason.
    tasks_dropped
        Tasks set aside whole, by reason.
    share_of_load
        Share of the mean load that those tasks carried, by reason, in [0, 1].
    notes
        Sentences about the source: what was recognised, assumed or left out.
    unread
        Files of the source that hold something else.
    examples
        The first row dropped for a reason: file, line, and what is there.
    largest
        Largest CPU value as it stands in the source, where its unit is assumed.
    """

    rows: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    repaired: Counter[str] = field(default_factory=Counter)
    tasks_dropped: Counter[str] = field(default_factory=Counter)
    share_of_load: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    unread: int = 0
    examples: dict[str, Example] = field(default_factory=dict)
    largest: float = 0.0

    def drop(self, reason: str, rows: int) -> None:
        """Count rows that are not used."""
        if rows:
            self.dropped[reason] += rows

    def repair(self, reason: str, rows: int) -> None:
        """Count rows that are used after a repair."""
        if rows:
            self.repaired[reason] += rows

    def with_set_aside(self, reason: str, tasks: int, share: float) -> "Cleaning":
        """Return a copy that counts tasks not planned, with their share of load."""
        result = deepcopy(self)
        if tasks:
            result.tasks_dropped[reason] += tasks
            known = result.share_of_load.get(reason, 0.0)
            result.share_of_load[reason] = known + share
        return result

    def note(self, sentence: str) -> None:
        """Add a sentence once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def show(self, reason: str, file: str, line: int, words: str) -> None:
        """Keep the first row that is dropped for a reason."""
        self.examples.setdefault(reason, (file, line, words))

    def add(self, other: "Cleaning", lines_before: int) -> None:
        """Add what happened in the piece behind; so many lines of its file precede."""
        self.rows += other.rows
        self.dropped += other.dropped
        self.repaired += other.repaired
        self.unread += other.unread
        self.largest = max(self.largest, other.largest)
        for sentence in other.notes:
            self.note(sentence)
        for reason, (file, line, words) in other.examples.items():
            self.show(reason, file, line + lines_before, words)

    @property
    def remarks(self) -> list[str]:
        """The notes, then the first row of each reason that has one to show."""
        shown = (
            f"{file} line {n} {words}" for file, n, words in self.examples.values()
        )
        return [*self.notes, *shown]

    @property
    def lost_share(self) -> float:
        """Share of the mean load that was set aside for any reason."""
        return sum(self.share_of_load.values())

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON, reasons in alphabetical order."""
        return {
            "rows": self.rows,
            "dropped": dict(sorted(self.dropped.items())),
            "repaired": dict(sorted(self.repaired.items())),
            "tasks_dropped": dict(sorted(self.tasks_dropped.items())),
            "share_of_load": dict(sorted(self.share_of_load.items())),
            "notes": self.remarks,
            "files_not_read": self.unread,
        }
