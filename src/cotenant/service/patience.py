"""HTTP on a connection whose client may be slow, for a while."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_S = 10.0
"""Time for the head of a request to arrive."""


class PatientProtocol(HttpToolsProtocol):
    """Drops a connection on which the head of a request takes too long to arrive.

    The server itself only limits how long a connection is idle between requests; a
    client that sends a letter a minute would keep its place for ever. The time for
    bodies is limited by the guard.
    """

    head_s = HEAD_S

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_came()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._late is None:
            self._expect_head()

    def on_headers_complete(self) -> None:
        self._head_came()
        super().on_headers_complete()

    def _expect_head(self) -> None:
        self._late = self.loop.call_later(self.head_s, self.transport.abort)

    def _head_came(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
