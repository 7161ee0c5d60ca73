"""Records of a log to jobs: what is rejected, what is repaired, and how often."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cotenant.arrays import BoolArray, IntArray
from cotenant.demand.job import UNKNOWN, Jobs
from cotenant.demand.job_checks import repeats
from cotenant.errors import InvalidInput
from cotenant.traces.jobs.records import JobRecords
from cotenant.traces.jobs.report import JobReport

EPOCH_LIKE = 1e8  # seconds; three years of log, or a Unix time from 1973 on
_STATUSES = {1: "done", 0: "failed", 5: "cancelled", 2: "partial", 3: "partial"}
_STATUSES |= {4: "partial", UNKNOWN: "unknown"}


@dataclass(frozen=True, slots=True)
class JobOptions:
    """How to judge the records of a log.

    Parameters
    ----------
    processors
        Which count a job holds where the log has both; the other one stands in where
        one is unknown.
    zero_runtime
        Whether a run time of 0 rejects a job or becomes one second.
    partial
        Whether to use the lines of status 2, 3 and 4 (parts of a job that was stopped
        and resumed, which a line of its own sums up) as jobs.
    records
        Use only this many records from the start of the log, rejected ones included.

    Raises
    ------
    InvalidInput
        If `records` is below 1, or a word is not one of those above.
    """

    processors: Literal["requested", "allocated"] = "requested"
    zero_runtime: Literal["reject", "one-second"] = "reject"
    partial: bool = False
    records: int | None = None

    def __post_init__(self) -> None:
        if self.processors not in ("requested", "allocated"):
            raise InvalidInput(
                f"processors is {self.processors!r}; expected requested or allocated"
            )
        if self.zero_runtime not in ("reject", "one-second"):
            raise InvalidInput(
                f"zero_runtime is {self.zero_runtime!r}; expected reject or one-second"
            )
        if self.records is not None and self.records < 1:
            raise InvalidInput(f"jobs is {self.records}; expected 1 or more")


def cleaned(records: JobRecords, options: JobOptions) -> tuple[Jobs, JobReport]:
    """Return the usable jobs, sorted by submission from second 0, and the report.

    Run times are never changed, except from 0 to 1 s where asked for. An estimate below
    the run time stays, since the run may have been killed at the limit or not.
    """
    if options.records is not None:
        records = records.first(options.records)
    processors = _processors(records, options)
    rejected, usable = _judge(records, processors, options)
    jobs, notes = _jobs(records, processors, usable)
    statuses: dict[str, int] = {}
    for code, count in zip(*np.unique(records.status, return_counts=True), strict=True):
        word = _STATUSES.get(int(code), f"other_{code}")
        statuses[word] = statuses.get(word, 0) + int(count)
    return jobs, JobReport(
        records=len(records),
        usable=len(jobs),
        rejected=rejected,
        repaired=_repairs(records, usable, options),
        noticed=_noticed(records, usable),
        statuses=statuses,
        notes=records.notes + notes,
    )


def _processors(records: JobRecords, options: JobOptions) -> IntArray:
    wanted, other = records.requested, records.allocated
    if options.processors == "allocated":
        wanted, other = other, wanted
    return np.where(wanted > 0, wanted, other)


def _judge(
    records: JobRecords, processors: IntArray, options: JobOptions
) -> tuple[dict[str, int], BoolArray]:
    runtime, status = records.runtime_s, records.status
    zero = runtime == 0
    unknown = np.isnan(runtime)
    reasons = dict(records.set_aside)
    if not options.partial:
        reasons["partial_record"] = (status >= 2) & (status <= 4)
    reasons["cancelled"] = (status == 5) & unknown
    if options.zero_runtime == "reject":
        reasons["no_runtime"] = zero
    reasons |= {
        "unknown_runtime": unknown,
        "negative_runtime": runtime < 0,
        "no_processors": processors < 1,
        "no_submit_time": ~(records.submit_s >= 0),
    }
    usable = np.ones(len(records), dtype=np.bool_)
    rejected = {}
    for reason, mask in reasons.items():
        count = int((usable & mask).sum())
        if count:
            rejected[reason] = count
        usable &= ~mask
    return rejected, usable


def _jobs(
    records: JobRecords, processors: IntArray, usable: BoolArray
) -> tuple[Jobs, tuple[str, ...]]:
    submit, notes = records.submit_s[usable], []
    start, origin = float(submit.min()) if len(submit) else 0.0, records.origin_s
    if origin is None and start >= EPOCH_LIKE:
        origin = 0.0
        notes.append("times of submission are Unix times")
    names = dict(records.names)
    number = records.id[usable]
    if repeats(number) or (number < 0).any():
        number = np.arange(1, len(number) + 1)
        names.pop("id", None)
        notes.append("job numbers repeat or are missing; jobs are numbered anew from 1")
    estimate, runtime = records.estimate_s[usable], records.runtime_s[usable]
    jobs = Jobs.of(
        id=number,
        submit_s=submit - start,
        processors=processors[usable],
        runtime_s=np.where(runtime == 0, 1.0, runtime),
        estimate_s=np.where(estimate > 0, estimate, np.nan),
        waited_s=records.waited_s[usable],
        requested=records.requested[usable],
        allocated=records.allocated[usable],
        user=records.user[usable],
        group=records.group[usable],
        queue=records.queue[usable],
        partition=records.partition[usable],
        status=records.status[usable],
        names=names,
        origin_s=None if origin is None else origin + start,
    )
    return jobs, tuple(notes)


def _repairs(
    records: JobRecords, usable: BoolArray, options: JobOptions
) -> dict[str, int]:
    wanted, other = records.requested, "allocated"
    if options.processors == "allocated":
        wanted, other = records.allocated, "requested"
    submit = records.submit_s[usable]
    return _counts(
        {
            f"processors_from_{other}": (wanted < 1) & usable,
            "runtime_raised_to_1_s": (records.runtime_s == 0) & usable,
            "submit_out_of_order": np.diff(submit) < 0,
        }
    )


def _noticed(records: JobRecords, usable: BoolArray) -> dict[str, int]:
    asked, held = records.requested, records.allocated
    guess, runtime = records.estimate_s, records.runtime_s
    kinds = {
        "allocated_unknown": held < 1,
        "cpu_time_above_runtime": records.cpu_s > runtime,
        "estimate_below_runtime": (guess > 0) & (guess < runtime),
        "estimate_unknown": ~(guess > 0),
        "processors_differ": (asked > 0) & (held > 0) & (asked != held),
        "wait_unknown": ~(records.waited_s >= 0),
    }
    return _counts({kind: mask & usable for kind, mask in kinds.items()})


def _counts(masks: Mapping[str, BoolArray]) -> dict[str, int]:
    counts = {name: int(mask.sum()) for name, mask in masks.items()}
    return {name: count for name, count in counts.items() if count}
