"""Job logs as plain CSV with a header, by these or other usual names.

``submit``, ``processors`` and ``runtime`` must be there. The jobs CSV that Batsim and
`cotenant queue` write is one of them: with its ``speed`` column, execution times become
run times at speed 1 again.
"""

from typing import Any

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.errors import TraceError
from cotenant.traces.jobs.records import JobRecords, records_of
from cotenant.traces.jobs.table import clock, head_names, read_table
from cotenant.traces.source import Member

NAMES: dict[str, tuple[str, ...]] = {
    "id": ("job_id", "id", "job", "jobid", "job_number"),
    "submit_s": ("submit_s", "submit", "submission_time", "submit_time", "subtime"),
    "runtime_s": ("runtime_s", "runtime", "run_time", "execution_time", "duration"),
    "requested": (
        "processors",
        "requested_number_of_resources",
        "requested_processors",
        "procs",
        "cpus",
        "cores",
        "res",
    ),
    "allocated": ("allocated_processors", "allocated"),
    "estimate_s": (
        "estimate_s",
        "estimate",
        "requested_time",
        "walltime",
        "time_limit",
    ),
    "waited_s": ("waited_s", "wait_s", "wait", "waiting_time", "wait_time"),
    "user": ("user", "user_id"),
    "group": ("group", "group_id"),
    "queue": ("queue",),
    "partition": ("partition",),
    "status": ("status",),
}
NEEDED = {"submit_s": "submit", "runtime_s": "runtime", "requested": "processors"}
_SECONDS = ("runtime_s", "estimate_s", "waited_s")
_TEXTS = ("id", "user", "group", "queue", "partition")


def recognise(member: Member) -> str | None:
    """Recognise a header with a submission, processors and a run time."""
    names = head_names(member, _separator(member))
    if all(any(n in names for n in NAMES[needed]) for needed in NEEDED):
        return "a table with submission, processors and run time"
    return None


def read(member: Member) -> JobRecords:
    """Read all records.

    Raises
    ------
    TraceError
        If a needed column is missing, or a cell cannot be understood.
    """
    table = read_table(member, _separator(member), quoted=True)
    found = {role: table.find(names) for role, names in NAMES.items()}
    for role, word in NEEDED.items():
        if not found[role]:
            expected = " or ".join(NAMES[role][:3])
            problem = f"has no column for {word}; expected {expected}"
            raise TraceError(member.name, problem, 1)
    columns: dict[str, Any] = {}
    texts: dict[str, dict[int, str]] = {}
    for role, name in found.items():
        if name is None:
            continue
        if role in _TEXTS:
            columns[role], texts[role] = table.coded(name)
        elif role == "submit_s":
            columns[role] = table.parse(name, clock(), "seconds or a date and time")
        elif role in _SECONDS:
            columns[role] = _known(table.numbers(name, "seconds"))
        else:
            columns[role] = _count(table.numbers(name, "a number"))
    if "speed" in table.columns and found["runtime_s"] == "execution_time":
        columns["runtime_s"] *= table.numbers("speed", "a relative speed")
    named = {role: names for role, names in texts.items() if names}
    return records_of(len(table), columns, names=named)


def _separator(member: Member) -> str:
    header = member.head(1 << 16).split(b"\n", 1)[0].decode(errors="replace")
    return max(",;\t|", key=header.count)


def _known(seconds: FloatArray) -> FloatArray:
    return np.where(seconds == -1, np.nan, seconds)


def _count(numbers: FloatArray) -> Any:
    return np.ceil(np.nan_to_num(numbers, nan=-1.0)).astype(np.int64)
