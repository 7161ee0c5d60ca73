"""Any job log to jobs, with a report of every record that is not used as it stands."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from cotenant.demand.job import Jobs
from cotenant.errors import InvalidInput, TraceError
from cotenant.fleet import Cluster
from cotenant.traces.jobs.cleaning import JobOptions, cleaned
from cotenant.traces.jobs.clusters import (
    SUFFIX,
    machines_beside,
    partition_clusters,
    read_machines,
)
from cotenant.traces.jobs.records import JobReader, JobRecords, joined
from cotenant.traces.jobs.report import JobReport
from cotenant.traces.source import Member, open_source

# Asked in this order when the format is `auto`: the most particular first.
JOB_READERS: dict[str, JobReader] = {
    "swf": JobReader("cotenant.traces.jobs.swf"),
    "sacct": JobReader("cotenant.traces.jobs.sacct"),
    "csv": JobReader("cotenant.traces.jobs.plain"),
}


@dataclass(frozen=True, slots=True)
class JobLog:
    """A job log after reading.

    Parameters
    ----------
    source
        The source as the user named it.
    format
        Name of the reader.
    jobs
        What can be used, from second 0.
    report
        What became of every record.
    clusters
        The system the log comes from, as far as it is known; its sizes may be lower
        bounds, which `report.notes` then say. Empty without jobs.
    """

    source: str
    format: str
    jobs: Jobs
    report: JobReport
    clusters: tuple[Cluster, ...]

    def fitting(self, clusters: Iterable[Cluster]) -> "JobLog":
        """Return the log without jobs larger than every cluster, each counted."""
        largest = max((c.processors for c in clusters), default=0)
        fits = self.jobs.processors <= largest
        gone = int((~fits).sum())
        if not gone:
            return self
        report = self.report.rejecting("too_large", gone)
        return replace(self, jobs=self.jobs.select(fits), report=report)


def read_jobs(
    sources: Sequence[str] | str,
    format: str = "auto",
    options: JobOptions | None = None,
) -> JobLog:
    """Read a job log; several files of one format become one log.

    A file ``LOG.machines`` beside a log, or among the sources, names its clusters.
    Without one they come from the header, or, where field 16 of a log without size
    tells several partitions apart, from the most processors each was seen to use.

    Parameters
    ----------
    sources
        Files, folders, globs and archives; gzip is noticed by itself.
    format
        Name of a reader, or ``auto`` to recognise it.

    Raises
    ------
    SourceNotFound
        If a source does not exist.
    TraceError
        If a file is damaged or not of the format, or no record can be used.
    InvalidInput
        If the format is unknown.

    Examples
    --------
    >>> log = read_jobs("SDSC-SP2-1998-4.2-cln.swf.gz")  # doctest: +SKIP
    >>> log.report.sentence()  # doctest: +SKIP
    '59,715 records, 54,034 usable (5,671 cancelled before they started, ...)'
    """
    sources = [sources] if isinstance(sources, str) else list(sources)
    options = options or JobOptions()
    with open_source(sources) as members:
        named = [m for m in members if m.path.suffix == SUFFIX]
        logs = [m for m in members if m.path.suffix != SUFFIX]
        if not logs:
            raise TraceError(sources[0], "names clusters only; expected a job log too")
        name, reason = _recognise(logs, format)
        records = joined([JOB_READERS[name].read(m) for m in logs])
        clusters = tuple(c for m in named for c in read_machines(m))
    if not clusters and len(sources) == 1:
        clusters = _beside(Path(sources[0]))
    jobs, report = cleaned(records, options)
    if not len(jobs):
        raise TraceError(sources[0], f"has no usable job: {report.sentence()}")
    told: tuple[str, ...] = ()
    if not clusters:
        clusters, told = _clusters(records, jobs)
    report = replace(report, notes=(reason, *report.notes, *told))
    return JobLog(sources[0], name, jobs, report, clusters)


def _recognise(members: list[Member], format: str) -> tuple[str, str]:
    known = ", ".join(JOB_READERS)
    if format != "auto":
        if format not in JOB_READERS:
            raise InvalidInput(f"format is {format!r}; expected auto or one of {known}")
        return format, f"read as {format}, as asked"
    for name, reader in JOB_READERS.items():
        reasons = [reader.recognise(member) for member in members]
        if all(reasons):
            return name, f"recognised {name}: {reasons[0]}"
    raise TraceError(
        members[0].name,
        f"is no job log of a known format ({known}), or its files differ in format",
    )


def _beside(path: Path) -> tuple[Cluster, ...]:
    machines = machines_beside(path)
    if machines is None:
        return ()
    with open_source([str(machines)]) as members:
        return read_machines(members[0])


def _clusters(
    records: JobRecords, jobs: Jobs
) -> tuple[tuple[Cluster, ...], tuple[str, ...]]:
    if records.processors:
        return (Cluster(records.processors, 1.0, "machine"),), ()
    if len(np.unique(jobs.partition[jobs.partition >= 0])) > 1:
        parts = partition_clusters(jobs)
        if parts:
            note = "sizes of clusters are the most processors in use, a lower bound"
            return parts, (note,)
    largest = int(jobs.processors.max())
    note = f"the log names no machine size; {largest} is the most a job asks for"
    return (Cluster(largest, 1.0, "machine"),), (note,)
