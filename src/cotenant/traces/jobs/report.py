"""What became of the records of a job log: used, rejected, repaired, noticed."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class JobReport:
    """Counts by reason; usable and rejected records add up to all records.

    Parameters
    ----------
    records
        Records read.
    usable
        Records that became jobs.
    rejected
        Records that did not, each counted once, by the first reason that applies.
    repaired
        Jobs whose record was completed or put right, by repair.
    noticed
        Jobs with a peculiarity that was left as it is, by kind.
    statuses
        Records by status: `done`, `failed`, `cancelled`, `partial`, `unknown`.
    notes
        Sentences about the log: what was recognised and assumed.
    """

    records: int
    usable: int
    rejected: Mapping[str, int] = field(default_factory=dict)
    repaired: Mapping[str, int] = field(default_factory=dict)
    noticed: Mapping[str, int] = field(default_factory=dict)
    statuses: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def rejecting(self, reason: str, jobs: int) -> "JobReport":
        """Return the report with some usable jobs rejected after all."""
        if not jobs:
            return self
        rejected = {**self.rejected, reason: self.rejected.get(reason, 0) + jobs}
        return replace(self, usable=self.usable - jobs, rejected=rejected)

    def sentence(self) -> str:
        """Say in one line how many records there were and what became of them."""
        said = [f"{n:,} {WORDS.get(r, r)}" for r, n in sorted(self.rejected.items())]
        why = f" ({', '.join(said)})" if said else ""
        return f"{self.records:,} records, {self.usable:,} usable{why}"

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON, reasons in alphabetical order."""
        return {
            "records": self.records,
            "usable": self.usable,
            "rejected": dict(sorted(self.rejected.items())),
            "repaired": dict(sorted(self.repaired.items())),
            "noticed": dict(sorted(self.noticed.items())),
            "statuses": dict(sorted(self.statuses.items())),
            "notes": list(self.notes),
        }


WORDS = {
    "cancelled": "cancelled before they started",
    "negative_runtime": "of negative run time",
    "no_processors": "without a number of processors",
    "no_runtime": "of zero run time",
    "no_submit_time": "without a time of submission",
    "not_finished": "not finished",
    "not_started": "never started",
    "partial_record": "partial records of a job",
    "step": "job steps",
    "too_large": "larger than every cluster",
    "unknown_runtime": "of unknown run time",
}
