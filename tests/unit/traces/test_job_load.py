"""Streams made denser and shaken."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.demand.job import Jobs
from cotenant.errors import InvalidInput
from cotenant.fleet import Cluster
from cotenant.traces.jobs.load import offered_load, replicas, scaled_to_load, shaken

JOBS = Jobs.of(
    submit_s=[0, 100, 100, 200], processors=[4, 1, 2, 8], runtime_s=[50, 100, 25, 50]
)


def test_the_offered_load_is_work_over_what_the_clusters_can_do() -> None:
    # 200 + 100 + 50 + 400 processor seconds; 200 s on 8 at speed 1 and 2 at speed 4
    clusters = [Cluster(8), Cluster(2, 4.0)]
    assert offered_load(JOBS, clusters) == 750 / (200 * 16)


@settings(deadline=None)
@given(load=st.floats(0.01, 20.0))
def test_scaled_jobs_offer_the_load_and_keep_everything_else(load: float) -> None:
    clusters = [Cluster(8), Cluster(2, 4.0)]
    scaled = scaled_to_load(JOBS, clusters, load)
    assert offered_load(scaled, clusters) == pytest.approx(load, rel=1e-12)
    assert scaled.id.tolist() == JOBS.id.tolist()
    assert scaled.runtime_s.tolist() == JOBS.runtime_s.tolist()
    assert scaled.submit_s[1] == scaled.submit_s[2]
    assert scaled.submit_s[1] == pytest.approx(scaled.submit_s[3] / 2)


def test_a_load_that_no_factor_gives_is_refused() -> None:
    with pytest.raises(InvalidInput, match="load is 0"):
        scaled_to_load(JOBS, [Cluster(8)], 0.0)
    with pytest.raises(InvalidInput, match="one moment"):
        scaled_to_load(JOBS.first(1), [Cluster(8)], 0.5)


def test_shaking_moves_each_job_within_bounds_and_not_before_second_0() -> None:
    many = Jobs.of(
        submit_s=np.arange(5000) * 40.0,
        processors=np.ones(5000),
        runtime_s=np.ones(5000),
    )
    moved = shaken(many, 30.0, np.random.default_rng(3))
    shift = moved.submit_s - (moved.id - 1) * 40.0
    assert moved.submit_s[0] >= 0.0
    assert np.abs(shift).max() <= 30.0
    assert shift.min() < -29.0
    assert shift.max() > 29.0
    assert abs(shift.mean()) < 4 * 30.0 / np.sqrt(3 * 5000)
    assert (moved.id != many.id).any()  # 40 s apart, so some overtake


def test_shaking_by_nothing_changes_nothing() -> None:
    moved = shaken(JOBS, 0.0, np.random.default_rng(0))
    assert moved.id.tolist() == JOBS.id.tolist()
    assert moved.submit_s.tolist() == JOBS.submit_s.tolist()


def test_replicas_differ_repeat_and_do_not_depend_on_their_number() -> None:
    few = [r.submit_s.tolist() for r in replicas(JOBS, 30.0, 2, seed=5)]
    more = [r.submit_s.tolist() for r in replicas(JOBS, 30.0, 4, seed=5)]
    other = [r.submit_s.tolist() for r in replicas(JOBS, 30.0, 2, seed=6)]
    assert more[:2] == few
    assert len({tuple(r) for r in more + other}) == 6


@pytest.mark.parametrize(
    ("seconds", "count", "seed"), [(-1.0, 1, 0), (1.0, 0, 0), (1.0, 1, -1)]
)
def test_shaking_options_out_of_range_are_refused(
    seconds: float, count: int, seed: int
) -> None:
    with pytest.raises(InvalidInput):
        list(replicas(JOBS, seconds, count, seed))
