"""One problem of a grid: realisations drawn once, packed and judged by every run."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.demand.task import Task
from cotenant.demand.usage import Usage, usages
from cotenant.kernels import montecarlo as kernel
from cotenant.metrics import machines_above
from cotenant.study.grid import DISTRIBUTIONS, Grid, Run, make_grid
from cotenant.study.grid_judging import Judge
from cotenant.study.grid_packing import pack_run
from cotenant.study.grid_pool import Samples, open_pool

AT_ONCE = 1_000  # realisations in memory


@dataclass(frozen=True, slots=True)
class _Problem:
    """Tasks of one problem, with a stream of realisations for each kind of data."""

    samples: Samples
    seeds: dict[str, kernel.Seeds]
    truth: list[Usage]

    @classmethod
    def draw(cls, grid: Grid, number: int) -> "_Problem":
        random = np.random.default_rng([grid.seed, number])
        pool = open_pool(grid.pool, grid.seed)
        enough = pool.size >= grid.tasks
        chosen = random.choice(pool.size, grid.tasks, replace=not enough)
        samples = pool.take(chosen.astype(np.int64))
        seeds = {
            data: random.integers(2**64, size=grid.tasks, dtype=np.uint64)
            for data in ("instantaneous", "averages")
        }
        values = samples.instantaneous
        truth = usages(samples.offsets, values, np.ones(len(values)))
        return cls(samples, seeds, truth)

    def seen(self, data: str, realisations: int) -> list[Task]:
        """Return what the first realisations tell of each task."""
        if data == DISTRIBUTIONS:
            return [_task(number, usage) for number, usage in enumerate(self.truth)]
        values = self.samples.of(data)
        counts = kernel.tally(self.samples.offsets, self.seeds[data], realisations)
        drawn = counts > 0
        ends = np.concatenate([[0], np.cumsum(drawn)])[self.samples.offsets]
        made = usages(ends, values[drawn], counts[drawn].astype(np.float64))
        return [
            _task(number, replace(usage, observations=realisations))
            for number, usage in enumerate(made)
        ]


def _task(number: int, usage: Usage) -> Task:
    return Task(f"t{number}", {"cpu": usage})


@dataclass(frozen=True, slots=True)
class _Packed:
    """Where a run put the tasks: machine m has `tasks[ends[m]:ends[m + 1]]`."""

    run: Run
    start: int
    tasks: IntArray
    ends: IntArray
    unplaced: int

    @classmethod
    def of(cls, run: Run, start: int, machine: IntArray) -> "_Packed":
        order = np.argsort(machine, kind="stable")
        unplaced = int((machine < 0).sum())
        tasks = order[unplaced:].astype(np.int64)
        machines = int(machine.max(initial=-1)) + 1
        ends = np.searchsorted(machine[tasks], np.arange(machines + 1))
        return cls(run, start, tasks, ends.astype(np.int64), unplaced)


def run_cell(text: str) -> dict[str, Any]:
    """Pack and judge one problem by every run of its grid.

    Returns, for each run, machines, unplaced tasks, overloads counted and moments
    looked at, and where asked for the computed overload: mean, worst machine, machines
    above rho.
    """
    cell = json.loads(text)
    grid = _grid(json.dumps(cell["grid"]))
    problem = _Problem.draw(grid, cell["problem"])
    packed = _pack(grid, problem, cell["problem"])
    counts = _count(grid, problem, packed)
    mean = sum(usage.mean for usage in problem.truth)
    judge = Judge(problem.truth)
    rows = []
    for one, count in zip(packed, counts, strict=True):
        machines = len(one.ends) - 1
        row: dict[str, Any] = {
            "machines": machines,
            "unplaced": one.unplaced,
            "overloaded": count,
            "moments": machines * (grid.realisations - one.start),
        }
        if grid.exact:
            row |= _exact(one, judge.overload(one.tasks, one.ends, one.run.capacity))
        rows.append(row)
    cleaning = open_pool(grid.pool, grid.seed).cleaning
    return {"mean_load": mean, "runs": rows, "cleaning": dict(cleaning)}


@lru_cache(maxsize=2)
def _grid(text: str) -> Grid:
    return make_grid(json.loads(text))


def _pack(grid: Grid, problem: _Problem, number: int) -> list[_Packed]:
    seen: dict[tuple[str, int], list[Task]] = {}
    packed = []
    for run in grid.runs:
        key = (run.data, grid.observed(run))
        if key not in seen:
            seen[key] = problem.seen(*key)
        machine = pack_run(seen[key], run, grid.seed + number)
        packed.append(_Packed.of(run, grid.judged_from(run), machine))
    return packed


def _count(grid: Grid, problem: _Problem, packed: Sequence[_Packed]) -> list[int]:
    samples, seeds = problem.samples, problem.seeds["instantaneous"]
    counts = [0] * len(packed)
    for first in range(0, grid.realisations, AT_ONCE):
        last = min(first + AT_ONCE, grid.realisations)
        if all(one.start >= last for one in packed):
            continue
        values = kernel.draw(samples.offsets, samples.instantaneous, seeds, first, last)
        for number, one in enumerate(packed):
            start = max(one.start - first, 0)
            if start < last - first:
                counts[number] += kernel.count_overloads(
                    values, one.tasks, one.ends, one.run.capacity, start
                )
    return counts


def _exact(one: _Packed, overload: FloatArray) -> dict[str, Any]:
    rho = one.run.rho
    above = None if rho is None else machines_above(overload, rho)
    worst = float(overload.max(initial=0.0))
    mean = float(overload.mean()) if len(overload) else 0.0
    return {"mean": mean, "worst_machine": worst, "machines_above_rho": above}
