"""The small Bitbrains set in the layout of OpenDC, against known figures."""

import os
from pathlib import Path

import pytest

from tests.unit.traces.reading import read_paths, recognised

DATA = (
    Path(os.environ.get("COTENANT_DATA", Path(__file__).parents[3] / "shared" / "data"))
    / "bitbrains"
    / "opendc-bitbrains-small"
)

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not DATA.is_dir(), reason="no traces here"),
]


def test_the_set_has_its_published_size_and_quirks() -> None:
    rows, reading = read_paths("opendc", [DATA])
    assert reading.unit == "cores"
    assert reading.cleaning.rows == 276_979
    assert reading.cleaning.dropped == {"no_cores": 291}
    assert rows.height == 276_979 - 291
    assert rows["task"].n_unique() == 50
    assert any("1.31322e+09 ms" in note for note in reading.cleaning.notes)


def test_usage_lies_between_nothing_and_all_cores_of_the_machine() -> None:
    rows, _ = read_paths("opendc", [DATA])
    assert rows["cpu_mean"].min() == 0.0
    assert (rows["cpu_mean"] <= rows["cpu_request"] * 1.1).all()
    assert set(rows["cpu_request"].unique()) <= {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}
    assert rows["cpu_mean"].mean() == pytest.approx(0.9503, abs=1e-4)


def test_the_first_interval_starts_when_its_machine_does() -> None:
    rows, _ = read_paths("opendc", [DATA])
    # 2013-08-12 13:35:46 UTC, the start_time of machine 1019 in meta.parquet
    assert rows.filter(task="1019")["time"].min() == 1376314546.0


def test_the_pair_is_recognised() -> None:
    assert recognised(DATA, {}) == "opendc"
