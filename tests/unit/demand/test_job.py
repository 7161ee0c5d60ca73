"""Jobs: validation, order, slicing."""

import math

import numpy as np
import pytest

from cotenant.demand.job import Job, Jobs
from cotenant.errors import InvalidInput


def some(**other: object) -> Jobs:
    given = {
        "submit_s": [0.0, 5.0, 5.0],
        "processors": [2, 8, 1],
        "runtime_s": [30.0, 20.0, 60.0],
    }
    return Jobs.of(**(given | other))


def test_jobs_are_sorted_by_submission_and_ties_keep_their_order() -> None:
    jobs = some(submit_s=[9.0, 3.0, 3.0])
    assert jobs.id.tolist() == [2, 3, 1]
    assert jobs.submit_s.tolist() == [3.0, 3.0, 9.0]
    assert jobs.processors.tolist() == [8, 1, 2]


def test_a_job_is_a_row_and_iteration_gives_all_rows() -> None:
    jobs = some(estimate_s=[60.0, math.nan, 10.0])
    assert jobs[0] == Job(1, 0.0, 2, 30.0, 60.0)
    assert math.isnan(jobs[1].estimate_s)
    assert [job.id for job in jobs] == [1, 2, 3]


def test_columns_left_out_are_unknown() -> None:
    jobs = some()
    assert jobs.user.tolist() == [-1, -1, -1]
    assert np.isnan(jobs.estimate_s).all()
    assert np.isnan(jobs.waited_s).all()


def test_the_first_jobs_are_those_submitted_first() -> None:
    jobs = some()
    assert jobs.first(2).id.tolist() == [1, 2]
    assert len(jobs.first(9)) == 3
    assert len(jobs.first(0)) == 0
    with pytest.raises(InvalidInput, match="first is -1"):
        jobs.first(-1)


def test_selected_jobs_share_no_memory_with_the_others() -> None:
    jobs = some()
    jobs.select(np.array([True, False, True])).runtime_s[:] = 1.0
    assert jobs.runtime_s.tolist() == [30.0, 20.0, 60.0]


def test_work_and_span_are_sums_and_differences() -> None:
    jobs = some()
    assert jobs.work == 2 * 30 + 8 * 20 + 60
    assert jobs.span_s == 5.0
    assert jobs.first(0).span_s == 0.0


def test_new_times_sort_all_columns_again() -> None:
    jobs = some(user=[7, 8, 9], origin_s=100.0)
    moved = jobs.submitted_at(np.array([4.0, 1.0, 4.0]))
    assert moved.id.tolist() == [2, 1, 3]
    assert moved.user.tolist() == [8, 7, 9]
    assert moved.origin_s == 100.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"processors": [2, 0, 1]}, "job 2 has processors = 0; expected 1 or more"),
        ({"runtime_s": [1.0, 1.0, 0.0]}, "job 3 has runtime_s = 0.0"),
        ({"runtime_s": [1.0, 1.0, math.inf]}, "job 3 has runtime_s = inf"),
        ({"estimate_s": [1.0, -5.0, 1.0]}, "job 2 has estimate_s = -5.0"),
        ({"submit_s": [0.0, math.nan, 1.0]}, "has submit_s = nan"),
        ({"id": [4, 4, 5]}, "two jobs have the same id"),
        ({"user": [1, 2]}, "2 values of user; expected 3"),
        ({"speed": [1, 2, 3]}, "no column 'speed'"),
    ],
)
def test_a_wrong_value_is_named_with_its_job(
    wrong: dict[str, object], words: str
) -> None:
    with pytest.raises(InvalidInput, match=words):
        some(**wrong)
