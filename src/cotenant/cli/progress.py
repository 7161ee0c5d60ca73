"""Progress and remarks on stderr: nothing there when nobody watches."""

import os
import sys
import time
from types import TracebackType

PATIENCE_S = 2.0


class Watch:
    """Shows what is being done, how far, and how long still, after two seconds.

    Use as a context manager. Nothing is drawn when stderr is no terminal or `NO_COLOR`
    is set; remarks are printed unless `quiet`.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._bars = not quiet and sys.stderr.isatty() and "NO_COLOR" not in os.environ
        self._since = time.monotonic()
        self._progress: object = None
        self._read = 0

    def __enter__(self) -> "Watch":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()

    def remark(self, sentence: str) -> None:
        """Print a sentence on stderr."""
        if not self._quiet:
            self.clear()
            print(sentence, file=sys.stderr)

    def reading(self, bytes_done: int, bytes_all: int) -> None:
        """Report bytes read since the last call."""
        self._read += bytes_done
        self.step("reading", self._read, max(bytes_all, self._read))

    def step(self, what: str, done: int, total: int) -> None:
        """Report how far a piece of work is."""
        if not self._bars or time.monotonic() - self._since < PATIENCE_S:
            return
        from rich.console import Console
        from rich.progress import Progress, TimeRemainingColumn

        if self._progress is None:
            columns = (*Progress.get_default_columns()[:3], TimeRemainingColumn())
            self._progress = Progress(
                *columns, console=Console(stderr=True), transient=True
            )
            self._progress.start()
            self._progress.add_task(what, total=total)
        assert isinstance(self._progress, Progress)
        task = self._progress.task_ids[0]
        if done >= total:
            self.clear()
        else:
            self._progress.update(task, description=what, completed=done, total=total)

    def clear(self) -> None:
        """Take the bar off the screen."""
        stop = getattr(self._progress, "stop", None)
        if stop:
            stop()
        self._progress = None
        self._since = time.monotonic()
