"""Compiles every kernel once, so that the first real run does not wait.

Run as ``python -m cotenant.kernels.warm`` after installing.
"""

import numpy as np

from cotenant.kernels import (
    atoms,
    bandwidth,
    cells,
    conservative,
    exact,
    exact_index,
    gaussian,
    index,
    lookahead,
    margin,
    misses,
    montecarlo,
    overload,
    profiles,
    queue_state,
    queueing,
    response_time,
    sla,
    summed,
    swf,
)


def warm() -> None:
    """Call every kernel with the types it is used with."""
    offsets = np.array([0, 3], dtype=np.int64)
    samples, weights = np.array([0.1, 0.2, 0.3]), np.ones(3)
    atoms.moments(offsets, samples, weights)
    _, values, masses = atoms.atoms(offsets, samples, weights, 2)
    ends = np.array([0, len(values)], dtype=np.int64)
    laid = cells.to_cells(ends, values, masses, 0.1, 1)
    loads, pinned = np.zeros((1, 1, 11)), np.zeros((1, 1, 11))
    pins, above = np.zeros((1, 1)), np.zeros((1, 1))
    cut = laid[0][0], *laid[1:]
    exact.overload_with(loads, pinned, pins, above, np.zeros(1, np.int64), *cut)
    exact.overload_of(loads[0], pinned[0], above[0])
    exact.overloads(*laid, np.zeros(1, np.int64), np.arange(2), 11, 1)
    alone, ones = cells.overloads_alone(ends, values, masses, 1.0, 1), np.ones(1)
    asked = exact_index.Asked(*laid, alone, ones, ones)
    arrays = loads, pinned, pins, above, ones, ones.copy(), ones.copy()
    pool = exact_index.Pool(*arrays, 1.0, 1.0, 0.1, 0.1, ones)
    carried = summed.Load(
        *(2, 1.0, 1.0, np.zeros(2), np.zeros(2), ones, ones, ones, np.zeros((1, 2)))
    )
    where, ranked = np.zeros(1, np.int64), index.make_index(1, best_fit=True)
    exact_index.place(ranked, pool, 0, asked, 0, where)
    exact_index.choose(ranked, pool, asked, 0, index.EVERY)
    exact_index.fill(ranked, pool, where, asked, where)
    exact_index.refill(ranked, pool, 0, asked, where)
    exact_index.note_all(ranked, pool, 1)
    exact_index.note(ranked, pool, 0)
    summed.place(ranked, carried, 0, 0, np.zeros((1, 2)), ones, where)
    summed.choose(ranked, carried, np.zeros(2), index.EVERY)
    summed.note_all(ranked, carried, 1)
    summed.note(ranked, carried, 0)
    summed.levels(carried, 1, np.zeros(2))
    summed.level(carried, 0, np.zeros(2))
    summed.rebalance(carried, 0, np.zeros((1, 2)), ones, where)
    exact_index.rebalance(pool, 0, asked, where)
    gaussian.overloads(np.ones((1, 2)), np.ones(1), np.ones(2))
    gaussian.one_factor_levels(np.ones((1, 3)), np.ones(3), 1.0)
    bandwidth.log_mgf(ends, values, masses, 1.0)
    days, order = np.zeros((2, 4)), np.arange(2, dtype=np.int64)
    placed = margin.first_fit(days, order, 1.0, 1.1, 0)
    margin.overloads(days, placed, 1, 1.0)
    margin.admits(days, np.zeros(2), np.ones(2), days[0], 0.1, 1.1, 0)
    margin.count_over(days[0], 0.0, days[1], 0.1, 1.0, 1.1)
    drawn = np.zeros(2)
    overload.add_realisations(values, masses, np.array([0.1, 0.9]), drawn)
    overload.count_above(drawn, 1.0)
    seeds = np.ones(1, dtype=np.uint64)
    montecarlo.tally(offsets, seeds, 2)
    values32 = montecarlo.draw(offsets, samples, seeds, 0, 2)
    whole = np.array([0, 1], dtype=np.int64)
    montecarlo.count_overloads(values32, whole[:1], whole, 1.0, 0)
    moments = np.zeros((1, 3), dtype=np.int64)
    steps = np.arange(3, dtype=np.int64)
    one = np.zeros(1, dtype=np.int64)
    load = np.zeros((1, 3))
    overload.add_aligned(load, moments, moments, one, offsets, steps, samples, 3)
    hosts = np.zeros((3, 1, 2), dtype=np.int64)
    a, b, c = hosts
    response_time.join(a[0], b[0], c[0], 0, 1, 2)
    sums, broken = np.ones((2, 1)), np.zeros(1, dtype=np.bool_)
    response_time.admits(a, b, c, one + 1, sums[0], sums[1], broken, one + 9, 1, 2)
    response_time.response_times(one + 1, one + 2)
    swf.parse_lines(np.frombuffer(b"1 2\n", dtype=np.uint8), 2)
    sla.min_supply(1, 2, 5, 1)
    sla.min_budget(2, 1, 5, 1)
    sla.min_budget_over(2, (1, 5), (5, 6), False)
    terms, window = (1, 2, 1, 3, 1, 5), (0, 10, 2)
    misses.worst(terms, 2, 2, (0, 6, 2))
    level = np.zeros((misses.size_for(2, 5), 2), dtype=np.int64)
    value = np.zeros((*level.shape, 2), dtype=np.int64)
    misses.begin(1, 2, 0, level, value)
    misses.sweep(terms, window, 0, level, value, np.zeros((1, *value.shape), np.int64))
    _queue()


def _queue() -> None:
    whole, real = np.zeros(1, np.int64), np.zeros(1)
    one, size, speed = whole + 1, whole + 2, real + 1.0
    site = queue_state.Site(size, speed)
    work = queue_state.Work(real, one, speed, speed, whole, real)
    for promised in (False, True):
        marks = np.zeros(queue_state.MARKS, np.int64)
        marks[queue_state.ANSWER] = queue_state.NO_ANSWER
        marks[queue_state.HOLD] = -1
        state = queue_state.State(
            *(size.copy(), speed, real - 1.0, real.copy(), whole.copy(), whole.copy()),
            *(np.zeros(2), np.zeros(2, np.int64), np.zeros((1, 2)), whole.copy()),
            *(whole.copy(), np.zeros(2), marks),
            *(np.zeros(2), np.zeros(2, np.int64)),
        )
        if not promised:
            queueing.advance(site, work, state, 0, 0, False, True, False)
            continue
        promises = profiles.Profiles(
            *(np.zeros((1, 9)), np.full((1, 9), 2), one.copy()),
            *(real.copy(), real.copy(), real.copy()),
        )
        conservative.advance_promised(site, work, state, promises, 0, False)
        conservative.promise_ahead(
            size, speed, promises, 1, 1.0, 0, real, one, speed, 1
        )
        profiles.slot(promises.times[0], promises.level[0], 1, 0.0, 1.0, 1)
    queueing.reserve(site, work, state, 0, True, -1)
    ahead = lookahead.gather(real, one, speed, speed, real[:0], real, whole, 1, 0.0, 0)
    base = lookahead.believed_ends(real, speed, whole, one, speed, whole[:0], 0.0, 1)
    lookahead.decide(
        size, speed, size, base, 0, ahead, 0.0, whole, 2, True, 0, np.zeros(2)
    )
    lookahead.total(0, real, real, real, speed, speed)


if __name__ == "__main__":
    warm()
