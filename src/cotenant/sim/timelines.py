"""A run of the queue over time: who waits, who runs, and which processors are held."""

from heapq import heapify, heappop, heappush

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.sim.jobs import QueueRun


def queue_length(run: QueueRun, times: FloatArray) -> FloatArray:
    """Return how many jobs wait at each moment; one that starts then does not."""
    came = np.searchsorted(run.jobs.submit_s, times, side="right")
    gone = np.searchsorted(np.sort(run.start_s), times, side="right")
    return (came - gone).astype(np.float64)


def share_held(run: QueueRun, edges: FloatArray) -> FloatArray:
    """Return the share of all processors' time that was held between the edges."""
    at, held = _integral(run.start_s, run.finish_s, run.jobs.processors)
    used = np.diff(np.interp(edges, at, held))
    return np.asarray(used / (np.diff(edges) * int(run.clusters.size.sum())))


def _integral(
    start: FloatArray, finish: FloatArray, processors: IntArray
) -> tuple[FloatArray, FloatArray]:
    when = np.concatenate([start, finish])
    change = np.concatenate([processors, -processors])
    order = np.argsort(when, kind="stable")
    at, level = when[order], np.cumsum(change[order])
    return at, np.concatenate([[0.0], np.cumsum(level[:-1] * np.diff(at))])


def lanes(run: QueueRun) -> IntArray:
    """Give each job numbers of processors in its cluster, lowest first, for drawing.

    Returns
    -------
    pieces
        `(pieces, 3)` job, first processor and one past the last, for each run of
        neighbours; sorted by start of the job.
    """
    free = [list(range(int(size))) for size in run.clusters.size]
    for processors in free:
        heapify(processors)
    ending: list[tuple[float, int, list[int]]] = []
    pieces: list[tuple[int, int, int]] = []
    for job in np.lexsort((np.arange(len(run.jobs)), run.start_s)).tolist():
        start = run.start_s[job]
        while ending and ending[0][0] <= start:
            _, over, back = heappop(ending)
            for processor in back:
                heappush(free[run.cluster[over]], processor)
        mine = free[run.cluster[job]]
        held = [heappop(mine) for _ in range(int(run.jobs.processors[job]))]
        heappush(ending, (float(run.finish_s[job]), job, held))
        first = held[0]
        for at, processor in enumerate(held):
            if at + 1 == len(held) or held[at + 1] != processor + 1:
                pieces.append((job, first, processor + 1))
                first = held[at + 1] if at + 1 < len(held) else 0
    return np.array(pieces, dtype=np.int64).reshape(-1, 3)
