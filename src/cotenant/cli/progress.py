"""Progress and remarks on stderr: a bar for who watches, a line now and then else."""

import logging
import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from cotenant.cli.pace import Pace

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE_S = 2.0
LINE_S = 15.0  # between plain lines
_KERNELS = logging.getLogger("cotenant.kernels")


class _Told(logging.Handler):
    """Prints what kernels say: that they are being compiled, which takes a while."""

    def emit(self, record: logging.LogRecord) -> None:
        print(record.getMessage(), file=sys.stderr)


class Watch:
    """Shows what is being done, how far, and how long still, after two seconds.

    Use as a context manager. A bar where stderr is a terminal, plain lines where it is
    none or `NO_COLOR` is set. Nothing but errors is shown if `quiet`.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._bars = sys.stderr.isatty() and "NO_COLOR" not in os.environ
        self._bar: Progress | None = None
        self._what, self._read, self._pace = "", 0, Pace(in_bytes=False)
        self._since = self._printed = time.monotonic()
        self._told = _Told()

    def __enter__(self) -> "Watch":
        if not self._quiet:
            _KERNELS.addHandler(self._told)
            _KERNELS.setLevel(logging.INFO)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _KERNELS.removeHandler(self._told)
        self.clear()

    def remark(self, sentence: str) -> None:
        """Print a sentence on stderr."""
        if not self._quiet:
            self.clear()
            self._what, self._read = "", 0
            print(sentence, file=sys.stderr)

    def reading(self, bytes_done: int, bytes_all: int) -> None:
        """Report bytes read since the last call."""
        self._read += bytes_done
        self._step("reading", self._read, max(bytes_all, self._read), in_bytes=True)

    def step(self, what: str, done: int, total: int) -> None:
        """Report how far a piece of work is."""
        self._step(what, done, total, in_bytes=False)

    def _step(self, what: str, done: int, total: int, in_bytes: bool) -> None:
        if what != self._what:
            self.clear()
            self._what, self._pace = what, Pace(in_bytes)
        now = time.monotonic()
        if self._quiet or now - self._since < PATIENCE_S:
            return
        pace = self._pace.words(done, total)
        if self._bars:
            self._draw(what, done, total, pace)
        elif pace and done < total and now - self._printed >= LINE_S:
            self._printed = now
            print(f"{what} {100 * done // total} %, {pace}", file=sys.stderr)

    def _draw(self, what: str, done: int, total: int, pace: str) -> None:
        if self._bar is None:
            self._bar = _bar()
            self._bar.start()
            self._bar.add_task(what, total=total, pace=pace)
        if done >= total:
            self.clear()
        else:
            task = self._bar.task_ids[0]
            self._bar.update(task, completed=done, total=total, pace=pace)

    def clear(self) -> None:
        """Take the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()
        self._bar = None
        self._since = self._printed = time.monotonic()


def _bar() -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[pace]}"),
        console=Console(stderr=True),
        transient=True,
    )
