"""Jobs as a file in Standard Workload Format, version 2."""

import gzip
import io
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl

from cotenant.arrays import FloatArray, IntArray
from cotenant.demand.job import UNKNOWN, Jobs
from cotenant.fleet import Cluster


def swf_text(jobs: Jobs, clusters: Iterable[Cluster] = ()) -> bytes:
    """Return jobs as SWF, 18 fields a line; what no job knows is -1.

    Reading the text again gives equal jobs: whole seconds are written as such, others
    with all their digits. Clusters only give the header its MaxProcs, their sum.
    """
    clusters = tuple(clusters)
    # A job from elsewhere knows one count of processors only: the one it holds.
    counted = (jobs.requested > 0) | (jobs.allocated > 0)
    columns: list[IntArray | FloatArray] = [
        jobs.id,
        jobs.submit_s,
        jobs.waited_s,
        jobs.runtime_s,
        np.where(counted, jobs.allocated, jobs.processors),
        *[np.full(len(jobs), UNKNOWN)] * 2,
        np.where(counted, jobs.requested, jobs.processors),
        jobs.estimate_s,
        np.full(len(jobs), UNKNOWN),
        jobs.status,
        jobs.user,
        jobs.group,
        np.full(len(jobs), UNKNOWN),
        jobs.queue,
        jobs.partition,
        *[np.full(len(jobs), UNKNOWN)] * 2,
    ]
    table = pl.DataFrame([_shortest(str(i), c) for i, c in enumerate(columns)])
    text = io.BytesIO()
    text.write(_header(jobs, clusters).encode())
    table.write_csv(text, separator=" ", include_header=False)
    return text.getvalue()


def write_swf(path: Path, jobs: Jobs, clusters: Iterable[Cluster] = ()) -> None:
    """Write `swf_text` to a file, with gzip where its name ends in ``.gz``."""
    text = swf_text(jobs, clusters)
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)


def _header(jobs: Jobs, clusters: tuple[Cluster, ...]) -> str:
    lines = ["Version: 2.2", f"MaxJobs: {len(jobs)}", f"MaxRecords: {len(jobs)}"]
    if jobs.origin_s is not None:
        lines.append(f"UnixStartTime: {jobs.origin_s:.0f}")
    if clusters:
        lines.append(f"MaxProcs: {sum(c.processors for c in clusters)}")
        described = (f"{c.processors}@{c.speed:g}" for c in clusters)
        lines.append(f"Note: clusters {' '.join(described)}")
    for column in ("queue", "partition"):
        named = jobs.names.get(column, {})
        lines += [
            f"{column.title()}: {number} {name}" for number, name in named.items()
        ]
    return "".join(f"; {line}\n" for line in lines)


def _shortest(name: str, column: IntArray | FloatArray) -> pl.Series:
    known = np.where(np.isnan(column), UNKNOWN, column)
    whole = (known == np.floor(known)).all()
    return pl.Series(name, known.astype(np.int64) if whole else known)
