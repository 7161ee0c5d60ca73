"""Allocation logs of every kind, and what is refused in them."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from cotenant.errors import SourceNotFound, TraceError
from cotenant.traces.grants import read_grants

MS = 10**6


def log(folder: Path, text: str) -> str:
    path = folder / "log.csv"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    "text",
    [
        "start,end\n0,0.002\n0.01,0.012\n0.012,0.013\n",
        "time,total\n0,0\n0.002,0.002\n0.010,0.002\n0.013,0.005\n",
        "time,total\n0,7\n0.002,7.002\n0.010,7.002\n0.013,7.005\n",
        "time,granted\n0,0\n0.002,0.002\n0.010,0\n0.013,0.003\n",
        "time,usage_usec\n0,40\n0.002,2040\n0.010,2040\n0.013,5040\n",
        "0\nusage_usec 40\nuser_usec 1\n0.002\nusage_usec 2040\n"
        "0.010\nusage_usec 2040\n0.013\nnr_periods 9\nusage_usec 5040\n",
        "\ufefftime,total\r\n0,0\r\n\r\n0.002,0.002\r\n0.010,0.002\r\n0.013,0.005",
    ],
    ids=["runs", "counter", "offset", "granted", "usage", "cpu.stat", "windows"],
)
def test_every_kind_of_log_tells_the_same(tmp_path: Path, text: str) -> None:
    grants = read_grants(log(tmp_path, text))
    at = np.array([0, 2, 10, 13]) * MS
    low, high = grants.bounds(at)
    assert (low - low[0]).tolist() == [0, 2 * MS, 2 * MS, 5 * MS]
    assert (low == high).all()


def test_times_of_today_keep_their_nanoseconds(tmp_path: Path) -> None:
    text = "time,total\n1796119334.519965034,0\n1796119334.519965035,0.000000001\n"
    grants = read_grants(log(tmp_path, text))
    assert np.diff(grants.time).tolist() == [1]
    assert np.diff(grants.total).tolist() == [1]
    stat = "1796119334.519965034\nusage_usec 1\n1796119334.6\nusage_usec 2\n"
    grants = read_grants(log(tmp_path, stat))
    assert grants.time.tolist() == [1796119334519965034, 1796119334600000000]


def test_a_compressed_log_is_read_like_a_plain_one(tmp_path: Path) -> None:
    path = tmp_path / "log.csv.gz"
    path.write_bytes(gzip.compress(b"time,total\n0,0\n1,0.5\n"))
    assert read_grants(str(path)).total.tolist() == [0, 500 * MS]


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("when,what\n0,1\n", 1, r'starts with "when,what"; expected start,end'),
        ("time,total\n0,0\n1,abc\n", 3, r'total is "abc"; expected seconds'),
        ("time,total\n0,0\n1,\n", 3, "has an empty cell"),
        ("time,total\n0,0\n1,0.5,9\n", 3, "has 3 columns; expected 2"),
        ("time,total\n0,0\n1,1\n1,2\n", 4, "is not after the reading before"),
        ("time,total\n0,5\n1,4\n", 3, "granted less than the reading before it; was"),
        ("time,granted\n0,0\n1,-1\n", 3, "grants less than nothing"),
        ("start,end\n0,1\n3,2\n", 3, "ends before it starts"),
        ("start,end\n0,2\n1,3\n", 3, "starts before the run above has ended"),
        ("time,usage_usec\n0,1\n1,1.5\n", 3, "expected whole microseconds"),
        ("usage_usec 4\n1\nusage_usec 5\n", 1, "has no line with the time above"),
        ("1\n2\nusage_usec 5\n", 2, "follows a time; expected cpu.stat"),
        ("now\nusage_usec 5\n", 1, 'time is "now"; expected seconds'),
        ("1\nusage_usec 5\n2\nusage_usec many\n", 4, 'usage_usec is "many"'),
    ],
)
def test_a_damaged_log_is_refused_with_line_and_reason(
    tmp_path: Path, text: str, line: int, problem: str
) -> None:
    with pytest.raises(TraceError, match=problem) as caught:
        read_grants(log(tmp_path, text))
    assert caught.value.line == line


@pytest.mark.parametrize(
    "text", ["time,total\n", "time,total\n5,1\n", "1\nusage_usec 5\n"]
)
def test_fewer_than_two_readings_judge_nothing(tmp_path: Path, text: str) -> None:
    with pytest.raises(TraceError, match="no two readings"):
        read_grants(log(tmp_path, text))


def test_a_time_without_its_reading_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"ends in a time without its cpu\.stat"):
        read_grants(log(tmp_path, "1\nusage_usec 5\n2\n"))


def test_only_one_file_is_one_log(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound):
        read_grants(str(tmp_path / "none.csv"))
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("time,total\n0,0\n1,1\n")
    with pytest.raises(TraceError, match="holds 2 files; expected one"):
        read_grants(str(tmp_path))
