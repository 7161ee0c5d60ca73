"""Days of jobs of the Google cluster trace 2011, two percentages a line.

One file a job and day, ``vm_<job>_<day>`` with days from 1, a line every 5 minutes: CPU
and memory, summed over the tasks of the job, in percent of a machine. Made by Hieu, Di
Francesco and Ylä-Jääski, IEEE TSC.
"""

import re
from collections.abc import Iterator

import polars as pl

from cotenant.errors import TraceError
from cotenant.traces.lines import LINE, Field, read_rows
from cotenant.traces.public.fixed import refuse_table_options
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

STEP_S = 300.0
DAY_S = 86_400.0

_NAME = re.compile(r"vm_(\d+)_(\d+)")
_TWO_NUMBERS = re.compile(rb"[\d.eE+-]+ [\d.eE+-]+\r?\n")
_FIELDS = (
    Field("cpu", 0, pl.Float64(), "a CPU percentage"),
    Field("memory", 1, pl.Float64(), "a memory percentage"),
)


def recognise(members: list[Member]) -> str | None:
    """Recognise the names, and two numbers in the first line."""
    few = members[:3]
    if all(_NAME.fullmatch(m.stem) and _TWO_NUMBERS.match(m.head(512)) for m in few):
        return "files named vm_<job>_<day> with two percentages a line"
    return None


def read(reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield one batch a file; the days of a job are one task.

    Raises
    ------
    TraceError
        If a file name does not tell job and day.
    InvalidInput
        If an option chooses columns.
    """
    refuse_table_options(reading.options, "google-job-days")
    reading.unit = reading.options.kind("percent")
    reading.cleaning.note("a task is a whole job, the sum of its tasks")
    factor = reading.options.factor("percent")
    for member in reading.members:
        job, start = _job_and_start(member)
        for rows in read_rows(reading, member, _FIELDS, width=2, separator=" "):
            yield rows.select(
                task=pl.lit(job),
                time=start + (pl.col(LINE).cast(pl.Float64) - 1.0) * STEP_S,
                cpu=pl.col("cpu") * factor,
                memory=pl.col("memory") * 0.01,
            )


def _job_and_start(member: Member) -> tuple[str, float]:
    name = _NAME.fullmatch(member.stem)
    if name is None:
        raise TraceError(member.name, "has another name; expected vm_<job>_<day>")
    return name[1], (int(name[2]) - 1) * DAY_S
