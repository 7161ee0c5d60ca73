"""Reading a job log of 200,000 lines against numpy.loadtxt and a loop of splits."""

import gzip
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.timing import best, ratio
from cotenant.traces.jobs.lublin import lublin
from cotenant.traces.jobs.source import read_jobs
from cotenant.traces.jobs.swf_writer import write_swf

LINES = 200_000


def split(path: Path) -> list[list[float]]:
    with gzip.open(path, "rt") as stream:
        return [
            [float(cell) for cell in line.split()]
            for line in stream
            if not line.startswith(";")
        ]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.swf.gz"
        write_swf(path, lublin(LINES, processors=256))
        ours = best(lambda: read_jobs(str(path)), 5)
        what = f"read {LINES:,} lines of .swf.gz, all checks"
        loop = best(lambda: split(path), 1)
        ratio(what, ours, loop, "split and float")
        table = best(lambda: np.loadtxt(path, comments=";"), 1)
        ratio(what, ours, table, "numpy.loadtxt")
        verdict = "met" if ours < 0.5 else "MISSED"
        print(f"  bar: under 0.5 s, {verdict}")


if __name__ == "__main__":
    main()
