"""HTTP on a connection: replies in one write, slow clients for a while only."""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_S = 10.0
"""Time for the head of a request to arrive."""


class OneWrite:
    """A transport that sends what is written in one turn of the loop in one piece.

    The server writes head and body of a reply apart. In two packets, a client that
    delays its acknowledgements may wait 40 ms for the second one.
    """

    def __init__(self, transport: asyncio.Transport, loop: Any) -> None:
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Send soon."""
        if not self._parts:
            self._loop.call_soon(self.flush)
        self._parts.append(bytes(data))

    def flush(self) -> None:
        """Send what was written."""
        parts, self._parts = self._parts, []
        if parts and not self._transport.is_closing():
            self._transport.write(b"".join(parts))

    def close(self) -> None:
        """Send what was written, then close."""
        self.flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


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

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        written = OneWrite(cast("asyncio.Transport", transport), self.loop)
        super().connection_made(cast("asyncio.Transport", written))
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
