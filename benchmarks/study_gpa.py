"""One problem of the paper's base case: packing, drawing and judging it."""

import time
import tomllib
from importlib.resources import files

import numpy as np

from benchmarks.timing import best, ratio
from cotenant.colocate.pack import pack
from cotenant.fleet import Fleet
from cotenant.kernels import montecarlo as kernel
from cotenant.planning.problem import Selection, make_problem
from cotenant.study.grid import Run, as_text
from cotenant.study.grid_cells import run_cell
from cotenant.study.grid_packing import pack_run
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import matched

EQUAL = Fleet.of_equal({"cpu": 1.0})
PROBLEMS, CORES = 50, 2


def main() -> None:
    tasks = make_problem(from_frame(matched(1_000), "fraction"), Selection()).tasks
    for method, rho in (("gaussian", 0.001), ("percentile:95", None)):
        run = Run(method, rho, rebalance=True)
        ours = best(lambda: pack_run(tasks, run, 0))  # noqa: B023
        engine = best(lambda: pack(tasks, EQUAL, run.policy(0)))  # noqa: B023
        ratio(f"pack and rebalance 1,000 tasks, {method}", ours, engine, "the engine")
    offsets = np.arange(0, 140_001, 140, dtype=np.int64)
    samples = np.random.default_rng(0).random(140_000) / 20
    seeds = np.arange(1_000, dtype=np.uint64)
    ours = best(lambda: kernel.draw(offsets, samples, seeds, 0, 1_000))
    random = np.random.default_rng(1)
    rows = samples.reshape(1_000, 140)
    plain = best(lambda: [random.choice(row, 1_000) for row in rows])
    ratio("draw 1,000 realisations of 1,000 tasks", ours, plain, "NumPy")
    values = kernel.draw(offsets, samples, seeds, 0, 1_000)
    order, ends = np.arange(1_000), np.arange(0, 1_001, 25)
    ours = best(lambda: kernel.count_overloads(values, order, ends, 1.0, 0))
    plain = best(lambda: (np.add.reduceat(values, ends[:-1]) > 1.0).sum())
    ratio("count the overloads of a packing of them", ours, plain, "NumPy")
    text = (files("cotenant.study.gpa") / "base.toml").read_text("utf-8")
    tables = tomllib.loads(text)
    run_cell(as_text(tables, 0, ""))
    started = time.process_time()
    run_cell(as_text(tables, 1, ""))
    seconds = time.process_time() - started
    print(
        f"a problem of the base case, 28 runs: {seconds:.2f} s of CPU; "
        f"{PROBLEMS} problems on {CORES} free cores: {seconds * PROBLEMS / CORES:.0f} s"
    )


if __name__ == "__main__":
    main()
