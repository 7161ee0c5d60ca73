import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotenant.demand.usage import ATOMS, Usage, usages
from cotenant.errors import InvalidInput
from tests.strategies import samples


@given(drawn=samples(size=30))
def test_moments_are_those_of_numpy(drawn: list[float]) -> None:
    usage = Usage.from_samples(drawn)
    assert usage.mean == pytest.approx(np.mean(drawn))
    assert usage.variance == pytest.approx(np.var(drawn), abs=1e-15)
    assert usage.observations == len(drawn)


@given(drawn=samples(size=30))
def test_values_and_weights_are_the_counted_samples(drawn: list[float]) -> None:
    usage = Usage.from_samples(drawn)
    values, counts = np.unique(drawn, return_counts=True)
    assert usage.values.tolist() == values.tolist()
    assert usage.weights == pytest.approx(counts / len(drawn))


@given(drawn=samples(size=30), percent=st.sampled_from([0, 5, 50, 95, 99, 100]))
def test_percentiles_are_the_least_value_that_covers(
    drawn: list[float], percent: float
) -> None:
    expected = np.percentile(drawn, percent, method="inverted_cdf")
    assert Usage.from_samples(drawn).percentile(percent) == expected


def test_many_distinct_samples_are_merged_but_keep_mean_and_ends() -> None:
    drawn = np.random.default_rng(0).lognormal(-3, 1, 20_000)
    usage = Usage.from_samples(drawn)
    assert len(usage.values) <= ATOMS
    assert usage.values[0] == drawn.min()
    assert usage.maximum == drawn.max()
    assert usage.weights.sum() == pytest.approx(1.0)
    assert (usage.values * usage.weights).sum() == pytest.approx(drawn.mean())
    step = (drawn.max() - drawn.min()) / (ATOMS - 2)
    for percent in (1, 50, 99, 99.9):
        exact = np.percentile(drawn, percent, method="inverted_cdf")
        assert abs(usage.percentile(percent) - exact) <= step


def test_weights_count_for_moments_and_values() -> None:
    offsets = np.array([0, 3], dtype=np.int64)
    made = usages(offsets, np.array([0.1, 0.3, 0.1]), np.array([1.0, 2.0, 1.0]))
    assert made[0].mean == pytest.approx(0.2)
    assert made[0].weights == pytest.approx([0.5, 0.5])


def test_a_steady_task_has_no_variance_at_any_level() -> None:
    assert Usage.from_samples([1e9 + 0.1] * 100).variance == 0.0


@pytest.mark.parametrize("drawn", [[], [0.1, -0.1], [float("nan")], [float("inf")]])
def test_samples_that_cannot_be_are_refused(drawn: list[float]) -> None:
    with pytest.raises(InvalidInput, match="samples"):
        Usage.from_samples(drawn)


def test_a_usage_of_moments_alone_has_no_percentile() -> None:
    usage = Usage(0.1, 0.01, np.empty(0), np.empty(0), 0)
    with pytest.raises(InvalidInput, match="moments only"):
        usage.percentile(95)
