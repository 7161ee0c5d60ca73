"""Frame-size traces: four layouts, their quirks, and the SLAs they lead to."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.video import Video, read_videos, sla_of


def written(tmp_path: Path, text: str, name: str = "film.dat") -> list[str]:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return [str(file)]


def frames(rows: list[tuple[object, ...]]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


# Two groups of three frames at 25 frames a second, in coding order.
CODED = [(1, "I", 0, 900), (2, "P", 80, 300), (3, "B", 40, 100)]
CODED += [(4, "I", 120, 700), (5, "P", 200, 200), (6, "B", 160, 50)]


def test_bytes_in_coding_order_are_taken_as_they_are(tmp_path: Path) -> None:
    (video,) = read_videos(written(tmp_path, frames(CODED)))
    assert (video.name, video.frame_rate, video.group) == ("film", 25.0, 3)
    assert video.sizes.tolist() == [900, 300, 100, 700, 200, 50]
    assert video.group_ms == 120.0


def test_bits_have_the_time_before_the_type(tmp_path: Path) -> None:
    rows = [("# Frame", "Time", "Type"), (0, "0.00000", "IDR", 8000, 50.1, 51.0, 52.0)]
    rows += [(2, "66.66667", "P", 1600, 50.1), (1, "33.33333", "B", 800, 50.1)]
    rows += [(3, "100.0", "I", 8000, 98.19), (5, 166.66667, "P", 1608, 1)]
    (video,) = read_videos(written(tmp_path, frames(rows)))
    assert video.sizes.tolist() == [1000, 200, 100, 1000, 201]
    assert (video.frame_rate, video.group) == (30.0, 3)


def test_bare_sizes_need_a_rate_and_a_group(tmp_path: Path) -> None:
    names = written(tmp_path, "800\t50.1\n1600\t98.190\n")
    with pytest.raises(InvalidInput, match="--frame-rate and --group"):
        read_videos(names)
    (video,) = read_videos(names, frame_rate=30.0, group=12)
    assert video.sizes.tolist() == [100, 200]


def test_gzip_is_noticed_and_blank_lines_are_skipped(tmp_path: Path) -> None:
    file = tmp_path / "film.dat.gz"
    file.write_bytes(gzip.compress((frames(CODED) + "\n").encode()))
    (video,) = read_videos([str(file)])
    assert (video.name, len(video.sizes)) == ("film", 6)


def test_spliced_files_keep_their_order_and_the_usual_group(tmp_path: Path) -> None:
    # Times go back and repeat after the splice, and one group is cut short.
    rows = [*CODED, (7, "I", 80, 10), (8, "I", 120, 700), (9, "P", 200, 200)]
    rows += [(10, "B", 160, 50), (11, "I", 640, 1)]
    (video,) = read_videos(written(tmp_path, frames(rows)))
    assert (video.frame_rate, video.group) == (25.0, 3)
    assert video.sizes.tolist()[6:8] == [10, 700]
    # The largest three frames in a row start inside a group.
    assert video.largest(3) == 1300
    assert video.largest(4) == 2000


@pytest.mark.parametrize(
    ("line", "number"),
    [("1\tX\t0\t9", 1), ("1\tI\t0\tmany", 1), ("5", 1), ("1\tI\t0", 1)],
)
def test_damaged_lines_are_named(tmp_path: Path, line: str, number: int) -> None:
    with pytest.raises(TraceError, match=f"line {number}: has "):
        read_videos(written(tmp_path, line + "\n"))


def test_a_file_without_frames_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="holds no frame"):
        read_videos(written(tmp_path, "# nothing\n"))


@settings(max_examples=100, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 99), min_size=1, max_size=12), run=st.integers(1, 15)
)
def test_the_largest_run_is_found_among_all(sizes: list[int], run: int) -> None:
    import numpy as np

    video = Video("v", np.array(sizes, dtype=np.int64), 25.0, 3)
    starts = range(max(1, len(sizes) - run + 1))
    assert video.largest(run) == max(sum(sizes[s : s + run]) for s in starts)


def test_budgets_round_up_and_periods_round_down(tmp_path: Path) -> None:
    (video,) = read_videos(written(tmp_path, frames(CODED)))
    # 1,300 bytes at 50 a tick are 26 ticks; 120 ms are 17 ticks of 7 ms.
    assert str(sla_of(video, 1, 50.0, 1.0)) == "26/120"
    assert str(sla_of(video, 1, 130.0, 7.0)) == "10/17"
    assert str(sla_of(video, 2, 100.0, 1.0, sigma=1)) == "23/240~120-360"
    assert str(sla_of(video, 1, 100.0, 1.0, sigma=1)) == "13/120~1-240"


def test_a_disk_that_cannot_serve_a_video_alone_is_refused(tmp_path: Path) -> None:
    (video,) = read_videos(written(tmp_path, frames(CODED)))
    with pytest.raises(
        InvalidInput, match="'film' needs 130 ticks of disk in every 120"
    ):
        sla_of(video, 1, 10.0, 1.0)
    with pytest.raises(InvalidInput, match="theta is 1 and sigma 2"):
        sla_of(video, 1, 50.0, 1.0, sigma=2)
