import numpy as np
import pytest
from scipy.stats import norm

from cotenant.study.profile.parts import Absent
from cotenant.study.profile.percentiles import PercentileError, percentile_error
from cotenant.study.profile.sums import (
    CRITICAL,
    Normality,
    Realised,
    anderson_darling,
    normality,
    realise,
)
from tests.unit.study.series import series_of


def realised(draw, tasks: int = 40, realisations: int = 4_000) -> Realised:
    usage = draw((tasks, realisations)).astype(np.float32)
    return Realised(usage, usage.mean(axis=1), usage.var(axis=1).astype(np.float64))


def test_anderson_darling_is_its_textbook_sum():
    values = np.random.default_rng(1).gamma(3.0, 1.0, 50)
    z = (np.sort(values) - values.mean()) / values.std(ddof=1)
    total = sum(
        (2 * i - 1) * (norm.logcdf(z[i - 1]) + norm.logsf(z[50 - i]))
        for i in range(1, 51)
    )
    square = -50 - total / 50
    expected = square * (1 + 0.75 / 50 + 2.25 / 50**2)
    assert anderson_darling(values) == pytest.approx(expected)


def test_constant_sums_are_never_normal():
    assert anderson_darling(np.ones(100)) == np.inf


def test_the_critical_value_rejects_one_of_twenty_normal_samples():
    rng = np.random.default_rng(2)
    statistics = [anderson_darling(rng.normal(2, 3, 200)) for _ in range(4_000)]
    # Four standard errors of a share of 5 % in 4,000.
    assert np.mean(np.array(statistics) > CRITICAL) == pytest.approx(0.05, abs=0.014)


def test_normal_tasks_are_accepted_and_skewed_ones_rejected_less_in_larger_sums():
    rng = np.random.default_rng(3)
    calm = normality(realised(lambda s: rng.normal(5, 1, s)), sizes=(10,))
    assert isinstance(calm, Normality)
    # Groups share tasks, so the share varies more than that of independent tests.
    assert calm.rows[0].rejected < 0.2
    skewed = realised(lambda s: rng.exponential(1.0, s), tasks=1_000, realisations=1000)
    result = normality(skewed, sizes=(10, 500))
    assert isinstance(result, Normality)
    assert result.rows[0].rejected == 1.0
    assert result.rows[1].rejected < 0.6
    assert result.rows[1].mean_load == pytest.approx(500, rel=0.02)


def test_gaussian_percentiles_are_right_for_normal_tasks():
    rng = np.random.default_rng(4)
    result = percentile_error(
        realised(lambda s: rng.normal(5, 1, s), realisations=20_000), sizes=(10, 20)
    )
    assert isinstance(result, PercentileError)
    assert len(result.rows) == 6
    for row in result.rows:
        assert abs(row.mean) < 0.003


def test_gaussian_percentiles_promise_too_much_for_skewed_tasks():
    rng = np.random.default_rng(5)
    result = percentile_error(realised(lambda s: rng.exponential(1.0, s)), sizes=(10,))
    assert isinstance(result, PercentileError)
    found = {row.percentile: row for row in result.rows}
    # The sum of ten is gamma(10): its 99.9th percentile is 22.66, the Gaussian's 19.77.
    assert found[99.9].mean == pytest.approx(19.77 / 22.66 - 1, abs=0.03)
    assert found[99.9].error.p5 <= found[99.9].error.p50 <= found[99.9].error.p95


def test_realisations_are_samples_of_their_own_task():
    series = series_of([[1.0, 2.0], [3.0], [4.0, 5.0, 6.0]])
    result = realise(series, realisations=2_000, seed=1)
    assert result.usage.shape == (3, 2_000)
    assert [set(row.tolist()) for row in result.usage] == [{1, 2}, {3}, {4, 5, 6}]
    assert result.usage[2].mean() == pytest.approx(5.0, abs=0.1)
    assert result.mean.tolist() == [1.5, 3.0, 5.0]


def test_many_tasks_are_represented_by_some():
    series = series_of([[float(k)] for k in range(100)])
    result = realise(series, realisations=3, most_tasks=10)
    assert result.usage.shape == (10, 3)
    assert len(set(result.mean.tolist())) == 10


def test_sizes_above_half_of_the_tasks_are_left_out():
    rng = np.random.default_rng(6)
    result = normality(realised(lambda s: rng.random(s)), sizes=(20, 21), groups=3)
    assert isinstance(result, Normality)
    assert [row.tasks for row in result.rows] == [20]


@pytest.mark.parametrize("figure", [normality, percentile_error])
def test_too_few_tasks_are_said(figure):
    rng = np.random.default_rng(7)
    result = figure(realised(lambda s: rng.random(s), tasks=19))
    assert result == Absent("groups of 10 tasks need 20 tasks; 19 left")
