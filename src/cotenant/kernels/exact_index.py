"""The exact test through the index: room and need by effective bandwidth.

With theta > 0 and t(x) the least that x cells more put above capacity, a task X puts at
least E t(min(X, reach)) there, and that is at least a E exp(theta min(X, reach)) with a
the least t(x) / exp(theta x) up to reach. So a machine is passed over where
(log rho - log a) / theta, its room, is below the task's effective bandwidth
log E exp(theta min(X, reach)) / theta, its need. Any theta and reach are safe; those of
machines as they are spare most tests. Both are in cells.
"""

import math
from typing import NamedTuple

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.kernels._jit import jit, jit_borrowing
from cotenant.kernels.exact import SCRATCH, beyond_of, join, overload_on
from cotenant.kernels.index import EVERY, Index, following, is_allowed, put
from cotenant.kernels.tree import NONE

_ROUNDING = 1e-6  # cells by which room and need may be wrong


class Pool(NamedTuple):
    """Machines of one capacity, a row each; arrays as in `exact`.

    `tilted` is exp(theta x) for x from 0 to reach, `tasks` how many they have,
    `peak` the sum of their maxima, `most` the capacity with the slack of comparisons.
    """

    load: FloatArray
    pinned: FloatArray
    pins: FloatArray
    above: FloatArray
    tasks: FloatArray
    mean: FloatArray
    peak: FloatArray
    capacity: float
    most: float
    rho: float
    theta: float
    tilted: FloatArray


class Asked(NamedTuple):
    """Tasks cut into cells: task t has in slot s those from `starts[t, s]` on.

    They end where those of slot s + 1 start, at `starts[t, slots]` the last ones.
    `alone` is the overload of a machine that has only this task.
    """

    starts: IntArray
    cells: IntArray
    mass: FloatArray
    pinned: FloatArray
    alone: FloatArray
    mean: FloatArray
    maximum: FloatArray


@jit_borrowing
def need(pool: Pool, asked: Asked, task: int) -> float:
    slots, reach = pool.load.shape[1], len(pool.tilted) - 1
    least = np.inf
    for slot in range(slots):
        total = 0.0
        for i in range(asked.starts[task, slot], asked.starts[task, slot + 1]):
            total += asked.mass[i] * pool.tilted[min(asked.cells[i], reach)]
        least = min(least, total)
    return float(math.log(least) / pool.theta - _ROUNDING)


@jit_borrowing
def note(index: Index, pool: Pool, machine: int) -> None:
    # Tells the index, if there is one, what a machine carries.
    if len(index.level) == 0:
        return
    slots, top = pool.load.shape[1], pool.load.shape[2] - 1
    total, room = 0.0, np.inf
    for slot in range(slots):
        least, tail = np.inf, pool.above[machine, slot]
        for x in range(len(pool.tilted)):
            own = pool.load[machine, slot, top - x]
            put_above = tail + 0.5 * (own - pool.pinned[machine, slot, top - x])
            least = min(least, put_above / pool.tilted[x])
            tail += own
        total += least
    if pool.tasks[machine] > 0.0 and total > 0.0:
        room = math.log(pool.rho * slots / total) / pool.theta
        # Where all peaks fit nothing is asked of the grid, which rounds up to a cell.
        spare = (pool.most - pool.peak[machine]) / pool.capacity * top
        room = max(room, spare + 1.0)
    put(index, machine, pool.mean[machine] / pool.capacity, room)


@jit_borrowing
def note_all(index: Index, pool: Pool, machines: int) -> None:
    for machine in range(machines):
        note(index, pool, machine)


@jit_borrowing
def fits(
    pool: Pool,
    machine: int,
    asked: Asked,
    task: int,
    ends: IntArray,
    beyond: FloatArray,
) -> bool:
    # `ends` and `beyond` are what `beyond_of` makes of the task.
    if pool.peak[machine] + asked.maximum[task] <= pool.most:
        return True
    if pool.tasks[machine] == 0.0:
        return bool(asked.alone[task] <= pool.rho)
    over = overload_on(
        pool.load[machine],
        pool.pinned[machine],
        pool.pins[machine],
        pool.above[machine],
        ends,
        beyond,
        asked.starts[task],
        asked.cells,
        asked.pinned,
    )
    return bool(over <= pool.rho)


