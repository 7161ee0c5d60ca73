"""How fast a piece of work goes, and how long it still takes, in words."""

import time
from collections.abc import Callable

SETTLED_S = 1.0  # before that, a rate would jump


class Pace:
    """Measures from the first report on.

    What a run before has done counts as done, but not as fast.

    Parameters
    ----------
    in_bytes
        Whether the amounts are bytes, whose rate says something by itself.
    """

    def __init__(
        self, in_bytes: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._in_bytes, self._clock = in_bytes, clock
        self._first: tuple[float, int] | None = None

    def words(self, done: int, total: int) -> str:
        """Return rate and time left, as far as they are known.

        >>> seconds = iter([0.0, 10.0])
        >>> pace = Pace(True, lambda: next(seconds))
        >>> pace.words(0, 4_800_000_000), pace.words(600_000_000, 4_800_000_000)
        ('', '60.0 MB/s, 1 min 10 s left')
        """
        now = self._clock()
        if self._first is None:
            self._first = now, done
        since, before = self._first
        if now - since < SETTLED_S or done <= before:
            return ""
        rate = (done - before) / (now - since)
        left = f"{span((total - done) / rate)} left"
        return f"{rate / 1e6:.1f} MB/s, {left}" if self._in_bytes else left


def span(seconds: float) -> str:
    """Return a time in the two units that matter.

    >>> span(4), span(70), span(4000), span(60 * 60 * 30)
    ('4 s', '1 min 10 s', '1 h 6 min', '30 h 0 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
