"""Replays a trace on a placement, row by row, where correlation shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.errors import InvalidInput
from cotenant.kernels.overload import add_aligned
from cotenant.sim.judge import Judgement
from cotenant.traces.trace import Trace

CELLS_AT_ONCE = 10_000_000  # machine-moments held in memory
HOLD = 3  # moments a sample stands for when the next is missing
COVERED = 0.9  # share of a machine's running tasks that must have a value
POINTS = 2_000  # of the timeline


@dataclass(frozen=True, slots=True)
class AlignedReplay:
    """What replaying a trace on a placement showed.

    Parameters
    ----------
    judgement
        Overload a machine and in all, over the moments that could be judged.
    moments, overloaded
        `(machines,)` moments judged and moments above capacity.
    peak
        `(machines,)` largest load.
    skipped
        Machine-moments not judged because more than a tenth of the tasks that were
        running had no sample.
    """

    judgement: Judgement
    moments: IntArray
    overloaded: IntArray
    peak: FloatArray
    skipped: int


def replay_aligned(
    trace: Trace, machine_of: Mapping[str, int], capacity: Sequence[float]
) -> AlignedReplay:
    """Add up the samples of each machine's tasks at each moment and count overloads.

    Moments lie one median step apart. A sample holds until the next one of its task,
    three moments at most; a task counts for nothing before its first and after its last
    sample. Usage strictly above capacity is overload.

    Parameters
    ----------
    machine_of
        Number of the machine of each task; other tasks of the trace are ignored.
    capacity
        CPU capacity of each machine.

    Raises
    ------
    InvalidInput
        If the trace carries no time.
    """
    if trace.step_s is None:
        raise InvalidInput(
            "the trace carries no time, so it cannot be replayed aligned; "
            "use --judge samples or exact"
        )
    clock = _Clock.of(trace)
    counts = [np.zeros(len(capacity), np.int64) for _ in range(2)]
    peak = np.zeros(len(capacity))
    over, judged = np.zeros(clock.moments, np.int64), np.zeros(clock.moments, np.int64)
    group = max(1, CELLS_AT_ONCE // clock.moments)
    for first in range(0, len(capacity), group):
        rows = slice(first, min(first + group, len(capacity)))
        load, valid = _loads(trace, machine_of, clock, rows)
        limit = np.asarray(capacity[rows])[:, None] * (1.0 + 1e-9)
        above = (load > limit) & valid
        counts[0][rows], counts[1][rows] = valid.sum(axis=1), above.sum(axis=1)
        peak[rows] = load.max(axis=1, initial=0.0)
        over += above.sum(axis=0)
        judged += valid.sum(axis=0)
    moments, overloaded = counts
    overload = overloaded / np.maximum(moments, 1)
    counted = list(zip(overloaded.tolist(), moments.tolist(), strict=True))
    return AlignedReplay(
        Judgement(overload, counted, _timeline(over, judged, clock)),
        moments,
        overloaded,
        peak,
        skipped=len(capacity) * clock.moments - int(moments.sum()),
    )


@dataclass(frozen=True, slots=True)
class _Clock:
    start: float
    step: float
    moments: int

    @classmethod
    def of(cls, trace: Trace) -> "_Clock":
        step = trace.step_s or 1.0
        low = high = None
        for series in trace.series("cpu"):
            first, last = float(np.nanmin(series.time)), float(np.nanmax(series.time))
            low = first if low is None else min(low, first)
            high = last if high is None else max(high, last)
        if low is None or high is None:
            raise InvalidInput("no sample is left to judge on")
        return cls(low, step, round((high - low) / step) + 1)

    def moment(self, time: FloatArray) -> IntArray:
        return np.rint((time - self.start) / self.step).astype(np.int64)


def _loads(
    trace: Trace, machine_of: Mapping[str, int], clock: _Clock, rows: slice
) -> tuple[FloatArray, BoolArray]:
    shape = (rows.stop - rows.start, clock.moments)
    load = np.zeros(shape)
    alive, covered = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for series in trace.series("cpu"):
        numbers = [machine_of.get(trace.store.names[c], -1) for c in series.codes]
        row = np.array(numbers) - rows.start
        row[(row < 0) | (row >= shape[0])] = -1
        add_aligned(
            load,
            alive,
            covered,
            row,
            series.offsets,
            clock.moment(series.time),
            series.values,
            HOLD,
        )
    return load, covered >= COVERED * alive


def _timeline(
    over: IntArray, judged: IntArray, clock: _Clock
) -> tuple[tuple[float, float], ...]:
    width = -(-len(over) // POINTS)
    edges = np.arange(0, len(over), width)
    total = np.maximum(np.add.reduceat(judged, edges), 1)
    share = np.add.reduceat(over, edges) / total
    times = clock.start + edges * clock.step
    return tuple(zip(times.tolist(), share.tolist(), strict=True))
