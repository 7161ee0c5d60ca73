"""Our own files: the canonical columns by their exact names, as CSV or Parquet.

Parquet states the unit of CPU in its metadata, under ``cotenant.unit``: ``cores`` or
``fraction``. Such files may carry one more column, the label that was kept. Without
that key, exact names and types decide, and CPU is in cores unless the options say
otherwise, as in any CSV.
"""

from collections.abc import Iterator
from typing import Literal

import polars as pl

from cotenant.errors import TraceError
from cotenant.traces.schema import ATTRIBUTES, SAMPLES, Reading, Unit
from cotenant.traces.source import Member
from cotenant.traces.tables import table
from cotenant.traces.tables.parquet import is_parquet, read_metadata, read_schema
from cotenant.traces.tables.rawtable import open_table

UNIT_KEY = "cotenant.unit"
_TYPES = SAMPLES | ATTRIBUTES


def recognise(members: list[Member]) -> str | None:
    """Recognise our metadata, or exactly our column names and types."""
    if not members:
        return None
    member = members[0]
    if is_parquet(member):
        if UNIT_KEY in read_metadata(member):
            return f"Parquet metadata {UNIT_KEY}"
        schema = read_schema(member)
        if any(dtype != _TYPES.get(name) for name, dtype in schema.items()):
            return None
        names = list(schema)
    else:
        try:
            names = open_table(member).names
        except TraceError:
            return None
    if {"task", "time"} <= set(names) <= set(_TYPES) and {"cpu", "cpu_mean"} & {*names}:
        return f"canonical columns {', '.join(names)}"
    return None


def read(reading: Reading) -> Iterator[pl.DataFrame]:
    """Yield batches; a unit that the file states wins over the options."""

    def stated(member: Member) -> Unit | None:
        unit = _stated_unit(member)
        if unit and reading.options.unit not in (None, unit):
            other = reading.options.unit
            reading.cleaning.note(f"{member.name} states {unit}; {other} is not used")
        return unit

    return table.read_files(reading, stated)


def _stated_unit(member: Member) -> Literal["cores", "fraction"] | None:
    unit = read_metadata(member).get(UNIT_KEY) if is_parquet(member) else None
    if unit in (None, "cores", "fraction"):
        return unit  # type: ignore[return-value]
    problem = f'{UNIT_KEY} is "{unit}"; expected cores or fraction'
    raise TraceError(member.name, problem)
