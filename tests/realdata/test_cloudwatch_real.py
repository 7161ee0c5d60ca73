"""The CloudWatch series of the Numenta Anomaly Benchmark, against known figures."""

import os
from pathlib import Path

import polars as pl
import pytest

from tests.unit.traces.reading import read_paths, recognised

DATA = (
    Path(os.environ.get("COTENANT_DATA", Path(__file__).parents[3] / "shared" / "data"))
    / "nab-aws"
)
MEANS = {
    "ec2_cpu_utilization_24ae8d": 0.13,
    "ec2_cpu_utilization_53ea38": 1.83,
    "ec2_cpu_utilization_5f5533": 43.1,
    "ec2_cpu_utilization_77c1ca": 10.5,
    "ec2_cpu_utilization_825cc2": 89.8,
    "ec2_cpu_utilization_ac20cd": 41.0,
    "ec2_cpu_utilization_c6585a": 0.09,
    "ec2_cpu_utilization_fe7f93": 5.8,
    "rds_cpu_utilization_cc0c53": 8.1,
    "rds_cpu_utilization_e47b3b": 18.9,
    "cpu_utilization_asg_misconfiguration": 38.3,
}
GROUP = "cpu_utilization_asg_misconfiguration"

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not DATA.is_dir(), reason="no traces here"),
]


def test_every_series_has_its_published_mean_and_length() -> None:
    rows, reading = read_paths("cloudwatch", [DATA])
    assert reading.cleaning.rows == 10 * 4032 + 18_050
    assert reading.unit == "fraction"
    series = rows.group_by("task").agg(pl.len(), mean=pl.col("cpu_mean").mean() * 100)
    found = {task: (count, mean) for task, count, mean in series.iter_rows()}
    assert found.keys() == MEANS.keys()
    for task, mean in MEANS.items():
        count, measured = found[task]
        assert count == (18_050 if task == GROUP else 4032)
        assert measured == pytest.approx(mean, abs=0.005 if mean < 2 else 0.05)
    assert rows.filter(task=GROUP)["cpu_mean"].max() == 1.0


def test_only_three_short_series_miss_samples() -> None:
    rows, _ = read_paths("cloudwatch", [DATA])
    steps = rows.filter(pl.col("task") != GROUP).select(
        "task", step=pl.col("time").diff().over("task")
    )
    longer = steps.filter(pl.col("step") > 300)
    assert {task.rsplit("_", 1)[1] for task in longer["task"]} == {
        "825cc2",
        "ac20cd",
        "cc0c53",
    }
    assert set(longer["step"]) <= {600.0, 900.0, 1200.0}


def test_the_series_are_recognised() -> None:
    assert recognised(DATA, {}) == "cloudwatch"
