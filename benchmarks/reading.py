"""Reading a large CSV: import, plan and the reading alone against polars and pandas.

``COTENANT_ROWS=100000000 python -m benchmarks reading`` takes another size than 10
million rows; the file has about 50 bytes a row. Every contender runs in a process of
its own, whose peak memory is told. Polars and pandas only take the mean of each task.
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.timing import absent, ratio

ROWS = int(float(os.environ.get("COTENANT_ROWS", "1e7")))
TASKS = 10_000
PANDAS_AT_MOST = 20_000_000  # rows; it holds all of them
AT_ONCE = 1_000_000

SCAN = """
import polars as pl
pl.scan_csv({csv!r}).group_by("task").agg(pl.col("cpu").mean()).collect()
"""
PANDAS = """
import pandas as pd
pd.read_csv({csv!r}).groupby("task")["cpu"].mean()
"""
READ = """
from cotenant.traces.collect import read_usage
read_usage([{csv!r}])
"""
IMPORT = """
from cotenant.cli import main
main(["import", {csv!r}, "--to", {parquet!r}, "--quiet"])
"""
PLAN = """
from cotenant.cli import main
main(["plan", {source!r}, "--machine", "cpu=64", "--quiet", "--out", {plan!r}])
"""


@dataclass(frozen=True)
class Run:
    """What a process took: wall and processor time in seconds, peak memory in bytes."""

    wall: float
    cpu: float
    peak: int


def write(path: Path) -> None:
    """Write samples as a collector does: all tasks of a moment, then the next."""
    random = np.random.default_rng(0)
    names = pl.Series(
        f"shop-{i:06d}-{i * 2654435761 % 2**28:07x}" for i in range(TASKS)
    )
    each, moments = ROWS // TASKS, AT_ONCE // TASKS
    with path.open("wb") as stream:
        stream.write(b"task,time,cpu,memory\n")
        for first in range(0, each, moments):
            here = np.arange(first, min(first + moments, each))
            rows = TASKS * len(here)
            pl.DataFrame(
                {
                    "task": names.gather(np.tile(np.arange(TASKS), len(here))),
                    "time": np.repeat(1_767_225_600 + 300 * here, TASKS),
                    "cpu": random.gamma(2.0, 0.02, rows).round(5),
                    "memory": random.integers(10**7, 10**9, rows),
                }
            ).write_csv(stream, include_header=False)


def run(program: str) -> Run | None:
    """Run it in a process of its own; None if it fails."""
    started = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status):
        return None
    return Run(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def shortest(program: str, runs: int) -> Run | None:
    """Return the quickest of some runs."""
    done = [r for r in (run(program) for _ in range(runs)) if r is not None]
    return min(done, key=lambda r: r.wall, default=None)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        csv, parquet = Path(folder) / "usage.csv", Path(folder) / "usage.parquet"
        write(csv)
        words = {
            "csv": str(csv),
            "parquet": str(parquet),
            "plan": f"{folder}/plan.json",
        }
        runs = 3 if ROWS <= PANDAS_AT_MOST else 1
        scan = shortest(SCAN.format(**words), runs)
        pandas = None
        if ROWS <= PANDAS_AT_MOST:
            pandas = shortest(PANDAS.format(**words), 1)
        assert scan is not None
        told(f"group-by mean of {ROWS:,} rows, polars", scan)
        for what, program in (
            ("read", READ.format(**words)),
            ("import", IMPORT.format(**words)),
            ("plan", PLAN.format(source=str(csv), **words)),
            ("plan from the import", PLAN.format(source=str(parquet), **words)),
        ):
            ours = shortest(program, runs)
            if ours is None:
                print(f"{what} of {ROWS:,} rows failed")
                continue
            compare(f"{what} {ROWS:,} rows", ours, scan, pandas)


def compare(what: str, ours: Run, scan: Run, pandas: Run | None) -> None:
    ratio(what, ours.wall, scan.wall, "polars group-by mean")
    if pandas is None:
        absent(what, ours.wall, "pandas")
    else:
        ratio(what, ours.wall, pandas.wall, "pandas group-by mean")
    told(what, ours)
    print(f"  of the speed of polars by processor time: {scan.cpu / ours.cpu:.2f}")


def told(what: str, used: Run) -> None:
    peak = used.peak / 2**30
    print(f"  {what}: {used.cpu:.1f} s of processor time, peak {peak:.2f} GiB")


if __name__ == "__main__":
    main()
