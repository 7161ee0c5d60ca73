"""Every allocator of the table keeps the promises of `queueing/allocators.py`."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.demand.job import Jobs
from cotenant.fleet import Cluster
from cotenant.queueing import ALLOCATORS
from cotenant.queueing.allocators import Answer, WaitFor
from cotenant.queueing.clusters import Clusters
from cotenant.queueing.order import ORDERS
from cotenant.queueing.view import View
from cotenant.sim.jobs import run_queue


def _kept(view: View) -> tuple[object, ...]:
    # Two arrays of the state are room to work in.
    used = set(view.state._fields) - {"leaving", "leavers"}
    state = [getattr(view.state, name) for name in sorted(used)]
    return (state, view.profiles, view.work, view.site)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", ALLOCATORS)
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_answers_have_room_and_nothing_is_changed(
    name: str, order: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    clusters = Clusters.of(
        [Cluster(int(p), float(rng.choice([1, 2, 5]))) for p in rng.integers(1, 9, 3)]
    )
    jobs = Jobs.of(
        submit_s=np.sort(rng.integers(0, 100, 15)),
        processors=rng.integers(1, clusters.largest + 1, 15),
        runtime_s=rng.integers(1, 50, 15),
    )

    def watched(view: View) -> Answer:
        before = copy.deepcopy(_kept(view))
        answer = ALLOCATORS[name](view)
        after = _kept(view)
        for old, new in zip(before, after, strict=True):
            assert str(old) == str(new)
        if isinstance(answer, WaitFor):
            assert view.is_head
            assert clusters.size[answer.cluster] >= view.need
        else:
            may = view.large if order == "conservative" else view.room
            assert answer is None or answer in may
        return answer

    run = run_queue(jobs, clusters, watched, order)
    assert (run.cluster >= 0).all()
