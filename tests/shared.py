"""Where the public traces and verified cases lie, and the mark for tests of them."""

import os
from pathlib import Path

import pytest

_BESIDE = Path(__file__).resolve().parents[2] / "shared"
DATA = Path(os.environ.get("COTENANT_DATA", _BESIDE / "data"))
VECTORS = Path(os.environ.get("COTENANT_VECTORS", _BESIDE / "vectors"))

needs_data = [
    pytest.mark.realdata,
    pytest.mark.skipif(not DATA.is_dir(), reason="the public traces are not here"),
]
