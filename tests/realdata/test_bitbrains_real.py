"""Forty Bitbrains machines of July 2013 against their figures."""

import gzip
import os
from pathlib import Path

import polars as pl
import pytest

from tests.unit.traces.reading import read_paths

DATA = Path(
    os.environ.get("COTENANT_DATA", Path(__file__).parents[3] / "shared" / "data")
)
RND = DATA / "bitbrains" / "rnd-2013-7"

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not RND.is_dir(), reason="no traces here"),
]


def raw(name: str) -> pl.DataFrame:
    text = gzip.decompress((RND / name).read_bytes()).replace(b"\t", b"")
    return pl.read_csv(text, separator=";", infer_schema_length=None).cast(pl.Float64)


def test_the_month_has_the_known_usage() -> None:
    rows, reading = read_paths("bitbrains", [RND])
    assert reading.cleaning.rows == 330_671
    assert rows["task"].n_unique() == 40
    percent = 100.0 * rows["cpu_mean"] / rows["cpu_request"]
    assert percent.max() == pytest.approx(103.2, abs=0.05)
    high = rows.filter(percent > 100.0)
    assert high["task"].to_list() == ["33"] * 3
    means = rows.with_columns(p=percent).group_by("task").agg(pl.col("p").mean())
    assert means["p"].max() == pytest.approx(23.5, abs=0.05)
    assert rows["time"].min() == pytest.approx(1_372_629_600, abs=600)


@pytest.mark.parametrize(
    ("name", "rows", "without_cores"),
    [("20.csv.gz", 16_553, 12_077), ("38.csv.gz", 8_252, 7_839), ("14.csv.gz", 428, 8)],
)
def test_rows_without_cores_are_counted(
    name: str, rows: int, without_cores: int
) -> None:
    kept, reading = read_paths("bitbrains", [RND / name])
    assert reading.cleaning.rows == rows
    assert reading.cleaning.dropped == {"no_cores": without_cores}
    assert kept.height == rows - without_cores


@pytest.mark.parametrize("name", ["1.csv.gz", "33.csv.gz", "9.csv.gz"])
def test_cores_follow_from_megahertz_too(name: str) -> None:
    rows, _ = read_paths("bitbrains", [RND / name])
    table = raw(name).filter(pl.col("CPU cores") > 0)
    busy = table["CPU usage [MHZ]"] / table["CPU capacity provisioned [MHZ]"]
    difference = (rows["cpu_mean"] - busy * table["CPU cores"]).abs().max()
    assert difference < 1e-9


def test_memory_is_in_fifteenths_as_only_means_of_fifteen_are() -> None:
    memory = raw("10.csv.gz")["Memory usage [KB]"]
    assert ((15.0 * memory - (15.0 * memory).round()).abs() < 1e-3).mean() > 0.99
    assert (memory.round() == memory).mean() < 0.2


def test_another_set_has_the_known_rows() -> None:
    rows, _ = read_paths("bitbrains", [DATA / "bitbrains/fastStorage-one-vm.csv.gz"])
    assert rows.height == 8_619
    assert rows["time"].min() == 1_376_314_846
