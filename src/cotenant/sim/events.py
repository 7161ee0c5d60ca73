"""An event queue that always gives the same order."""

import heapq
from typing import Generic, TypeVar

E = TypeVar("E")


class EventQueue(Generic[E]):
    """Events by time, then priority, then the order they were put in.

    Examples
    --------
    >>> queue = EventQueue()
    >>> queue.put(2.0, 1, "arrival")
    >>> queue.put(2.0, 0, "departure")
    >>> queue.pop()
    (2.0, 'departure')
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, int, E]] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._heap)

    def put(self, time: float, priority: int, event: E) -> None:
        """Add an event; the smaller priority comes first at one time."""
        heapq.heappush(self._heap, (time, priority, self._count, event))
        self._count += 1

    def pop(self) -> tuple[float, E]:
        """Take the next event and return its time with it."""
        time, _, _, event = heapq.heappop(self._heap)
        return time, event
