"""A cut of the Alibaba machine usage against its figures."""

import os
from pathlib import Path

import pytest

from tests.unit.traces.reading import read_paths

DATA = Path(
    os.environ.get("COTENANT_DATA", Path(__file__).parents[3] / "shared" / "data")
)

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not (DATA / "alibaba2018").is_dir(), reason="no traces here"),
]


def test_machines_have_the_known_usage() -> None:
    rows, reading = read_paths("alibaba2018", [DATA / "alibaba2018"])
    assert reading.cleaning.rows == rows.height == 100_002
    assert reading.unit == "fraction"
    assert rows["task"].n_unique() == 16
    assert (rows["time"].min(), rows["time"].max()) == (0.0, 691_180.0)
    assert rows["cpu"].min() == pytest.approx(0.03)
    assert rows["cpu"].mean() == pytest.approx(0.348, abs=5e-4)
    assert rows["cpu"].max() == pytest.approx(0.94)


def test_nearly_every_machine_has_a_gap_of_hours() -> None:
    rows, _ = read_paths("alibaba2018", [DATA / "alibaba2018"])
    steps = rows.with_columns(step=rows["time"].diff()).filter(
        rows["task"] == rows["task"].shift()
    )
    assert steps["step"].min() == 10.0
    assert steps.filter(steps["step"] > 5 * 3600)["task"].n_unique() >= 12
