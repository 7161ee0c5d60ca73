"""The one decorator with the one set of compiler options."""

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar, cast

from cotenant.kernels._numba import FunctionCache, numba, rtsys

F = TypeVar("F", bound=Callable[..., Any])
log = logging.getLogger(__name__)


class _Kept(FunctionCache):
    """Compiled functions on disk, loaded without all that only compiling needs."""

    def load_overload(self: Any, sig: Any, target_context: Any) -> Any:
        # Numba's own first registers everything that it can compile: a fifth of a
        # second before the first kernel runs.
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            loaded = self._load_overload(sig, target_context)
        if loaded is None:
            _say_compiling()
        return loaded


@cache
def _say_compiling() -> None:
    # Once a process: it waits for several kernels one after the other.
    log.info("compiling kernels: up to half a minute, once after installing")


def jit(function: F) -> F:
    """Compile `function` on first use and keep the result on disk where possible."""
    return _compiled(function, {})


def jit_borrowing(function: F) -> F:
    """Compile, as `jit` does, a function that makes no arrays but views of those given.

    It counts no references to arrays and becomes part of the kernels that call it:
    passing many arrays on otherwise takes most of the time of a short kernel. Kernels
    it calls must make no arrays either: those would never be given back.
    """
    return _compiled(function, {"_nrt": False, "forceinline": True})


def _compiled(function: F, options: dict[str, Any]) -> F:
    options |= {"nopython": True, "error_model": "numpy", "nogil": True}
    made: Any = numba.jit(**options)(function)
    # Without a writable folder for it, neither the package's nor the home: compile anew
    # in every process.
    with suppress(RuntimeError):
        made._cache = cast("Any", _Kept)(function)
    return cast("F", made)