@jit
def choose(
    index: Index, pool: Pool, asked: Asked, task: int, allowed: BoolArray
) -> int:
    # The machine the rule picks among the allowed ones (none given: all), else NONE.
    return _search(index, pool, asked, task, allowed, *_beyond(pool, asked, task))


@jit_borrowing
def _search(
    index: Index,
    pool: Pool,
    asked: Asked,
    task: int,
    allowed: BoolArray,
    ends: IntArray,
    beyond: FloatArray,
) -> int:
    least = need(pool, asked, task)
    machine = following(index, NONE, least)
    while machine != NONE:
        may = is_allowed(allowed, machine)
        if may and fits(pool, machine, asked, task, ends, beyond):
            break
        machine = following(index, machine, least)
    return machine


@jit
def _beyond(pool: Pool, asked: Asked, task: int) -> tuple[IntArray, FloatArray]:
    top = pool.load.shape[2] - 1
    return beyond_of(asked.starts[task], asked.cells, asked.mass, top)


@jit_borrowing
def put_on(
    pool: Pool, machine: int, asked: Asked, task: int, scratch: FloatArray
) -> None:
    # The index is not told.
    join(
        pool.load[machine],
        pool.pinned[machine],
        pool.pins[machine],
        pool.above[machine],
        asked.starts[task],
        asked.cells,
        asked.mass,
        asked.pinned,
        scratch,
    )
    pool.tasks[machine] += 1.0
    pool.mean[machine] += asked.mean[task]
    pool.peak[machine] += asked.maximum[task]


@jit_borrowing
def clear(pool: Pool, machine: int) -> None:
    # Takes all tasks off. The index is not told.
    pool.load[machine], pool.pinned[machine] = 0.0, 0.0
    pool.load[machine, :, 0], pool.pinned[machine, :, 0] = 1.0, 1.0
    pool.pins[machine], pool.above[machine] = 1.0, 0.0
    pool.tasks[machine], pool.mean[machine], pool.peak[machine] = 0.0, 0.0, 0.0


@jit
def place(
    index: Index, pool: Pool, machines: int, asked: Asked, first: int, where: IntArray
) -> tuple[int, int]:
    # As in `summed`.
    scratch = np.zeros(SCRATCH * pool.load.shape[2])
    for task in range(first, len(where)):
        machine = choose(index, pool, asked, task, EVERY)
        if machine == NONE and machines == len(pool.load):
            return task, machines
        if machine == NONE and asked.alone[task] <= pool.rho:
            machine, machines = machines, machines + 1
        where[task] = machine
        if machine != NONE:
            put_on(pool, machine, asked, task, scratch)
            note(index, pool, machine)
    return len(where), machines


@jit
def fill(
    index: Index, pool: Pool, rows: IntArray, asked: Asked, tasks: IntArray
) -> None:
    # Puts task after task on given machines, which ascend.
    scratch = np.zeros(SCRATCH * pool.load.shape[2])
    for k in range(len(rows)):
        put_on(pool, rows[k], asked, tasks[k], scratch)
        if k + 1 == len(rows) or rows[k + 1] != rows[k]:
            note(index, pool, rows[k])


@jit
def refill(
    index: Index, pool: Pool, machine: int, asked: Asked, tasks: IntArray
) -> None:
    # Puts these tasks on a machine instead of those that are there.
    clear(pool, machine)
    scratch = np.zeros(SCRATCH * pool.load.shape[2])
    for task in tasks:
        put_on(pool, machine, asked, task, scratch)
    note(index, pool, machine)


@jit
def rebalance(pool: Pool, last: int, asked: Asked, where: IntArray) -> None:
    # As in `summed`.
    scratch, moved = np.zeros(SCRATCH * pool.load.shape[2]), True
    while moved:
        moved = False
        for giver in range(last):
            for task in range(len(where)):
                if where[task] != giver:
                    continue
                if fits(pool, 0, asked, task, *_beyond(pool, asked, task)):
                    put_on(pool, 0, asked, task, scratch)
                    where[task] = last
                    moved = True
                    break
