"""What the look-ahead study runs: logs, systems, loads, and one cell at a time."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cotenant.demand.job import Jobs
from cotenant.errors import InvalidInput
from cotenant.fleet import Cluster
from cotenant.planning.queue.settings import parse_estimates
from cotenant.queueing.clusters import Clusters
from cotenant.queueing.metrics import measure
from cotenant.sim.jobs import run_queue
from cotenant.traces.jobs.load import replicas, scaled_to_load
from cotenant.traces.jobs.source import JobLog, read_jobs

SHAKE_S = 30.0
ALLOCATORS = ("best-fit", "fastest-first", "tla", "look-ahead")
ESTIMATES = ("exact", "user", "last-two", "uniform:3", "uniform:11")


@dataclass(frozen=True, slots=True)
class Log:
    """A log of the study: its file, and the size that systems are made of."""

    file: str
    processors: int


LOGS = {
    "sdsc5k": Log("SDSC-SP2-sample-4606.swf.gz", 128),
    "nasa": Log("NASA-iPSC-1993-3.1-cln.swf.gz", 128),
    "lublin256": Log("lublin_256.swf.gz", 256),
    "wagap": Log("wagap-2013.swf.gz", 512),
}
# Processors as parts of 128 (scaled to the log's size), and speeds.
SYSTEMS: dict[str, tuple[tuple[int, ...], tuple[float, ...]]] = {
    "A": ((128, 128), (1, 2)),
    "B": ((128, 128), (1, 8)),
    "C": ((128, 128, 128, 128), (1, 2, 4, 8)),
    "D": ((128, 64, 32, 16), (1, 2, 4, 8)),
    "E": ((128, 64, 32, 16), (8, 4, 2, 1)),
    "F": ((8, 128, 128, 128, 50), (1, 3, 5, 7, 9)),
    "G": ((8, 128, 128, 128, 50), (9, 7, 5, 3, 1)),
    "H": ((128, 128, 128, 128), (1, 1, 1, 1)),
    # Found by a search for the largest gain: the selected maximum, named as such.
    "best": ((128, 64, 128, 60, 64), (1, 8, 1, 4, 2)),
}
LOADS = (0.4, 0.6, 0.7, 0.8, 0.9)
SHAKEN = (
    ("sdsc5k", "B", 0.8),
    ("nasa", "B", 0.7),
    ("nasa", "B", 0.6),
    ("sdsc5k", "C", 0.8),
    ("sdsc5k", "D", 0.6),
    ("sdsc5k", "H", 0.8),
    ("nasa", "F", 0.7),
    ("lublin256", "C", 0.8),
    ("wagap", "C", 0.8),
)
ESTIMATED = (
    ("sdsc5k", "C", 0.7),
    ("sdsc5k", "C", 0.8),
    ("sdsc5k", "C", 0.9),
    ("sdsc5k", "G", 0.8),
    ("sdsc5k", "G", 0.9),
    ("sdsc5k", "H", 0.9),
    ("wagap", "C", 0.9),
)
HEADLINE = ("lublin256", "best", 0.38)


@dataclass(frozen=True, slots=True)
class Cell:
    """One log at one load on one system, under all allocators.

    Parameters
    ----------
    replica
        Number of the shaken copy; None for the log as it stands.
    """

    part: str
    log: str
    system: str
    load: float
    estimates: str = "exact"
    replica: int | None = None
    folder: str = ""

    def text(self) -> str:
        """Return the cell as text, to send and to find it again."""
        return json.dumps(asdict(self), sort_keys=True)


def clusters_of(log: str, system: str) -> tuple[Cluster, ...]:
    """Return a system at the size of a log."""
    parts, speeds = SYSTEMS[system]
    size = LOGS[log].processors
    return tuple(
        Cluster(max(part * size // 128, 1), float(speed))
        for part, speed in zip(parts, speeds, strict=True)
    )


def cells_of(parts: Sequence[str], folder: str, copies: int) -> Iterator[Cell]:
    """Yield the cells of the parts asked for."""
    if "table" in parts:
        for log in LOGS:
            for system in "ABCDEFGH":
                for load in LOADS:
                    yield Cell("table", log, system, load, folder=folder)
    if "shaken" in parts:
        for estimates in ("exact", "user", "last-two"):
            for case in SHAKEN:
                for replica in range(copies):
                    yield Cell("shaken", *case, estimates, replica, folder)
    if "estimates" in parts:
        for case in ESTIMATED:
            for estimates in ESTIMATES:
                yield Cell("estimates", *case, estimates, folder=folder)
    if "headline" in parts:
        yield Cell("headline", *HEADLINE, folder=folder)
        for replica in range(15):
            yield Cell("headline", *HEADLINE, replica=replica, folder=folder)


@cache
def _log(folder: str, name: str) -> JobLog:
    return read_jobs(str(Path(folder) / LOGS[name].file))


def jobs_of(cell: Cell, seed: int = 0) -> Jobs:
    """Return the jobs of a cell, scaled and shaken."""
    system = clusters_of(cell.log, cell.system)
    jobs = _log(cell.folder, cell.log).fitting(system).jobs
    if cell.replica is not None:
        jobs = list(replicas(jobs, SHAKE_S, cell.replica + 1, seed))[-1]
    # Shaken first, so that each replica offers exactly the load.
    return scaled_to_load(jobs, system, cell.load)


def run_cell(text: str) -> dict[str, Any]:
    """Run a cell and return the average turnaround and growth of each allocator."""
    cell = Cell(**json.loads(text))
    if cell.log not in LOGS or cell.system not in SYSTEMS:
        raise InvalidInput(f"there is no cell {text}")
    jobs, clusters = jobs_of(cell), Clusters.of(clusters_of(cell.log, cell.system))
    values = {}
    for name in ALLOCATORS:
        estimates = parse_estimates(cell.estimates)
        run = run_queue(jobs, clusters, name, "fcfs", estimates)
        told = measure(jobs, clusters, run.start_s, run.finish_s, run.cluster)
        values[name] = {
            "average_turnaround_s": told.total.average_turnaround_s,
            "growth": told.growth,
            "overrides": run.overrides,
        }
    return values
