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
from cotenant.kernels._jit import jit
from cotenant.kernels.exact import join, overload_on, tail_of
from cotenant.kernels.index import EVERY, Index, following, is_allowed, put
from cotenant.kernels.tree import NONE

# Shares of a task's distribution between which its values are taken as the lowest of
# them: a tenth of the work refuses most machines that refuse.
_SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)

_ROUNDING = 1e-6  # cells by which room and need may be wrong


class Pool(NamedTuple):
    """Machines of one capacity, a row each; arrays as in `exact`.

    `tilted` is exp(theta x) for x from 0 to reach, `tasks` how many they have,
    `peak` the sum of their maxima, `most` the capacity with the slack of comparisons.
    """

    load: FloatArray
    tail: FloatArray
    pinned: FloatArray
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
    """Tasks cut into cells: task t has the slots from `starts[t * slots]` on.

    `alone` is the overload of a machine that has only this task.
    """

    starts: IntArray
    cells: IntArray
    mass: FloatArray
    pinned: FloatArray
    alone: FloatArray
    mean: FloatArray
    maximum: FloatArray


@jit
def need(pool: Pool, asked: Asked, task: int) -> float:
    slots, reach = pool.load.shape[1], len(pool.tilted) - 1
    least = np.inf
    for slot in range(task * slots, (task + 1) * slots):
        total = 0.0
        for i in range(asked.starts[slot], asked.starts[slot + 1]):
            total += asked.mass[i] * pool.tilted[min(asked.cells[i], reach)]
        least = min(least, total)
    return float(math.log(least) / pool.theta - _ROUNDING)


@jit
def note(index: Index, pool: Pool, machine: int) -> None:
    # Tells the index what a machine carries.
    slots, top = pool.load.shape[1], pool.load.shape[2] - 1
    total, room = 0.0, np.inf
    for slot in range(slots):
        least = np.inf
        for x in range(len(pool.tilted)):
            pinned = pool.pinned[machine, slot, top - x]
            above = pool.tail[machine, slot, top - x] - 0.5 * pinned
            least = min(least, above / pool.tilted[x])
        total += least
    if pool.tasks[machine] > 0.0 and total > 0.0:
        room = math.log(pool.rho * slots / total) / pool.theta
        # Where all peaks fit nothing is asked of the grid, which rounds up to a cell.
        spare = (pool.most - pool.peak[machine]) / pool.capacity * top
        room = max(room, spare + 1.0)
    put(index, machine, pool.mean[machine] / pool.capacity, room)


@jit
def note_all(index: Index, pool: Pool, machines: int) -> None:
    for machine in range(machines):
        note(index, pool, machine)


@jit
def fits(pool: Pool, machine: int, asked: Asked, task: int) -> bool:
    if pool.peak[machine] + asked.maximum[task] <= pool.most:
        return True
    if pool.tasks[machine] == 0.0:
        return bool(asked.alone[task] <= pool.rho)
    slots = pool.load.shape[1]
    starts = asked.starts[task * slots : (task + 1) * slots + 1]
    tail, pinned = pool.tail[machine], pool.pinned[machine]
    over = overload_on(tail, pinned, starts, asked.cells, asked.mass, asked.pinned)
    return bool(over <= pool.rho)


@jit
def _rounded_down(
    pool: Pool, asked: Asked, task: int
) -> tuple[IntArray, IntArray, FloatArray]:
    # A task as a few values a slot, each the lowest of those it stands for; cells past
    # capacity count as the first past it.
    slots, top = pool.load.shape[1], pool.load.shape[2] - 1
    first, most = task * slots, len(_SHARES) + 2
    starts = np.zeros(slots + 1, np.int64)
    cells, mass, count = np.zeros(slots * most, np.int64), np.zeros(slots * most), 0
    for slot in range(slots):
        below, share, until = 0.0, 0, 0.0
        for i in range(asked.starts[first + slot], asked.starts[first + slot + 1]):
            beyond = asked.cells[i] > top
            fresh = beyond and (
                i == asked.starts[first + slot] or cells[count - 1] <= top
            )
            if fresh or (below >= until and not beyond):
                while share < len(_SHARES) and _SHARES[share] <= below:
                    share += 1
                until = _SHARES[share] if share < len(_SHARES) else np.inf
                cells[count] = min(asked.cells[i], top + 1)
                count += 1
            mass[count - 1] += asked.mass[i]
            below += asked.mass[i]
        starts[slot + 1] = count
    return starts, cells, mass


