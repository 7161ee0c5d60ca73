"""The clusters a job log comes from: named by a file, a header, or seen in use."""

from pathlib import Path

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.demand.job import Jobs
from cotenant.errors import InvalidInput, TraceError
from cotenant.fleet import Cluster
from cotenant.traces.source import Member

SUFFIX = ".machines"
_COLUMNS = "id name nodes processors-a-node speed memory-a-node"


def machines_beside(path: Path) -> Path | None:
    """Return the file ``LOG.machines`` beside ``LOG`` or ``LOG.gz``, if any."""
    beside = path.with_name(path.name.removesuffix(".gz") + SUFFIX)
    return beside if beside.is_file() else None


def read_machines(member: Member) -> tuple[Cluster, ...]:
    """Read a file of clusters as the Alea simulator has them, one a line.

    The columns are id, name, nodes, processors a node, relative speed and memory a
    node, split by blanks; the memory may be left out.

    Raises
    ------
    TraceError
        If a line has other columns, or there is none.
    """
    clusters = []
    with member.open() as stream:
        text = stream.read().decode(errors="replace")
    for line, row in enumerate(text.splitlines(), start=1):
        cells = row.split()
        if not cells or cells[0].startswith((";", "#")):
            continue
        if len(cells) < 5:
            problem = f"has {len(cells)} columns; expected {_COLUMNS}"
            raise TraceError(member.name, problem, line)
        try:
            processors = int(cells[2]) * int(cells[3])
            clusters.append(Cluster(processors, float(cells[4]), cells[1]))
        except InvalidInput as error:
            raise TraceError(member.name, str(error), line) from error
        except ValueError as error:
            problem = f"has a word where a number belongs; expected {_COLUMNS}"
            raise TraceError(member.name, problem, line) from error
    if not clusters:
        raise TraceError(member.name, f"names no cluster; expected {_COLUMNS}")
    return tuple(clusters)


def partition_clusters(jobs: Jobs) -> tuple[Cluster, ...]:
    """Return one cluster a partition, as large as the most processors seen in use.

    That is a lower bound on its size. The recorded waits place the jobs in time; jobs
    without one, or of no known partition, are left out. A job that ends at a moment
    frees its processors for one that starts then. Speeds are 1: a log holds none.
    """
    known = (jobs.waited_s >= 0) & (jobs.partition >= 0)
    some = jobs.select(known)
    start = some.submit_s + some.waited_s
    clusters = []
    for partition in np.unique(some.partition):
        its = some.partition == partition
        peak = most_in_use(start[its], some.runtime_s[its], some.processors[its])
        name = jobs.names.get("partition", {}).get(int(partition), str(partition))
        clusters.append(Cluster(peak, 1.0, name))
    return tuple(clusters)


def most_in_use(start: FloatArray, runtime: FloatArray, processors: IntArray) -> int:
    """Return the most processors held at one moment; ends come before starts."""
    when = np.concatenate([start, start + runtime])
    change = np.concatenate([processors, -processors])
    order = np.lexsort((change, when))
    return int(np.cumsum(change[order]).max(initial=0))
