"""Series that other studies made of the Google cluster trace 2011.

A job file has 18 columns and no header: time in seconds, tasks, machines, and the sums
of the usage columns over the tasks of the job. A machine file has the header
``mID,moment,CPU``: the sum of the average rates of the tasks on a machine in a second.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from cotenant.traces.cleaning import Cleaning
from cotenant.traces.lines import Field, read_rows
from cotenant.traces.public.fixed import named
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

WIDTH = 18
MACHINES_HEADER = ["mID", "moment", "CPU"]
_SAMPLED = Field("cpu", 17, pl.Float64(), "a sampled CPU rate")
_JOB = (
    Field("time", 0, pl.Float64(), "a time in seconds"),
    Field("cpu_mean", 3, pl.Float64(), "an average CPU rate"),
    Field("memory", 4, pl.Float64(), "a share of memory"),
    _SAMPLED,
)
_MACHINES = (
    Field("machine", 0, pl.Int64(), "a machine ID"),
    Field("moment", 1, pl.Float64(), "a time in microseconds"),
    Field("cpu", 2, pl.Float64(), "a CPU rate"),
)


def read_job(reading: Reading, member: Member) -> Iterator[pl.DataFrame]:
    """Yield one job as one task, named by the long number in the file name.

    Sums may be far above one machine. A sampled column of zeros only was never filled
    in; the batches then have averages alone.
    """
    ids = re.findall(r"\d{6,}", member.stem)
    measured = ["cpu_mean"] if _never_sampled(reading, member) else ["cpu", "cpu_mean"]
    if "cpu" not in measured:
        reading.cleaning.note(f"{member.path} has averages only: sampled usage is 0")
    reading.cleaning.note("a task of a job series is a whole job, the sum of its tasks")
    for rows in read_rows(reading, member, _JOB, width=WIDTH):
        yield rows.select(
            pl.lit(ids[-1] if ids else member.stem).alias("task"),
            "time",
            pl.col(measured) * reading.options.factor("fraction"),
            "memory",
        )


def _never_sampled(reading: Reading, member: Member) -> bool:
    ahead = replace(reading, cleaning=Cleaning(), advance=lambda _bytes: None)
    batches = read_rows(ahead, member, [_SAMPLED], width=WIDTH)
    return all((rows["cpu"].fill_null(0.0) == 0.0).all() for rows in batches)


def read_machines(reading: Reading, member: Member) -> Iterator[pl.DataFrame]:
    """Yield each machine as a task; its rows are in no order of time."""
    reading.cleaning.note("a task of a machine series is the load of a whole machine")
    for rows in read_rows(reading, member, _MACHINES, width=3, header=True):
        usage = rows.select(
            task=pl.col("machine").cast(pl.String),
            time=pl.col("moment") / 1e6,
            cpu=pl.col("cpu") * reading.options.factor("fraction"),
        )
        yield named(reading, usage)
