"""Judging many packings at once answers like judging them machine by machine."""

from itertools import pairwise

import numpy as np
import pytest

from cotenant.demand.usage import Usage
from cotenant.planning.problem import Selection, make_problem
from cotenant.sim.judge import Carried, judge_exact
from cotenant.study.grid_judging import Judge
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import heavy


@pytest.mark.parametrize("capacity", [1.0, 0.37])
def test_overloads_are_those_of_judge_exact(capacity: float) -> None:
    made = make_problem(from_frame(heavy(60), "fraction"), Selection()).tasks
    truth = [task.usage["cpu"] for task in made]
    # A value on the capacity itself, and a task alone on its machine.
    truth.append(Usage.from_samples([0.0, capacity, 2 * capacity]))
    judge = Judge(truth)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(truth))
        ends = np.array([0, 1, 20, 40, len(truth)])
        held = [[truth[i] for i in order[low:high]] for low, high in pairwise(ends)]
        expected = judge_exact([Carried(capacity, usages) for usages in held])
        found = judge.overload(order, ends, capacity)
        assert found == pytest.approx(expected.overload, rel=1e-12, abs=1e-18)
    alone = judge.overload(np.array([60]), np.array([0, 1]), capacity)
    assert alone[0] == pytest.approx(1 / 3)
