"""Logs as JSON, one line an event, on stderr."""

import asyncio
import json
import logging
import sys
import threading
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TextIO

GATHER_S = 0.1
"""Lines of the event loop are written together after this time: a write for each would
hand the interpreter to another thread in the middle of every request."""


class JsonLines(logging.Formatter):
    """Formats a record as one JSON object.

    Only the message and the facts given with it are written, never arguments or local
    values of a traceback.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "at": f"{_second(int(record.created))}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=True)


class Gathered(logging.StreamHandler[TextIO]):
    """Writes at once, except what an event loop says in passing: that is gathered."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._lines: list[str] = []
        self._gathering = threading.RLock()

    def emit(self, record: logging.LogRecord) -> None:
        """Take in a record."""
        self._lines.append(self.format(record))
        loop = _running_loop()
        if loop is None or record.levelno >= logging.WARNING:
            self.flush()
        elif len(self._lines) == 1:
            loop.call_later(GATHER_S, self.flush)

    def flush(self) -> None:
        """Write what was gathered, in the order it came."""
        with self._gathering:
            lines, self._lines = self._lines, []
            if lines:
                self.stream.write("".join(f"{line}\n" for line in lines))
            super().flush()


@lru_cache(maxsize=2)
def _second(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def log_to(stream: TextIO = sys.stderr, level: int = logging.INFO) -> None:
    """Send the logs of this package and of its server to a stream, as JSON."""
    # What no line tells need not be found out.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = Gathered(stream)
    handler.setFormatter(JsonLines())
    for name, least in (("cotenant", level), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(least)
