"""The queue: jobs a second, time of a look-ahead decision, and the whole command.

Peers: the same queue in plain Python (the oracle of the tests), and AccaSim where
``ACCASIM_PYTHON`` names an interpreter that has it. Real logs are read from
``COTENANT_DATA``, else from ``../shared/data``; without them those lines are left out.
"""

import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.timing import ratio
from cotenant.demand.job import Jobs
from cotenant.fleet import Cluster
from cotenant.kernels import queue_state
from cotenant.kernels import queueing as kernel
from cotenant.queueing.clusters import Clusters
from cotenant.queueing.estimates import exact
from cotenant.queueing.lookahead import TLA, LookAhead
from cotenant.queueing.opening import opened
from cotenant.queueing.order import Order
from cotenant.sim.jobs import run_queue
from cotenant.traces.jobs.load import scaled_to_load
from cotenant.traces.jobs.lublin import lublin
from tests.queue_oracle import PlainJob, PlainQueue

SYSTEM = [Cluster(128, float(speed)) for speed in (1, 2, 4, 8)]
DATA = Path(os.environ.get("COTENANT_DATA", "../shared/data")) / "swf"
ACCASIM = os.environ.get("ACCASIM_PYTHON")
LOGS = {"NASA-iPSC-1993-3.1-cln": 128, "HPC2N-2002-2.1-cln": 240}
PLAIN = 1_000
ACCASIM_JOBS = 20_000  # it takes minutes for ten times as many


def main() -> None:
    jobs = scaled_to_load(lublin(20_000, 128, 1), SYSTEM, 0.6)
    _kernel(jobs)
    _decisions()
    for name, processors in LOGS.items():
        path = DATA / f"{name}.swf.gz"
        if path.is_file():
            _command(path, processors)


def _kernel(jobs: Jobs) -> None:
    clusters = Clusters.of(SYSTEM)
    for order in (Order.FCFS, Order.EASY):
        times = []
        for _ in range(10):
            view = opened(
                jobs, clusters, order, exact(jobs), jobs.runtime_s, np.empty(0)
            )
            since = time.process_time()
            kernel.advance(
                view.site, view.work, view.state, int(order), queue_state.FASTEST_FIRST,
                False, True, False,
            )  # fmt: skip
            times.append(time.process_time() - since)
        each = min(times) / len(jobs)
        plain = _plain(jobs.first(PLAIN), order) / PLAIN
        ratio(
            f"{order.name.lower()}, fastest first, {1 / each / 1e6:.1f} M jobs/s",
            each * len(jobs),
            plain * len(jobs),
            f"plain Python, {PLAIN:,} jobs",
        )


def _plain(jobs: Jobs, order: Order) -> float:
    coming = [
        PlainJob(at, job.submit_s, job.processors, job.runtime_s, job.runtime_s)
        for at, job in enumerate(jobs)
    ]
    queue = PlainQueue(
        [c.processors for c in SYSTEM],
        [c.speed for c in SYSTEM],
        order.name.lower(),
        "fastest-first",
        coming,
    )
    since = time.process_time()
    queue.run()
    return time.process_time() - since


def _decisions() -> None:
    # 1,000 jobs wait; the first hundred decisions, from when the queue is that long.
    rng = np.random.default_rng(0)
    count = 1_100
    jobs = Jobs.of(
        submit_s=np.zeros(count),
        processors=np.minimum(2 ** rng.integers(0, 7, count), 128),
        runtime_s=rng.lognormal(7, 1, count),
    )
    clusters = Clusters.of(
        [Cluster(p, s) for p, s in zip((128, 256, 128, 256), (1, 2, 4, 8), strict=True)]
    )
    for name, allocator in (("tla", TLA), ("look-ahead", LookAhead())):
        times: list[float] = []

        def timed(view, allocator=allocator, times=times):  # type: ignore[no-untyped-def]
            since = time.process_time()
            judged = allocator.judge(view)
            spent = time.process_time() - since
            several = np.count_nonzero(judged.values == judged.values) > 1
            if several and 900 <= len(view.waiting) <= 1_100:
                times.append(spent)
            return judged.answer

        run_queue(jobs, clusters, timed)
        print(
            f"one {name} decision, 1,000 waiting: median "
            f"{1e6 * float(np.median(times)):.0f} us of CPU, {len(times)} decisions"
        )


def _command(path: Path, processors: int) -> None:
    words = ["queue", str(path), "--cluster", f"{processors}@1"]
    words += ["--allocator", "fastest-first", "-o", "json", "-q"]
    call = ["-c", "from cotenant.cli import main; main()", *words]
    done = [_cpu([sys.executable, *call]) for _ in range(3)]
    told = json.loads(done[0][1])
    jobs = told["rows"][0]["jobs"]
    ours = min(seconds for seconds, _ in done)
    what = f"whole command, {path.name.split('.')[0]}, {jobs / ours:,.0f} jobs/s"
    if ACCASIM is None:
        print(f"{what}: {ours:.2f} s of CPU")
        return
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "log.swf"
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
        some = [line for line in lines if line[:1] != b";"][:ACCASIM_JOBS]
        plain.write_bytes(b"".join(some))
        script = Path(__file__).parent / "peers" / "accasim_run.py"
        theirs, _ = _cpu([ACCASIM, str(script), str(plain), str(processors)])
    share = jobs / min(jobs, len(some))
    ratio(what, ours, theirs * share, f"AccaSim, FIFO, {len(some):,} jobs")


def _cpu(words: list[str]) -> tuple[float, str]:
    # Warm as an installed command is: its bytecode lies on disk, as the peer's does.
    environment = {
        k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        words, capture_output=True, text=True, check=True, env=environment
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return user + system, done.stdout


if __name__ == "__main__":
    main()
