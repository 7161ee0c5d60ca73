"""The public video traces, as their publisher describes them."""

import os
from pathlib import Path

import numpy as np
import pytest

from cotenant.traces.video import read_videos

ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("COTENANT_DATA", ROOT / "shared" / "data")) / "video"
MPEG4, H264 = DATA / "mpeg4-tuberlin", DATA / "h264-asu"

pytestmark = [
    pytest.mark.realdata,
    pytest.mark.skipif(not DATA.is_dir(), reason="the public traces are not at hand"),
]


@pytest.mark.parametrize(
    ("file", "count", "rate", "group", "mean", "largest"),
    [
        (MPEG4 / "Verbose_StarWarsIV.dat.gz", 89998, 25.0, 12, 1376.4, 9370),
        (MPEG4 / "MPEG4.Trace.data.gz", 89998, 25.0, 12, 1376.4, 9370),
        (MPEG4 / "Verbose_silence.dat.gz", 89998, 25.0, 12, 2876.3, 22239),
        (MPEG4 / "Verbose_ARDTalk.dat.gz", 67498, 25.0, 12, 2724.3, 15579),
        (MPEG4 / "Verbose_Simpsons.dat.gz", 30334, 25.0, 12, 6513.7, 43986),
        (MPEG4 / "Verbose_SouthPark.dat.gz", 30351, 25.0, 12, 3417.4, 42880),
        (H264 / "starWars4_verbose.gz", 53997, 30.0, 16, 54271 / 8, 423816 // 8),
        (
            H264 / "silenceOfTheLambs_verbose.gz",
            53997,
            30.0,
            16,
            59447 / 8,
            657824 // 8,
        ),
        (H264 / "terminator2_verbose.gz", 17998, 30.0, 12, 953699 / 8, 3240048 // 8),
    ],
)
def test_traces_have_the_published_frames(
    file: Path, count: int, rate: float, group: int, mean: float, largest: int
) -> None:
    (video,) = read_videos([str(file)])
    assert (len(video.sizes), video.frame_rate, video.group) == (count, rate, group)
    assert video.sizes.mean() == pytest.approx(mean, abs=0.1)
    assert video.sizes.max() == largest


def test_both_orders_of_one_film_hold_the_same_frames() -> None:
    names = [MPEG4 / "Verbose_StarWarsIV.dat.gz", MPEG4 / "MPEG4.Trace.data.gz"]
    coded, shown = read_videos(list(map(str, names)))
    assert sorted(coded.sizes.tolist()) == sorted(shown.sizes.tolist())
    # Bounds of long runs differ by frames at their ends only.
    assert coded.largest(120) == pytest.approx(shown.largest(120), rel=0.02)


def test_the_terse_form_holds_the_same_sizes() -> None:
    (verbose,) = read_videos([str(H264 / "terminator2_verbose.gz")])
    (terse,) = read_videos([str(H264 / "terminator2_terse.gz")], 30.0, 12)
    assert np.array_equal(np.sort(verbose.sizes), np.sort(terse.sizes))
