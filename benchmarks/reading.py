"""Reading 10 million rows of CSV into a trace against polars' own scan."""

import resource
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.timing import best, ratio
from cotenant.traces.collect import read_usage

ROWS, TASKS = 10_000_000, 1_000


def write(path: Path) -> None:
    """Write the rows task after task."""
    random = np.random.default_rng(0)
    each = ROWS // TASKS
    with path.open("wb") as stream:
        stream.write(b"task,time,cpu\n")
        for task in range(TASKS):
            pl.DataFrame(
                {
                    "task": [f"task-{task:05d}"] * each,
                    "time": np.arange(each) * 30,
                    "cpu": random.gamma(2.0, 0.02, each).round(4),
                }
            ).write_csv(stream, include_header=False)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "usage.csv"
        write(path)
        ours = best(lambda: read_usage([str(path)]), 2)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        scan = best(lambda: pl.scan_csv(path).collect(), 2)
        ratio(f"read {ROWS:,} rows, sorted and cleaned", ours, scan, "polars scan_csv")
        print(f"  peak memory while reading, all of the process: {peak:.2f} GiB")


if __name__ == "__main__":
    main()
