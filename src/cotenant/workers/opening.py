"""Opens workers, sends them what they share, and takes in their results."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, as_completed
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias, TypeVar, cast, runtime_checkable

from cotenant.errors import InvalidInput

Item = TypeVar("Item")
Result = TypeVar("Result")
Value = TypeVar("Value")

Where: TypeAlias = int | str
"""A number of processes, ``local:N``, or ``tcp://HOST:PORT``."""

_LOCAL = "local:"
_SCHEDULER = ("tcp://", "tls://")


class _Here(Executor):
    """Computes in this process, as soon as it is asked."""

    def submit(
        self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any
    ) -> Future[Result]:
        future: Future[Result] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@runtime_checkable
class _Holds(Protocol):
    """An executor that can hold a value where its workers are."""

    far: bool

    def send(self, value: object) -> object: ...


@contextmanager
def open_workers(where: Where = 1, pieces: int | None = None) -> Iterator[Executor]:
    """Open what computes in parallel, and close it after the block.

    Parameters
    ----------
    where
        1 for this process; ``N`` for so many processes beside it; ``local:N`` for a
        Dask cluster of so many workers on this machine, which lasts as long as the
        block; ``tcp://HOST:PORT`` for the workers of a running Dask scheduler. Workers
        of Dask that are lost are replaced by others, and their work is done again.
    pieces
        Of work there are: no more processes are started than that.

    Raises
    ------
    InvalidInput
        If it is none of these, the scheduler does not answer or has no worker, or
        Dask is not installed.
    CotenantError
        If a process dies, or the cluster is lost.
    """
    text = str(where)
    if text.startswith((_LOCAL, *_SCHEDULER)):
        yield from _on_dask(text)
    elif not text.isdecimal() or int(text) < 1:
        raise _unknown(text)
    else:
        number = int(text) if pieces is None else min(int(text), pieces)
        if number > 1:
            yield from _beside(number)
        else:
            yield _Here()


def _on_dask(text: str) -> Iterator[Executor]:
    try:
        from cotenant.workers.dask import connect, start
    except ModuleNotFoundError as error:
        raise InvalidInput(
            f"--workers {text} needs Dask, and {error.name} is not installed; "
            "pip install 'cotenant[cluster]'"
        ) from error
    if text.startswith(_SCHEDULER):
        with connect(text) as workers:
            yield workers
        return
    number = text.removeprefix(_LOCAL)
    if not number.isdecimal() or int(number) < 1:
        raise _unknown(text)
    with start(int(number)) as workers:
        yield workers


def _beside(number: int) -> Iterator[Executor]:
    # Imported when asked for: most commands start nothing.
    from cotenant.workers.processes import start

    with start(number) as workers:
        yield workers


def _unknown(text: str) -> InvalidInput:
    return InvalidInput(
        f"workers is {text!r}; expected a number from 1, local:N, or tcp://HOST:PORT"
    )


def on_other_machines(workers: Executor) -> bool:
    """Say whether workers may lack the files of this machine."""
    return isinstance(workers, _Holds) and workers.far


def send(workers: Executor, value: Value) -> Value:
    """Hold a value where the workers are, to submit it with many pieces of work.

    Returns
    -------
    What to submit in its place; functions are called with the value itself.
    """
    return cast("Value", workers.send(value)) if isinstance(workers, _Holds) else value


def completed(
    workers: Executor,
    function: Callable[..., Result],
    items: Iterable[Item],
    *shared: object,
) -> Iterator[tuple[Item, Result]]:
    """Yield each item with ``function(item, *shared)``, in the order they are done.

    An error ends it, and what was not begun is dropped.
    """
    if isinstance(workers, _Here):
        for item in items:
            yield item, function(item, *shared)
        return
    futures = {workers.submit(function, item, *shared): item for item in items}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        for future in futures:
            future.cancel()


def mapped(
    workers: Executor,
    function: Callable[..., Result],
    items: Iterable[Item],
    *shared: object,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> list[Result]:
    """Return ``function(item, *shared)`` of each item, in the order of the items."""
    numbered = list(enumerate(items))
    found: dict[int, Result] = {}
    work = completed(workers, _numbered, numbered, function, *shared)
    for (number, _), result in work:
        found[number] = result
        advance(len(found), len(numbered))
    return [found[number] for number, _ in numbered]


def _numbered(
    item: tuple[int, Item], function: Callable[..., Result], *shared: object
) -> Result:
    return function(item[1], *shared)
