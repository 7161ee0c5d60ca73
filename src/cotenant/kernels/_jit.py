"""The one decorator with the one set of compiler options."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile `function` on first use and keep the result on disk where possible."""
    options: dict[str, Any] = {"nopython": True, "error_model": "numpy", "nogil": True}
    try:
        return cast("F", numba.jit(cache=True, **options)(function))
    except RuntimeError:
        # Neither the package folder nor the home is writable: compile every time.
        return cast("F", numba.jit(**options)(function))
