"""PlanetLab CPU traces as CloudSim distributes them.

One file a virtual machine, one folder a day (``20110303``); 288 lines of whole
percents of the machine, one every 5 minutes, no header and no time stamps. Published by
the CoMon project; days chosen by Beloglazov and Buyya, CCPE 2012.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import polars as pl

from cotenant.traces.lines import LINE, Field, read_rows
from cotenant.traces.public.fixed import refuse_table_options
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

STEP_S = 300.0


def recognise(members: list[Member]) -> str | None:
    """Recognise one whole percent a line, and nothing else in the file."""
    heads = [m.head(512) for m in members[:3]]
    if heads and all(re.fullmatch(rb"(\d{1,3}\r?\n){3,}\d{0,3}", h) for h in heads):
        return "one whole percent a line, one file a virtual machine"
    return None


def read(reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield one batch a file; time starts at the day the folder names, else at 0."""
    refuse_table_options(reading.options, "a PlanetLab trace")
    reading.unit = reading.options.kind("percent")
    factor = reading.options.factor("percent")
    field = Field("cpu", 0, pl.Float64(), "a percentage")
    for member in reading.members:
        start = _day(member)
        for rows in read_rows(reading, member, [field], width=1):
            yield rows.select(
                task=pl.lit(member.path.name),
                time=start + (pl.col(LINE).cast(pl.Float64) - 1.0) * STEP_S,
                cpu=pl.col("cpu") * factor,
            )


def _day(member: Member) -> float:
    folder = member.path.parent.name
    if not re.fullmatch(r"\d{8}", folder):
        return 0.0
    return datetime.strptime(folder, "%Y%m%d").replace(tzinfo=UTC).timestamp()
