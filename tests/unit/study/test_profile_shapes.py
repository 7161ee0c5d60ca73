import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.study.profile.parts import Absent
from cotenant.study.profile.shapes import Shapes, histograms, shapes
from tests.unit.study.series import series_of


@given(
    st.lists(
        st.lists(st.floats(0, 100, allow_subnormal=False), min_size=1, max_size=20),
        min_size=1,
        max_size=4,
    )
)
@settings(deadline=None, max_examples=60)
def test_histograms_count_every_sample_once_in_the_bin_it_lies_in(tasks):
    table = histograms(series_of(tasks), bins=10)
    assert table.shape == (len(tasks), 10)
    for row, task in zip(table, tasks, strict=True):
        expected = np.zeros(10)
        for value in task:
            share = value / max(task) if max(task) > 0 else 0.0
            expected[min(int(share * 10), 9)] += 1 / len(task)
        assert row == pytest.approx(expected)


def test_clusters_tell_shapes_apart_whatever_their_size():
    rng = np.random.default_rng(6)
    low = [rng.beta(2, 8, 400) * 10**k for k in rng.uniform(-3, 0, 40)]
    high = [rng.beta(8, 2, 400) * 10**k for k in rng.uniform(-3, 0, 20)]
    result = shapes(series_of([*low, *high]), clusters=2, bins=10)
    assert isinstance(result, Shapes)
    assert [row.tasks for row in result.rows] == [40, 20]
    assert result.rows[0].mean < 0.5 < result.rows[1].mean
    for row in result.rows:
        assert sum(row.histogram) == pytest.approx(1.0)


def test_the_same_seed_gives_the_same_clusters():
    rng = np.random.default_rng(7)
    series = series_of([rng.gamma(k, 1.0, 50) for k in rng.uniform(0.2, 5, 100)])
    assert shapes(series, seed=3) == shapes(series, seed=3)


@pytest.mark.parametrize("tasks", [0, 31])
def test_too_few_tasks_are_not_clustered(tasks):
    rng = np.random.default_rng(8)
    result = shapes(series_of([rng.random(30) for _ in range(tasks)]))
    assert isinstance(result, Absent)


def test_many_tasks_of_one_shape_are_not_clustered():
    assert isinstance(shapes(series_of([[1.0, 2.0]] * 100)), Absent)
