"""Azure readings, raw and as wide tables, against their figures."""

import os
import time
from pathlib import Path

import pytest

from cotenant.errors import InvalidInput
from tests.unit.traces.reading import read_paths

DATA = Path(
    os.environ.get("COTENANT_DATA", Path(__file__).parents[3] / "shared" / "data")
)
AZURE = DATA / "azure2017"

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not AZURE.is_dir(), reason="no traces here"),
]


@pytest.mark.parametrize(
    ("table", "column", "low", "mean", "high"),
    [
        ("microsoft_max_100", "cpu", 0.0028, 0.2145, 1.0),
        ("microsoft_avg_100", "cpu_mean", 0.0027, 0.1062, 0.9941),
    ],
)
def test_wide_tables_have_the_known_usage(
    table: str, column: str, low: float, mean: float, high: float
) -> None:
    start = time.perf_counter()
    rows, reading = read_paths("azure2017", [AZURE / f"{table}.csv.gz"])
    assert time.perf_counter() - start < 2.0
    assert reading.cleaning.rows == rows.height == 100 * 8004
    assert rows["task"].n_unique() == 100
    assert rows["time"].max() == 8003 * 300.0
    assert rows[column].null_count() == 0
    assert rows[column].min() == pytest.approx(low, abs=5e-5)
    assert rows[column].mean() == pytest.approx(mean, abs=5e-5)
    assert rows[column].max() == pytest.approx(high, abs=5e-5)


def test_raw_readings_are_one_of_each_machine() -> None:
    file = AZURE / "raw-format" / "vm_cpu_readings-file-1-of-125.csv"
    rows, _ = read_paths("azure2017", [file])
    assert rows.height == rows["task"].n_unique() == 100
    assert rows["time"].unique().to_list() == [0.0]
    first = "+ZcrOp5/c/fJ6mVgP5qMZlOAGDwyjaaDNM0WoWOt2IDb47gT0UwK9lFwkPQv3C7Q"
    assert rows.row(0, named=True)["task"] == first
    assert rows.row(0, named=True)["cpu_mean"] == pytest.approx(0.0286979)


def test_machines_that_the_table_lacks_are_counted() -> None:
    rows, reading = read_paths("azure2017", [AZURE / "raw-format"])
    assert rows.height == 0
    assert reading.cleaning.dropped == {"no_cores": 100}


def test_the_whole_folder_holds_the_machines_more_than_once() -> None:
    with pytest.raises(InvalidInput, match="give one of them"):
        read_paths("azure2017", [AZURE])
