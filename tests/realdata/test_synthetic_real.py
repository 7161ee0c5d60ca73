"""Our generators against the reference pools made elsewhere from the same recipe."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import ks_2samp

from cotenant.traces.synthetic import heavy, matched

DATA = Path(
    os.environ.get("COTENANT_DATA", Path(__file__).parents[3] / "shared" / "data")
)
POOLS = {"matched": matched, "heavy": heavy}
# The chance that a right generator fails: 13 comparisons a pool, each at 4 standard
# errors or at this level.
LEVEL = 1e-4

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(
        not (DATA / "synthetic").is_dir(), reason="no reference pools here"
    ),
]


@pytest.fixture(scope="module", params=sorted(POOLS))
def both(request: pytest.FixtureRequest) -> tuple[pl.DataFrame, pl.DataFrame]:
    reference = pl.read_parquet(DATA / "synthetic" / f"{request.param}-10k.parquet")
    ours = POOLS[request.param](10_000, seed=0, averages=True)
    # The reference is rounded, 1e-5 at most: far below every standard error here.
    return tasks_of(ours), tasks_of(reference)


def tasks_of(pool: pl.DataFrame) -> pl.DataFrame:
    def third(name: str) -> pl.Expr:
        return ((pl.col(name) - pl.col(name).mean()) ** 3).mean()

    return pool.group_by("task", maintain_order=True).agg(
        samples=pl.len(),
        cpu=pl.col("cpu").mean(),
        cpu_variance=pl.col("cpu").var(ddof=0),
        cpu_third=third("cpu"),
        cpu_peak=pl.col("cpu").max(),
        cpu_mean=pl.col("cpu_mean").mean(),
        cpu_mean_variance=pl.col("cpu_mean").var(ddof=0),
        cpu_mean_third=third("cpu_mean"),
    )


def line(tasks: pl.DataFrame, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Fit std = slope * mean + offset; heteroscedasticity-consistent errors."""
    x = np.column_stack([tasks[column], np.ones(tasks.height)])
    y = np.sqrt(tasks[f"{column}_variance"].to_numpy())
    inverse = np.linalg.inv(x.T @ x)
    fit = inverse @ x.T @ y
    meat = (x * ((y - x @ fit) ** 2)[:, None]).T @ x
    return fit, np.sqrt(np.diag(inverse @ meat @ inverse))


@pytest.mark.parametrize(
    "column",
    [
        *("samples", "cpu", "cpu_variance", "cpu_third", "cpu_peak"),
        *("cpu_mean", "cpu_mean_variance", "cpu_mean_third"),
    ],
)
def test_the_average_over_tasks_agrees_within_four_standard_errors(
    both: tuple[pl.DataFrame, pl.DataFrame], column: str
) -> None:
    ours, reference = (tasks[column].to_numpy() for tasks in both)
    error = np.sqrt(ours.var() / ours.size + reference.var() / reference.size)
    assert abs(ours.mean() - reference.mean()) <= 4 * error


@pytest.mark.parametrize("column", ["cpu", "cpu_mean"])
def test_the_line_of_deviation_on_mean_agrees_within_four_standard_errors(
    both: tuple[pl.DataFrame, pl.DataFrame], column: str
) -> None:
    (ours, our_error), (reference, its_error) = (line(tasks, column) for tasks in both)
    assert (abs(ours - reference) <= 4 * np.hypot(our_error, its_error)).all()


@pytest.mark.parametrize("column", ["samples", "cpu", "cpu_variance"])
def test_the_distribution_over_tasks_is_the_same_by_kolmogorov_and_smirnov(
    both: tuple[pl.DataFrame, pl.DataFrame], column: str
) -> None:
    ours, reference = (tasks[column].to_numpy() for tasks in both)
    assert ks_2samp(ours, reference).pvalue > LEVEL
