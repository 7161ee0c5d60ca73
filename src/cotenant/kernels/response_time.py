"""Rate-monotonic response times: of one host, and of many hosts with one more task.

A host is a row of tasks by ascending period, which is their priority; its response
times are the least fixed points of R = budget + sum of ceil(R / period) * budget over
the tasks above (Joseph and Pandya, 1986). Each iteration may start from any value at
or below the fixed point: joining a task can only raise a response time, and by at least
its budget where it has priority. A task without budget is done at its release.
"""

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.kernels._jit import jit

MISSED = -1  # in place of a response time beyond the period


@jit
def _response(
    budget: IntArray, period: IntArray, above: int, own: int, limit: int, start: int
) -> int:
    # The response time of a task of `own` budget below `above` tasks; the first value
    # beyond the limit where there is none within it.
    response = start
    while response <= limit:
        needed = own
        for j in range(above):
            needed += ((response + period[j] - 1) // period[j]) * budget[j]
        if needed == response:
            break
        response = needed
    return response


@jit
def _settled(budget: IntArray, period: IntArray, i: int, start: int) -> int:
    if budget[i] == 0:
        return 0
    found = _response(budget, period, i, budget[i], period[i], start)
    return found if found <= period[i] else MISSED


@jit
def _with_one_more(
    budget: IntArray,
    period: IntArray,
    i: int,
    more_budget: int,
    more_period: int,
    start: int,
) -> int:
    # The response time of task i with one more task above it.
    response = start
    while response <= period[i]:
        needed = budget[i]
        needed += ((response + more_period - 1) // more_period) * more_budget
        for j in range(i):
            needed += ((response + period[j] - 1) // period[j]) * budget[j]
        if needed == response:
            break
        response = needed
    return response


@jit
def response_times(budget: IntArray, period: IntArray) -> IntArray:
    # Of one host; MISSED where a task may not be done within its period.
    result = np.empty(len(budget), np.int64)
    for i in range(len(budget)):
        result[i] = _settled(budget, period, i, budget[i])
    return result


@jit
def join(
    budget: IntArray,
    period: IntArray,
    response: IntArray,
    count: int,
    more_budget: int,
    more_period: int,
) -> None:
    # Insert a task into the row of one host, after those of the same period. The row
    # has room for it.
    place = 0
    while place < count and period[place] <= more_period:
        place += 1
    for i in range(count, place, -1):
        budget[i], period[i] = budget[i - 1], period[i - 1]
        response[i] = response[i - 1]
    budget[place], period[place], response[place] = more_budget, more_period, 0
    for i in range(place, count + 1):
        if response[i] != MISSED:
            response[i] = _settled(budget, period, i, response[i] + more_budget)


@jit
def admits(
    budget: IntArray,
    period: IntArray,
    response: IntArray,
    count: IntArray,
    filled: FloatArray,
    product: FloatArray,
    broken: BoolArray,
    refused: IntArray,
    more_budget: int,
    more_period: int,
) -> BoolArray:
    # Which hosts keep every period with one more task. `filled` is the utilization of
    # each, `product` that of 1 + utilization over its tasks, `broken` says that it
    # misses already, `refused` is the least budget known to be refused at this period;
    # what is found out is written back there.
    hosts = len(count)
    result = np.zeros(hosts, np.bool_)
    share = more_budget / more_period
    for h in range(hosts):
        # The margins are far above rounding and only save work: between them the
        # integers decide.
        if more_budget >= refused[h] or broken[h] or filled[h] + share > 1.0 + 1e-9:
            continue
        if product[h] * (1.0 + share) <= 2.0 - 1e-9:
            result[h] = True  # hyperbolic bound
            continue
        place, last = 0, count[h]
        while place < last and period[h, place] <= more_period:
            place += 1
        fits = True
        # The lowest priority first: it is the one that fails most.
        for i in range(last - 1, place - 1, -1):
            if budget[h, i] == 0:
                continue
            start = response[h, i] + more_budget
            found = _with_one_more(
                budget[h], period[h], i, more_budget, more_period, start
            )
            if found > period[h, i]:
                fits = False
                break
        if fits and more_budget > 0:
            start = more_budget + (response[h, place - 1] if place else 0)
            found = _response(
                budget[h], period[h], place, more_budget, more_period, start
            )
            fits = found <= more_period
        result[h] = fits
        if not fits:
            refused[h] = more_budget
    return result
