"""Workers that are processes of this machine."""

import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from cotenant.errors import CotenantError

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Held:
    """A value in a file, which each process reads once."""

    file: Path


class _Processes(ProcessPoolExecutor):
    """The standard executor, able to hold a value for all of its processes."""

    far = False

    def __init__(self, number: int, folder: str) -> None:
        # A fresh interpreter each: threads of other libraries do not survive a fork.
        super().__init__(number, mp_context=get_context("spawn"))
        self._folder = Path(folder)
        self._sent = 0

    def send(self, value: object) -> object:
        self._sent += 1
        held = _Held(self._folder / str(self._sent))
        with held.file.open("wb") as stream:
            pickle.dump(value, stream, protocol=pickle.HIGHEST_PROTOCOL)
        return held

    def submit(
        self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any
    ) -> Future[Result]:
        return super().submit(_call, fn, args, kwargs)


def _call(
    function: Callable[..., Result], arguments: tuple[Any, ...], named: dict[str, Any]
) -> Result:
    values = (_read(a.file) if isinstance(a, _Held) else a for a in arguments)
    return function(*values, **named)


@lru_cache(maxsize=4)
def _read(file: Path) -> object:
    with file.open("rb") as stream:
        return pickle.load(stream)


@contextmanager
def start(number: int) -> Iterator[Executor]:
    """Start so many processes, and end them with the block.

    Raises
    ------
    CotenantError
        If one dies.
    """
    with TemporaryDirectory(prefix="cotenant-") as folder:
        pool = _Processes(number, folder)
        try:
            yield pool
            pool.shutdown()
        except BrokenProcessPool as error:
            raise CotenantError(
                f"one of {number} processes died, often for lack of memory; use fewer "
                f"workers, or --workers local:{number}, which does lost work again"
            ) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