@jit
def _is_over(
    pool: Pool, machine: int, starts: IntArray, cells: IntArray, mass: FloatArray
) -> bool:
    # Whether a task rounded down is over rho already: so is the task itself.
    slots, top = pool.load.shape[1], pool.load.shape[2] - 1
    total = 0.0
    for slot in range(slots):
        for i in range(starts[slot], starts[slot + 1]):
            if cells[i] > top:
                total += mass[i]
                continue
            x = top - cells[i]
            above = pool.tail[machine, slot, x] - 0.5 * pool.load[machine, slot, x]
            total += mass[i] * above
    return bool(total > pool.rho * slots * (1.0 + 1e-9) + 1e-12)


@jit
def choose(
    index: Index, pool: Pool, asked: Asked, task: int, allowed: BoolArray
) -> int:
    # The machine the rule picks among the allowed ones (none given: all), else NONE.
    least = need(pool, asked, task)
    starts, cells, mass = _rounded_down(pool, asked, task)
    machine = following(index, NONE, least)
    while machine != NONE:
        if is_allowed(allowed, machine):
            sure = pool.peak[machine] + asked.maximum[task] <= pool.most
            maybe = sure or pool.tasks[machine] == 0.0
            if not maybe:
                maybe = not _is_over(pool, machine, starts, cells, mass)
            if maybe and fits(pool, machine, asked, task):
                break
        machine = following(index, machine, least)
    return machine


@jit
def put_on(pool: Pool, machine: int, asked: Asked, task: int) -> None:
    # The tail is not brought up to date.
    slots = pool.load.shape[1]
    starts = asked.starts[task * slots : (task + 1) * slots + 1]
    load, pinned, above = pool.load[machine], pool.pinned[machine], pool.above[machine]
    join(load, pinned, above, starts, asked.cells, asked.mass, asked.pinned)
    pool.tasks[machine] += 1.0
    pool.mean[machine] += asked.mean[task]
    pool.peak[machine] += asked.maximum[task]


@jit
def place(
    index: Index, pool: Pool, machines: int, asked: Asked, first: int, where: IntArray
) -> tuple[int, int]:
    # As in `summed`.
    for task in range(first, len(where)):
        machine = choose(index, pool, asked, task, EVERY)
        if machine == NONE and machines == len(pool.load):
            return task, machines
        if machine == NONE and fits(pool, machines, asked, task):
            machine, machines = machines, machines + 1
        where[task] = machine
        if machine != NONE:
            put_on(pool, machine, asked, task)
            tail_of(pool.load[machine], pool.above[machine], pool.tail[machine])
            note(index, pool, machine)
    return len(where), machines


@jit
def fill(pool: Pool, rows: IntArray, asked: Asked) -> None:
    # Puts task after task on given machines, which ascend; the index is not told.
    for task in range(len(rows)):
        m = rows[task]
        put_on(pool, m, asked, task)
        if task + 1 == len(rows) or rows[task + 1] != m:
            tail_of(pool.load[m], pool.above[m], pool.tail[m])


@jit
def rebalance(pool: Pool, last: int, asked: Asked, where: IntArray) -> None:
    # As in `summed`.
    moved = True
    while moved:
        moved = False
        for giver in range(last):
            for task in range(len(where)):
                if where[task] == giver and fits(pool, 0, asked, task):
                    put_on(pool, 0, asked, task)
                    tail_of(pool.load[0], pool.above[0], pool.tail[0])
                    where[task] = last
                    moved = True
                    break
