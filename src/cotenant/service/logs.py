"""Logs as JSON, one line an event, on stderr."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any, TextIO


class JsonLines(logging.Formatter):
    """Formats a record as one JSON object.

    Only the message and the facts given with it are written, never arguments or local
    values of a traceback.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        at = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, Any] = {
            "at": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=True)


def log_to(stream: TextIO = sys.stderr, level: int = logging.INFO) -> None:
    """Send the logs of this package and of its server to a stream, as JSON."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    for name, least in (("cotenant", level), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(least)
