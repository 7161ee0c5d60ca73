"""Requests of the containers of the Alibaba trace v2018, and usage in cores by them."""

from dataclasses import replace

import polars as pl

from cotenant.traces.cleaning import Cleaning
from cotenant.traces.lines import LINE, Field, read_rows
from cotenant.traces.public.fixed import share_factor
from cotenant.traces.schema import Reading
from cotenant.traces.source import Member

LABELS = {"app_du": 3}

_REQUESTS = (
    Field("task", 0, pl.String(), "a container"),
    Field("cpu_request", 5, pl.Float64(), "a CPU request, 100 a core"),
    Field("memory_request", 7, pl.Float64(), "a memory size in percent"),
)


def read_requests(reading: Reading, metas: list[Member], width: int) -> pl.DataFrame:
    """Return cores, memory and label of each container; its last row counts."""
    keep = reading.options.keep
    label = [Field(keep, LABELS[keep], pl.String(), "a label")] if keep else []
    aside = replace(reading, cleaning=Cleaning())
    tables = [
        rows.drop(LINE).with_columns(pl.col("cpu_request", "memory_request") * 0.01)
        for member in metas
        for rows in read_rows(aside, member, (*_REQUESTS, *label), width=width)
    ]
    return pl.concat(tables).unique("task", keep="last", maintain_order=True)


def to_cores(
    reading: Reading, rows: pl.DataFrame, requests: pl.DataFrame
) -> pl.DataFrame:
    """Turn percents of the request into cores; drop containers without a request.

    Raises
    ------
    InvalidInput
        If the unit is an absolute one: the cores would be counted twice.
    """
    share = share_factor(reading.options, "container_usage")
    joined = rows.join(requests, on="task", how="left", maintain_order="left")
    known = joined.filter(pl.col("cpu_request").is_not_null())
    orphans = joined.height - known.height
    reading.cleaning.drop("no_request", orphans)
    if orphans:
        reading.cleaning.note("some containers have no row in container_meta")
    return known.with_columns(
        pl.col("cpu") * share * pl.col("cpu_request"),
        pl.col("memory") * 0.01 * pl.col("memory_request"),
        pl.col("cpu_request") * reading.options.scale,
    )
