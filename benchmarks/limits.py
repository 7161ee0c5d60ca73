"""Counting overloads against the plain read bandwidth of this machine's memory."""

import numpy as np

from benchmarks.timing import best, share
from cotenant.kernels import montecarlo as kernel

TASKS, REALISATIONS, ON_A_MACHINE = 1_000, 100_000, 25


def main() -> None:
    # 400 MB: no cache holds it.
    values = np.random.default_rng(0).random((TASKS, REALISATIONS), dtype=np.float32)
    order = np.arange(TASKS)
    ends = np.arange(0, TASKS + 1, ON_A_MACHINE)
    count = best(lambda: kernel.count_overloads(values, order, ends, 1.0, 0))
    words = values.view(np.uint64)
    # A reduction without arithmetic to speak of reads as fast as one core can.
    read = best(lambda: np.bitwise_or.reduce(words, axis=None))
    giga = values.nbytes / 1e9
    what = "count overloads of realisations in memory"
    share(what, giga / count, giga / read, "GB/s", "plain read, one core")


if __name__ == "__main__":
    main()
