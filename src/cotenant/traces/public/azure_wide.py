"""Wide tables made of the Azure readings: a column ``row``, then a column a VM.

Rows are counted from 1, one every five minutes; values are percent of the VM. Averages
have ``avg`` in the name of the file, all others are taken for momentary usage.
"""

from collections.abc import Iterator

import polars as pl

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.lines import LINE, Field, read_header, read_rows
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

STEP_S = 300.0
MEASURES = ("cpu_mean", "cpu")


def is_header(cells: list[str]) -> bool:
    """Say whether a first line is the header of a wide table."""
    return cells[:1] == ["row"] and len(cells) > 1


def measure(member: Member) -> str:
    """Return the canonical column of the values of a wide table."""
    return "cpu_mean" if "avg" in member.path.name else "cpu"


def read(reading: Reading, members: list[Member]) -> Iterator[pl.DataFrame]:
    """Yield one row a value; each value counts as a row read.

    Raises
    ------
    InvalidInput
        If a label is asked for: the table has none.
    TraceError
        If a header names a VM twice.
    """
    if reading.options.keep is not None:
        raise InvalidInput(f"keep is {reading.options.keep!r}; a wide table has none")
    reading.unit = reading.options.kind("percent")
    factor = reading.options.factor("percent")
    for member in members:
        column, fields = measure(member), _fields(member)
        if "max" in member.path.name:
            reading.cleaning.note("cpu is the maximum of each five minutes")
        for rows in read_rows(reading, member, fields, width=len(fields), header=True):
            values = rows.drop(LINE).unpivot(
                index="row", variable_name="task", value_name=column
            )
            reading.cleaning.rows += values.height - rows.height
            yield values.select(
                pl.col("task"),
                (pl.col("row") - 1.0).alias("time") * STEP_S,
                pl.col(column) * factor,
            )


def _fields(member: Member) -> list[Field]:
    names = read_header(member)
    if len(set(names)) < len(names) or LINE in names:
        raise TraceError(member.name, "names a VM twice; expected one column a VM", 1)
    row, *vms = names
    return [Field(row, 0, pl.Float64(), "a row number")] + [
        Field(vm, position, pl.Float64(), "a percentage")
        for position, vm in enumerate(vms, 1)
    ]
