"""Arrays put away on disk."""

import pickle
import tempfile

import numpy as np
import pytest

from cotenant.errors import InvalidInput
from cotenant.traces.shelf import Shelf


def test_what_is_put_away_is_read_again() -> None:
    shelf = Shelf()
    arrays = [np.arange(n, dtype=np.float64) / 7 for n in (3, 0, 20_000, 1)]
    stored = [shelf.put(array) for array in arrays]
    np.testing.assert_array_equal(np.concatenate(stored), np.concatenate(arrays))
    for array, put in zip(arrays, stored, strict=True):
        assert len(put) == len(array)
        np.testing.assert_array_equal(put[-2:], array[-2:])
    more = shelf.put(arrays[0])
    np.testing.assert_array_equal(np.asarray(more), arrays[0])


def test_it_is_an_array_again_in_another_process() -> None:
    put = Shelf().put(np.array([0.1, 0.2]))
    sent = pickle.loads(pickle.dumps(put))
    assert isinstance(sent, np.ndarray)
    assert sent.tolist() == [0.1, 0.2]


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/full", "wb", buffering=0) as full:
        monkeypatch.setattr(tempfile, "TemporaryFile", lambda: full)
        with pytest.raises(InvalidInput, match=r"No space left.*set TMPDIR"):
            Shelf().put(np.zeros(9))
