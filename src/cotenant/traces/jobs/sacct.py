"""Job logs as Slurm's ``sacct -P`` (or ``-p``) prints them, columns of any choice.

Needed are a job id (``JobIDRaw`` or ``JobID``), ``Submit``, a run time (``ElapsedRaw``,
``Elapsed``, or ``Start`` and ``End``) and processors (``ReqCPUS``, ``AllocCPUS``,
``NCPUS``, or ``cpu=`` in ``ReqTRES`` or ``AllocTRES``). Times are taken as UTC unless
they are Unix times, since Slurm prints them without their zone. ``Partition`` becomes
the queue of a job and ``Cluster`` its partition, as Standard Workload Format has them.
"""

from typing import Any

import numpy as np
import polars as pl

from cotenant.arrays import BoolArray, FloatArray
from cotenant.demand.job import UNKNOWN
from cotenant.errors import TraceError
from cotenant.traces.jobs.records import JobRecords, records_of
from cotenant.traces.jobs.table import BLANK, JobTable, clock, head_names, read_table
from cotenant.traces.source import Member

_IDS = ("jobidraw", "jobid")
_NOT_STARTED = ("PENDING", "REQUEUED", "CONFIGURING", "REVOKED", "RESV_DEL_HOLD")
_NOT_FINISHED = (
    "RUNNING",
    "SUSPENDED",
    "COMPLETING",
    "STOPPED",
    "RESIZING",
    "SIGNALING",
)
_STATUS = {"COMPLETED": 1, "CANCELLED": 5}
_NO_LIMIT = (*BLANK, "UNLIMITED", "Partition_Limit", "INVALID", "NONE")
_CODED = {
    "user": "user",
    "group": "group",
    "queue": "partition",
    "partition": "cluster",
}


def recognise(member: Member) -> str | None:
    """Recognise a header of names split by ``|`` with a job id and a submission."""
    names = head_names(member, "|")
    if {"submit"} < set(names) and any(name in names for name in _IDS):
        return "columns split by | with JobID and Submit"
    return None


def read(member: Member) -> JobRecords:
    """Read all records; steps and unfinished jobs are set aside, with their reason.

    Raises
    ------
    TraceError
        If a needed column is missing, or a cell cannot be understood.
    """
    table = read_table(member, "|", quoted=False)
    ids = table.find(_IDS)
    if ids is None or "submit" not in table.columns:
        raise TraceError(member.name, "has no columns JobID and Submit", 1)
    columns: dict[str, Any] = {
        "submit_s": table.parse("submit", clock(), "a date and time"),
        "runtime_s": _runtime(table),
        "estimate_s": _limit(table),
        **_processors(table),
    }
    if "start" in table.columns:
        start = table.parse("start", clock(), "a date and time", (*BLANK, "0"))
        columns["waited_s"] = start - columns["submit_s"]
    names: dict[str, dict[int, str]] = {}
    wanted = {"id": ids} | {n: c for n, c in _CODED.items() if c in table.columns}
    for name, column in wanted.items():
        columns[name], names[name] = table.coded(column)
    aside = {"step": table.columns[ids].str.contains(".", literal=True).to_numpy()}
    if "state" in table.columns:
        columns["status"], unfinished = _states(table.columns["state"])
        aside |= unfinished
    return records_of(
        len(table),
        columns,
        set_aside=aside,
        names={name: texts for name, texts in names.items() if texts},
        origin_s=0.0,
        notes=("times without a zone are taken as UTC",),
    )


def _runtime(table: JobTable) -> FloatArray:
    if "elapsedraw" in table.columns:
        return table.numbers("elapsedraw", "whole seconds")
    if "elapsed" in table.columns:
        return table.parse("elapsed", _span(), "[days-]hours:minutes:seconds")
    if {"start", "end"} <= set(table.columns):
        when = [
            table.parse(name, clock(), "a date and time", (*BLANK, "0"))
            for name in ("start", "end")
        ]
        return when[1] - when[0]
    problem = "has no run time; expected ElapsedRaw, Elapsed, or Start and End"
    raise TraceError(table.file, problem, 1)


def _limit(table: JobTable) -> FloatArray:
    if "timelimitraw" in table.columns:
        expected = "whole minutes or UNLIMITED"
        minutes = pl.col("cell").cast(pl.Float64, strict=False)
        return table.parse("timelimitraw", minutes * 60.0, expected, _NO_LIMIT)
    if "timelimit" in table.columns:
        expected = "[days-]hours:minutes:seconds or UNLIMITED"
        return table.parse("timelimit", _span(), expected, _NO_LIMIT)
    return np.full(len(table), np.nan)


def _span() -> pl.Expr:
    """Return ``[days-][hours:]minutes:seconds`` as seconds."""
    pattern = r"^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)$"
    part = pl.col("cell").str.extract_groups(pattern).struct
    seconds = [
        part.field(str(i + 1)).cast(pl.Float64).fill_null(0.0) * factor
        for i, factor in enumerate((86400.0, 3600.0, 60.0, 1.0))
    ]
    return pl.when(pl.col("cell").str.contains(pattern)).then(
        pl.sum_horizontal(seconds)
    )


def _processors(table: JobTable) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, plain, tres in (
        ("requested", ("reqcpus",), "reqtres"),
        ("allocated", ("alloccpus", "ncpus"), "alloctres"),
    ):
        column = table.find(plain)
        if column:
            counts = table.numbers(column, "a number of processors")
        elif tres in table.columns:
            cpus = pl.col("cell").str.extract(r"(?:^|,)cpu=(\d+)").cast(pl.Float64)
            counts = table.parse(tres, cpus.fill_null(-1.0), "cpu=N among others")
        else:
            continue
        found[name] = np.nan_to_num(counts, nan=-1.0).astype(np.int64)
    if not found:
        problem = "has no processors; expected ReqCPUS, AllocCPUS, NCPUS or a TRES"
        raise TraceError(table.file, problem, 1)
    return found


def _states(states: pl.Series) -> tuple[Any, dict[str, BoolArray]]:
    # "CANCELLED by 1000" says who; a "+" ends a word that Slurm cut short.
    words = states.str.extract(r"^([A-Z_]+)").fill_null("")
    codes = words.replace_strict(_STATUS, default=0, return_dtype=pl.Int64)
    status = codes.set(words == "", UNKNOWN).to_numpy().copy()
    never = words.is_in(list(_NOT_STARTED)).to_numpy()
    going = words.is_in(list(_NOT_FINISHED)).to_numpy()
    return status, {"not_started": never, "not_finished": going}
