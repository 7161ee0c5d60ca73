"""Tables filled row by row, in memory and on disk."""

import numpy as np
import pytest

from cotenant.errors import InvalidInput
from cotenant.traces import rows
from cotenant.traces.rows import RowFile


@pytest.mark.parametrize("in_memory", [0, 10**6])
def test_rows_come_back_where_they_were_put_and_the_others_are_nan(
    in_memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "IN_MEMORY", in_memory)
    table = RowFile((5, 2, 3))
    values = np.arange(12.0).reshape(2, 2, 3)
    table.put(np.array([3, 0]), values)
    found = table.finish()
    np.testing.assert_array_equal(found[[3, 0]], values)
    assert np.isnan(found[[1, 2, 4]]).all()


def test_a_full_disk_is_told_with_what_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rows, "IN_MEMORY", 0)
    with open("/dev/full", "wb", buffering=0) as full:
        monkeypatch.setattr(rows.tempfile, "TemporaryFile", lambda dir: full)
        table = RowFile((2, 2**20))
        with pytest.raises(InvalidInput, match=r"No space left.*set TMPDIR"):
            table.put(np.array([0]), np.zeros((1, 2**20)))
