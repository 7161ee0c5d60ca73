"""What the service believes of usage: gamma from moments, then samples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cotenant.demand.usage import Usage
from cotenant.service.asked import Moments, TaskSpec
from cotenant.service.believed import believe, merge, sharpen
from cotenant.service.declared import PRIOR, from_moments
from tests.strategies import samples

means = st.floats(1e-6, 1e9)
relatives = st.floats(1e-6, 30.0)


@settings(deadline=None, max_examples=200)
@given(mean=means, relative=relatives)
def test_moments_are_kept(mean: float, relative: float) -> None:
    usage = from_moments(mean, (relative * mean) ** 2)
    values, weights = usage.values, usage.weights
    assert (np.diff(values) > 0.0).all()
    assert values[0] >= 0.0
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert (values * weights).sum() == pytest.approx(mean, rel=1e-9)
    spread = (weights * (values - mean) ** 2).sum()
    assert spread == pytest.approx(usage.variance, rel=0.03)
    assert usage.observations == PRIOR


@pytest.mark.parametrize("relative", [0.2, 0.7, 1.5])
def test_tails_are_those_of_the_gamma_law(relative: float) -> None:
    usage = from_moments(2.0, (2.0 * relative) ** 2)
    law = stats.gamma(relative**-2, scale=2.0 * relative**2)
    for odds in (0.5, 0.1, 1e-2, 1e-3, 1e-5):
        level = law.isf(odds)
        above = usage.weights[usage.values > level].sum()
        assert odds / 2.1 < above < odds * 2.1


def test_a_usage_without_variance_is_one_value() -> None:
    for mean in (0.0, 0.3):
        usage = from_moments(mean, 0.0)
        assert (usage.values.tolist(), usage.weights.tolist()) == ([mean], [1.0])
    assert from_moments(0.0, 4.0).variance == 0.0


@settings(deadline=None)
@given(one=samples(), other=samples())
def test_merging_is_having_seen_all_samples(
    one: list[float], other: list[float]
) -> None:
    merged = merge(Usage.from_samples(one), Usage.from_samples(other))
    whole = Usage.from_samples(one + other)
    assert merged.observations == whole.observations
    assert merged.mean == pytest.approx(whole.mean, abs=1e-12)
    assert merged.variance == pytest.approx(whole.variance, abs=1e-12)
    assert merged.values == pytest.approx(whole.values)
    assert merged.weights == pytest.approx(whole.weights)


def test_merging_keeps_bounded_memory_and_exact_moments() -> None:
    random = np.random.default_rng(3)
    chunks = [random.gamma(2.0, 0.1, 200) for _ in range(20)]
    usage = Usage.from_samples(chunks[0])
    for chunk in chunks[1:]:
        usage = merge(usage, Usage.from_samples(chunk))
    everything = np.concatenate(chunks)
    assert len(usage.values) <= 512
    assert usage.mean == pytest.approx(everything.mean(), rel=1e-12)
    assert usage.variance == pytest.approx(everything.var(), rel=1e-12)
    assert usage.maximum == pytest.approx(everything.max(), rel=1e-3)
    ninth = np.quantile(everything, 0.9)
    assert usage.percentile(90.0) == pytest.approx(ninth, rel=0.01)


def test_a_declaration_fades_as_measurements_come_in() -> None:
    task = believe(TaskSpec("t", {"cpu": Moments(1.0, 0.1)}))
    for _ in range(10):
        task = sharpen(task, {"cpu": [0.2] * PRIOR})
    assert task.usage["cpu"].mean == pytest.approx((1.0 + 10 * 0.2) / 11)


def test_a_resource_that_was_not_declared_is_learnt() -> None:
    task = believe(TaskSpec("t", {"cpu": (0.5,)}))
    task = sharpen(task, {"memory": [3.0, 4.0]})
    assert task.usage["memory"].maximum == 4.0
    assert task.usage["cpu"].mean == 0.5
