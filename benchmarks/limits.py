"""Counting overloads against the plain read bandwidth of this machine's memory."""

import time

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.timing import best, share
from cotenant.kernels import montecarlo as kernel

processor = time.process_time
TASKS, REALISATIONS, ON_A_MACHINE = 1_000, 100_000, 25


@njit  # type: ignore[misc]
def mixed(words: NDArray[np.uint64]) -> np.uint64:
    """Combine all words; so little is done with each that memory is the limit."""
    found = np.uint64(0)
    for word in words:
        found ^= word
    return found


def main() -> None:
    # 400 MB: no cache holds it.
    values = np.random.default_rng(0).random((TASKS, REALISATIONS), dtype=np.float32)
    order = np.arange(TASKS)
    ends = np.arange(0, TASKS + 1, ON_A_MACHINE)
    count = best(
        lambda: kernel.count_overloads(values, order, ends, 1.0, 0), 5, processor
    )
    read = best(lambda: mixed(values.ravel().view(np.uint64)), 5, processor)
    giga = values.nbytes / 1e9
    what = "count overloads of realisations in memory"
    share(what, giga / count, giga / read, "GB/s", "a loop that only reads")


if __name__ == "__main__":
    main()
