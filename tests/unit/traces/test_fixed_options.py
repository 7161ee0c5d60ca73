"""Formats with fixed columns refuse options that choose a column."""

from pathlib import Path

import pytest

from cotenant.errors import InvalidInput
from cotenant.traces.collect import read_usage
from cotenant.traces.schema import ReadOptions


@pytest.mark.parametrize(
    "options", [ReadOptions(keep="team"), ReadOptions(cores_column="cores")]
)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("20110303/vm", "1\n2\n3\n"),
        ("cpu.csv", "timestamp,value\n2014-01-01 00:00:00,1\n"),
    ],
)
def test_a_fixed_format_refuses_to_choose_columns(
    name: str, text: str, options: ReadOptions, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    with pytest.raises(InvalidInput, match="expected none"):
        read_usage([str(path)], options=options)
