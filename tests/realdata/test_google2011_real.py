"""The Google tables and series that are public, against their published figures."""

import os
from pathlib import Path

import pytest

from tests.unit.traces.reading import read_paths

DATA = Path(
    os.environ.get("COTENANT_DATA", Path(__file__).parents[3] / "shared" / "data")
)

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not (DATA / "google2011").is_dir(), reason="no traces here"),
]


def test_job_days_have_the_published_jobs_and_usage() -> None:
    rows, reading = read_paths("google-job-days", [DATA / "google2011/GCD_VMs.tar.gz"])
    assert reading.cleaning.rows == rows.height == 1600 * 288
    assert rows["task"].n_unique() == 251
    assert rows["time"].max() == 10 * 86_400.0 - 300.0
    assert rows["cpu"].min() == pytest.approx(0.0501, abs=1e-4)
    assert rows["cpu"].mean() == pytest.approx(0.2185, abs=1e-4)
    assert rows["cpu"].median() == pytest.approx(0.1855, abs=1e-4)
    assert rows["cpu"].max() == pytest.approx(0.8937, abs=1e-4)
    assert rows["memory"].max() == pytest.approx(2.15, abs=0.01)


def test_a_job_that_was_never_sampled_has_averages() -> None:
    file = DATA / "google2011/data_resource_usage_5Minutes_6176858948.csv.gz"
    rows, _ = read_paths("google2011", [file])
    assert rows["task"].unique().to_list() == ["6176858948"]
    assert rows.height == 8352
    assert "cpu" not in rows.columns
    assert rows["cpu_mean"].mean() == pytest.approx(1.19, abs=0.005)
    assert rows["cpu_mean"].median() == pytest.approx(0.81, abs=0.005)
    top = rows.sort("cpu_mean").row(-1, named=True)
    assert top["cpu_mean"] == pytest.approx(56.9, abs=0.05)
    assert top["time"] == 1_654_200.0
    assert set(rows["time"].diff().drop_nulls()) == {300.0}


def test_a_job_that_was_sampled_has_both() -> None:
    file = DATA / "google2011/data_resource_JobId_6336594489_5minutes.csv"
    rows, _ = read_paths("google2011", [file])
    assert rows.height == 1584
    assert rows["cpu_mean"].mean() == pytest.approx(80.1, abs=0.05)
    assert rows["cpu_mean"].max() == pytest.approx(209.7, abs=0.05)
    assert rows["cpu"].mean() == pytest.approx(80.24, abs=0.005)
    assert (rows["cpu"] == 0.0).sum() == 17


def test_machine_seconds_have_the_published_load() -> None:
    rows, _ = read_paths("google2011", [DATA / "google2011/machine_cpu"])
    assert rows.height == 51_114
    assert rows["task"].n_unique() == 10
    assert (rows["time"].min(), rows["time"].max()) == (90_820.0, 95_999.0)
    assert rows["cpu"].mean() == pytest.approx(0.263, abs=5e-4)
    assert rows["cpu"].max() == pytest.approx(0.876, abs=5e-4)


def test_the_layout_samples_are_joined_to_their_events() -> None:
    rows, reading = read_paths("google2011", [DATA / "google-format"])
    assert reading.cleaning.rows == rows.height == 11
    assert rows["cpu_request"].null_count() == 0
    assert rows["failing"].any()
    assert not rows["failing"].all()
    assert any("machine-events" in note for note in reading.cleaning.notes)
