"""Tasks on machines, cut into cells and kept, so that machines can be filled anew."""

import numpy as np

from cotenant.kernels.exact_index import Asked


class KeptTasks:
    """Cells of tasks under numbers, which are given again once a task is dropped.

    Parameters
    ----------
    slots
        Time-of-day slots, 1 for none.
    """

    def __init__(self, slots: int) -> None:
        self._free: list[int] = []
        self._end = 0  # of the cells in use, those of dropped tasks among them
        starts, cells = np.zeros((0, slots + 1), np.int64), np.zeros(0, np.int64)
        none = np.zeros(0)
        self.asked = Asked(starts, cells, none, none, none, none, none)

    def add(self, asked: Asked, task: int) -> int:
        """Keep a task and return its number."""
        own = asked.starts[task]
        taken = slice(int(own[0]), int(own[-1]))
        size = taken.stop - taken.start
        if not self._free:
            self._number_more()
        if self._end + size > len(self.asked.cells):
            self._make_room(size)
        number, kept = self._free.pop(), self.asked
        given = slice(self._end, self._end + size)
        self._end = given.stop
        kept.starts[number] = own + (given.start - taken.start)
        kept.cells[given] = asked.cells[taken]
        kept.mass[given] = asked.mass[taken]
        kept.pinned[given] = asked.pinned[taken]
        kept.mean[number] = asked.mean[task]
        kept.maximum[number] = asked.maximum[task]
        return number

    def drop(self, number: int) -> None:
        """Forget a task."""
        self.asked.starts[number] = 0
        self._free.append(number)

    def _number_more(self) -> None:
        kept, known = self.asked, len(self.asked.mean)
        more = max(known, 16)
        self._free = list(range(known, known + more))[::-1]
        self.asked = kept._replace(
            starts=np.pad(kept.starts, ((0, more), (0, 0))),
            mean=np.pad(kept.mean, (0, more)),
            maximum=np.pad(kept.maximum, (0, more)),
        )

    def _make_room(self, size: int) -> None:
        """Push together what is kept, and leave as much room again and some more."""
        kept, starts = self.asked, self.asked.starts
        lengths = starts[:, -1] - starts[:, 0]
        moved = np.cumsum(lengths) - lengths
        self._end = int(lengths.sum())
        old = np.repeat(starts[:, 0] - moved, lengths) + np.arange(self._end)
        room = (0, self._end + size)
        self.asked = kept._replace(
            starts=starts + (moved - starts[:, 0])[:, None],
            cells=np.pad(kept.cells[old], room),
            mass=np.pad(kept.mass[old], room),
            pinned=np.pad(kept.pinned[old], room),
        )
