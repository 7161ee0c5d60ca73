"""Brings what the writer's thread decides to the event loop: one wake for a batch."""

import asyncio
from collections import deque
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class Landing:
    """Where coroutines of one loop wait for futures of other threads.

    `asyncio.wrap_future` wakes the loop once for every future. The writer finishes many
    at a time, and each wake costs as much as reading a request.
    """

    def __init__(self) -> None:
        self._landed: deque[tuple[asyncio.Future[Any], Future[Any]]] = deque()
        self._called = False

    def wait(self, future: Future[T]) -> asyncio.Future[T]:
        """Return the future as one of the running loop."""
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[T] = loop.create_future()
        future.add_done_callback(lambda done: self._land(loop, waiter, done))
        return waiter

    def _land(
        self,
        loop: asyncio.AbstractEventLoop,
        waiter: asyncio.Future[T],
        done: Future[T],
    ) -> None:
        self._landed.append((waiter, done))
        if not self._called and not loop.is_closed():
            self._called = True
            loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._called = False  # first, so that nothing lands without a wake
        while self._landed:
            waiter, done = self._landed.popleft()
            if waiter.done():
                continue
            error = done.exception()
            if error is None:
                waiter.set_result(done.result())
            else:
                waiter.set_exception(error)
