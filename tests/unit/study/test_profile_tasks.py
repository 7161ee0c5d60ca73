import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.study.profile.bias import Bias, bias
from cotenant.study.profile.parts import Absent
from cotenant.study.profile.tasks import Spread, spread, variance_factor
from tests.unit.study.series import series_of

samples = st.lists(
    st.lists(st.floats(0.01, 1.0), min_size=1, max_size=12), min_size=1, max_size=5
)


@given(samples, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=50)
def test_bias_against_averages_is_the_difference_of_the_first_means(tasks, random):
    averages = [[random.uniform(0.1, 1.0) for _ in task] for task in tasks]
    result = bias(series_of(tasks), series_of(averages), records=(1, 3, 5))
    assert isinstance(result, Bias)
    for row in result.rows:
        k = row.records
        differences = [
            sum(task[:k]) / sum(other[:k]) - 1
            for task, other in zip(tasks, averages, strict=True)
            if len(task) >= k
        ]
        assert row.tasks == len(differences)
        assert row.mean == pytest.approx(np.mean(differences), abs=1e-9)
        assert row.difference.p95 == pytest.approx(np.percentile(differences, 95))


def test_bias_alone_needs_twice_the_records_and_shrinks_with_them():
    rng = np.random.default_rng(5)
    tasks = [rng.exponential(1.0, 100) for _ in range(300)]
    result = bias(series_of(tasks), records=(1, 10, 50, 51))
    assert isinstance(result, Bias)
    assert result.against == "all samples"
    assert [row.records for row in result.rows] == [1, 10, 50]
    widths = [row.difference.p95 - row.difference.p5 for row in result.rows]
    assert widths[0] > 2 * widths[1] > 4 * widths[2]


def test_bias_alone_draws_its_samples_from_the_whole_task():
    rising = [np.arange(1.0, 101.0) for _ in range(400)]
    result = bias(series_of(rising), records=(10,))
    assert isinstance(result, Bias)
    # The first ten have a mean of 5.5 against 50.5: far outside.
    assert abs(result.rows[0].mean) < 0.05


def test_bias_leaves_out_tasks_whose_better_mean_is_zero():
    result = bias(series_of([[1.0], [2.0]]), series_of([[0.0], [1.0]]), records=(1,))
    assert isinstance(result, Bias)
    assert (result.rows[0].tasks, result.rows[0].mean) == (1, 1.0)


def test_bias_says_when_no_task_has_enough():
    assert isinstance(bias(series_of([[1.0]])), Absent)
    assert isinstance(bias(series_of([])), Absent)


def test_spread_finds_a_line_that_is_there():
    rng = np.random.default_rng(1)
    tasks = []
    for mean in np.linspace(0.1, 0.9, 50):
        away = rng.normal(size=40)
        away = (away - away.mean()) / away.std()
        tasks.append(mean + (0.3 * mean + 0.02) * away)
    series = series_of(tasks)
    result = spread([("samples", series, np.ones(len(series.values)))])
    assert isinstance(result, Spread)
    (row,) = result.rows
    assert (row.slope, row.offset) == pytest.approx((0.3, 0.02))
    assert row.r_squared == pytest.approx(1.0)
    assert row.mean == pytest.approx(0.5)
    assert len(row.points) == 50


def test_spread_is_the_least_squares_line_and_heeds_weights():
    rng = np.random.default_rng(2)
    series = series_of([rng.gamma(k, 0.1, 30) for k in range(1, 30)])
    weights = np.ones(len(series.values))
    weights[::2] = 3.0
    result = spread([("samples", series, weights)])
    assert isinstance(result, Spread)
    mean, deviation = [], []
    for low, high in zip(series.offsets[:-1], series.offsets[1:], strict=True):
        values, w = series.values[low:high], weights[low:high]
        mean.append(np.average(values, weights=w))
        deviation.append(np.sqrt(np.average((values - mean[-1]) ** 2, weights=w)))
    slope, offset = np.polyfit(mean, deviation, 1)
    assert result.rows[0].slope == pytest.approx(slope)
    assert result.rows[0].offset == pytest.approx(offset)


def test_spread_leaves_out_a_kind_with_too_few_tasks():
    two = series_of([[1.0, 2.0], [1.0, 3.0]])
    assert isinstance(spread([("samples", two, np.ones(4))]), Absent)


def test_variance_factor_is_the_ratio_of_summed_variances():
    result = variance_factor(
        series_of([[0.0, 4.0], [0.0, 2.0]]), series_of([[1.0, 3.0], [0.5, 1.5]])
    )
    assert not isinstance(result, Absent)
    (row,) = result.rows
    assert row.factor == pytest.approx((4 + 1) / (1 + 0.25))
    assert row.of_tasks.p50 == pytest.approx(4.0)


def test_variance_factor_says_when_there_is_nothing_to_compare():
    assert isinstance(variance_factor(series_of([]), series_of([])), Absent)
    flat = series_of([[1.0, 1.0]])
    assert isinstance(variance_factor(series_of([[0.0, 2.0]]), flat), Absent)
