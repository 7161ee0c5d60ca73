"""Packing in one kernel answers like the engine, task by task."""

import numpy as np
import pytest

from cotenant.colocate.pack import pack
from cotenant.demand.task import Task
from cotenant.fleet import Fleet
from cotenant.planning.problem import Selection, make_problem
from cotenant.study.grid import Run, asks_rho
from cotenant.study.grid_packing import pack_run
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import heavy, matched

METHODS = (
    "gaussian",
    "esscher",
    "exact",
    "mean:1.25",
    "percentile:95",
    "max",
    "cantelli:1.7",
    "cantelli",
)


def tasks(seed: int) -> list[Task]:
    made = (matched, heavy)[seed % 2](250, seed)
    return make_problem(from_frame(made, "fraction"), Selection()).tasks


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rule", ["best-fit", "first-fit"])
@pytest.mark.parametrize("rebalance", [True, False])
def test_machines_are_those_of_the_engine(
    method: str, rule: str, rebalance: bool
) -> None:
    for seed, capacity in enumerate((1.0, 0.4)):
        rho = 0.01 if asks_rho(method) else None
        run = Run(method, rho, rule, capacity, rebalance=rebalance)
        some = tasks(seed)
        packing = pack(some, Fleet.of_equal({"cpu": capacity}), run.policy(0))
        place = {t.name: m for m, on in enumerate(packing.tasks) for t in on}
        expected = [place.get(task.name, -1) for task in some]
        assert pack_run(some, run, 0).tolist() == expected
        assert len(packing.unplaced) == np.sum(np.array(expected) == -1)
        if capacity < 1 and method == "max":
            assert packing.unplaced
