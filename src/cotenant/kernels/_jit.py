"""The one decorator with the one set of compiler options."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def _without_blas() -> None:
    # Before the first compiled function runs, Numba imports scipy.linalg to see whether
    # products of matrices could be compiled: a quarter of a second that no kernel has a
    # use for. While that module of Numba is imported, there is no SciPy to be seen.
    blas = "scipy.linalg"
    if blas not in sys.modules:
        sys.modules[blas] = cast("Any", None)
        import numba.np.arraymath  # noqa: F401

        del sys.modules[blas]


def jit(function: F) -> F:
    """Compile `function` on first use and keep the result on disk where possible."""
    options: dict[str, Any] = {"nopython": True, "error_model": "numpy", "nogil": True}
    try:
        return cast("F", numba.jit(cache=True, **options)(function))
    except RuntimeError:
        # Neither the package folder nor the home is writable: compile every time.
        return cast("F", numba.jit(**options)(function))


_without_blas()
