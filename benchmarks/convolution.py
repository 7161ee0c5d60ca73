"""The exact overload of a machine against convolving histograms by NumPy and SciPy."""

import time
from collections.abc import Callable
from functools import partial, reduce

import numpy as np
from scipy.signal import fftconvolve

from benchmarks.timing import best, ratio
from cotenant.demand.usage import Usage
from cotenant.planning.problem import Selection, make_problem
from cotenant.sim.judge import Carried, judge_exact
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import matched

TASKS, CELLS = 25, 500
processor = time.process_time


def histogram(usage: Usage) -> np.ndarray:
    """Return the probabilities of usage on a grid of cells of a machine."""
    value, weight = usage.values, usage.weights
    cells = np.rint(np.asarray(value) * CELLS).astype(np.int64)
    counted = np.bincount(cells, weight)
    return np.asarray(counted / counted.sum())


def beyond(convolve: Callable[..., np.ndarray], shapes: list[np.ndarray]) -> float:
    """Return the probability of more than a machine."""
    return float(reduce(convolve, shapes)[CELLS + 1 :].sum())


def main() -> None:
    frame = matched(TASKS, seed=1)
    tasks = make_problem(from_frame(frame, "fraction"), Selection()).tasks
    usages = [task.usage["cpu"] for task in tasks]
    machine = Carried(1.0, usages)
    ours = best(lambda: judge_exact([machine], CELLS), 20, processor)
    shapes = [histogram(usage) for usage in usages]
    what = f"overload of a machine of {TASKS} tasks"
    for name, convolve in (("numpy", np.convolve), ("scipy fft", fftconvolve)):
        theirs = best(partial(beyond, convolve, shapes), 20, processor)
        ratio(what, ours, theirs, f"{name} convolution")


if __name__ == "__main__":
    main()
