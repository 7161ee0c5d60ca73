"""The synthetic pools and the daily trace: repeatable, cut to size, calibrated."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from cotenant.errors import InvalidInput
from cotenant.traces.schema import ATTRIBUTES, SAMPLES
from cotenant.traces.synthetic import daily, heavy, matched

POOLS = [pytest.param(matched, id="matched"), pytest.param(heavy, id="heavy")]

# Published or designed value, and the standard deviation of the statistic from one pool
# of 5,000 tasks to the next (12 seeds).
CALIBRATION = [
    (matched, "mean", 0.0271, 3.7e-4),
    (matched, "variance", 7.9e-4, 1.1e-5),
    (matched, "third cumulant", 1.8e-5, 3.9e-7),
    (matched, "slope", 0.43, 0.0068),
    (matched, "offset", 0.0134, 2.3e-4),
    (matched, "slope of averages", 0.35, 0.0053),
    (matched, "offset of averages", 0.0096, 1.7e-4),
    (heavy, "mean", 0.0257, 4.7e-4),
    (heavy, "variance", 7.3e-4, 2.0e-5),
    (heavy, "third cumulant", 7.5e-5, 6.4e-6),
    (heavy, "slope", 0.41, 0.0084),
    (heavy, "offset", 0.0107, 2.0e-4),
]
Pool = Callable[..., pl.DataFrame]


def statistics(pool: pl.DataFrame) -> dict[str, float]:
    centred = pl.col("cpu") - pl.col("cpu").mean()
    tasks = pool.group_by("task", maintain_order=True).agg(
        mean=pl.col("cpu").mean(),
        std=pl.col("cpu").std(ddof=0),
        third=(centred**3).mean(),
        averages_mean=pl.col("cpu_mean").mean(),
        averages_std=pl.col("cpu_mean").std(ddof=0),
    )
    slope, offset = np.polyfit(tasks["mean"], tasks["std"], 1)
    averages = np.polyfit(tasks["averages_mean"], tasks["averages_std"], 1)
    return {
        "mean": float(tasks["mean"].to_numpy().mean()),
        "variance": float((tasks["std"].to_numpy() ** 2).mean()),
        "third cumulant": float(tasks["third"].to_numpy().mean()),
        "slope": slope,
        "offset": offset,
        "slope of averages": averages[0],
        "offset of averages": averages[1],
    }


@pytest.fixture(scope="module")
def of_5000() -> dict[Pool, dict[str, float]]:
    return {
        pool: statistics(pool(5000, seed=2, averages=True)) for pool in (matched, heavy)
    }


@pytest.mark.parametrize(("pool", "name", "expected", "deviation"), CALIBRATION)
def test_a_pool_of_5000_has_the_moments_it_was_designed_for(
    of_5000: dict[Pool, dict[str, float]],
    pool: Pool,
    name: str,
    expected: float,
    deviation: float,
) -> None:
    assert of_5000[pool][name] == pytest.approx(expected, abs=4 * deviation)


@pytest.mark.parametrize("pool", POOLS)
def test_the_same_seed_gives_the_same_pool_and_another_seed_another(pool: Pool) -> None:
    assert pool(20, seed=3).equals(pool(20, seed=3))
    assert not pool(20, seed=3).equals(pool(20, seed=4))


@pytest.mark.parametrize("pool", POOLS)
def test_a_small_pool_is_the_beginning_of_a_large_one(pool: Pool) -> None:
    few, many = pool(10, seed=1, averages=True), pool(40, seed=1, averages=True)
    assert few.equals(many.head(few.height))


@pytest.mark.parametrize("pool", POOLS)
def test_asking_for_averages_does_not_change_the_samples(pool: Pool) -> None:
    assert pool(20).equals(pool(20, averages=True).drop("cpu_mean"))


@pytest.mark.parametrize("pool", POOLS)
def test_pools_have_canonical_columns_and_stay_in_range(pool: Pool) -> None:
    rows = pool(300, averages=True)
    assert rows.schema == {name: SAMPLES[name] for name in ("task", "cpu", "cpu_mean")}
    assert rows["task"].n_unique() == 300
    assert rows["cpu"].is_between(0.0, 1.0).all()
    assert rows["cpu_mean"].is_between(0.0, 1.0).all()
    assert rows.group_by("task").len()["len"].is_between(24, 2000).all()


def test_averages_keep_the_mean_of_every_task_and_lose_variance() -> None:
    tasks = (
        matched(200, averages=True)
        .group_by("task")
        .agg(
            mean=pl.col("cpu").mean(),
            averages_mean=pl.col("cpu_mean").mean(),
            lost=pl.col("cpu").var() - pl.col("cpu_mean").var(),
        )
    )
    np.testing.assert_allclose(tasks["mean"], tasks["averages_mean"], rtol=1e-12)
    assert (tasks["lost"] > 0).mean() > 0.95


def test_the_heavy_pool_bursts_beyond_half_a_machine_and_the_matched_does_not() -> None:
    assert heavy(3000)["cpu"].max() > 0.6
    assert matched(3000)["cpu"].max() <= 0.35


@pytest.mark.parametrize("pool", [*POOLS, pytest.param(daily, id="daily")])
@pytest.mark.parametrize(("tasks", "seed"), [(0, 0), (-1, 0), (1, -1)])
def test_counts_below_one_and_negative_seeds_are_refused(
    pool: Pool, tasks: int, seed: int
) -> None:
    with pytest.raises(InvalidInput, match="expected at least"):
        pool(tasks, seed=seed)


def test_a_daily_trace_needs_a_day() -> None:
    with pytest.raises(InvalidInput, match="days 0"):
        daily(1, days=0)


@pytest.fixture(scope="module")
def week() -> pl.DataFrame:
    return daily(1000, days=7)


def test_the_daily_trace_is_aligned_every_five_minutes(week: pl.DataFrame) -> None:
    tasks = week.group_by("task").agg(
        samples=pl.len(),
        first=pl.col("time").first(),
        steps=pl.col("time").diff().n_unique() - 1,
        step=pl.col("time").diff().max(),
    )
    assert tasks.height == 1000
    assert set(tasks.drop("task").unique().row(0)) == {2016, 1767571200.0, 1, 300.0}
    assert tasks.drop("task").n_unique() == 1


def test_the_daily_trace_has_canonical_types_and_a_service_label(
    week: pl.DataFrame,
) -> None:
    allowed = SAMPLES | ATTRIBUTES | {"service": pl.String()}
    assert week.schema == {
        name: allowed[name]
        for name in (
            *("task", "time", "cpu", "memory"),
            *("cpu_request", "memory_request", "service"),
        )
    }
    assert sum(week.null_count().row(0)) == 0
    assert week["cpu"].is_between(0.0, 2.0).all()
    assert (week["memory"] > 0).all()


def test_the_daily_trace_repeats_by_seed() -> None:
    assert daily(30, seed=5).equals(daily(30, seed=5))
    assert not daily(30, seed=5).equals(daily(30, seed=6))


def test_fewer_tasks_or_days_are_a_cut_of_the_larger_trace() -> None:
    whole = daily(60, days=3, seed=1)
    assert daily(25, days=3, seed=1).equals(whole.head(25 * 3 * 288))
    first_day = whole.filter(pl.col("time") < whole["time"].min() + 86_400)
    assert daily(60, days=1, seed=1).equals(first_day)


def test_load_is_higher_by_day_and_lower_at_the_weekend(week: pl.DataFrame) -> None:
    fronts = week.filter(pl.col("service").str.contains(r"-(web|api|search)$"))
    hour = (pl.col("time") % 86_400) / 3600
    by_day = fronts.filter(hour.is_between(12, 16))["cpu"].mean()
    by_night = fronts.filter(hour.is_between(1, 5))["cpu"].mean()
    assert by_day > 1.8 * by_night
    day = (pl.col("time") - week["time"].min()) // 86_400
    workdays = week.filter(day < 5)["cpu"].mean()
    weekend = week.filter(day >= 5)["cpu"].mean()
    assert 0.7 * workdays < weekend < 0.9 * workdays


def test_replicas_of_a_service_move_together(week: pl.DataFrame) -> None:
    service = week.filter(service="shop-web")
    usage = service["cpu"].to_numpy().reshape(-1, 7, 288)
    # What is left without the hour of the day is noise, surprise and weather.
    left = (usage / usage.mean(axis=(0, 1)))[:, :5].reshape(len(usage), -1)
    correlation = np.corrcoef(left)
    assert correlation[np.triu_indices_from(correlation, 1)].mean() > 0.02


def test_some_tasks_are_idle_throughout_and_some_burst(week: pl.DataFrame) -> None:
    tasks = week.group_by("task").agg(
        mean=pl.col("cpu").mean(), peak=pl.col("cpu").max()
    )
    assert 5 <= (tasks["peak"] == 0).sum() <= 30
    assert (tasks["peak"] > 6 * tasks["mean"]).sum() > 100


def test_requests_exceed_mean_usage_of_every_task(week: pl.DataFrame) -> None:
    tasks = week.group_by("task").agg(
        cpu=pl.col("cpu").mean(),
        cpu_request=pl.col("cpu_request").first(),
        memory=pl.col("memory").mean(),
        memory_request=pl.col("memory_request").first(),
    )
    assert (tasks["cpu"] < tasks["cpu_request"]).all()
    assert (tasks["memory"] < tasks["memory_request"]).all()


def test_some_names_are_awkward_but_legal(week: pl.DataFrame) -> None:
    names = week["task"].unique()
    assert any(not name.isascii() for name in names)
    assert any(len(name) > 150 for name in names)
    assert any("<" in name and '"' in name and "&" in name for name in names)
    assert any(name.startswith("=") and "," in name for name in names)
    assert all(name.isprintable() and name == name.strip() for name in names)


def test_services_beyond_the_list_of_names_are_numbered() -> None:
    services = daily(1500)["service"].unique(maintain_order=True)
    assert services.len() > 204
    assert services[204] == "shop-web-2"
