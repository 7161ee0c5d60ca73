"""Numba, imported in half the time it asks for."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import Thread
from typing import Any, cast

# Numba looks whether they are there: for products of matrices, and to report the lines
# of kernels to a coverage tool. No kernel has a use for either.
_UNUSED = ("scipy.linalg", "coverage")


@contextmanager
def _without(names: tuple[str, ...]) -> Iterator[None]:
    # A module that somebody else has loaded already stays, and costs nothing.
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden, cast("Any", None)))
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


def _load() -> None:
    with _without(_UNUSED):
        import_module("numba")
        import_module("numba.np.arraymath")


# Python keeps frames in chunks of 16 KiB, and a loop whose calls cross from one chunk
# to the next maps and unmaps memory at every turn. From deep inside a command Numba's
# casting rules do so 23,000 times, 0.2 s; from the foot of a new stack they do not.
_loader = Thread(target=_load)
_loader.start()
_loader.join()

import numba  # noqa: E402
from numba.core.caching import FunctionCache  # noqa: E402
from numba.core.runtime.nrt import rtsys  # noqa: E402

__all__ = ["FunctionCache", "numba", "rtsys"]
