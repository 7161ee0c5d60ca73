"""What every request passes on its way in and out: limits, tokens, headers, a log."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic_core import to_json

from cotenant.service.metrics import Meters
from cotenant.service.security import PROBES, Door, Refusal, Token

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

log = logging.getLogger("cotenant.requests")

QUIET = PROBES | {"/metrics"}
"""Asked for every few seconds; their requests are logged only when they fail."""

HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' data:; object-src 'none'; "
        b"base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
]
OF_EVERY_BODY = {b"content-length", b"content-type"}

CHALLENGES = [
    (b"www-authenticate", b'Bearer realm="cotenant"'),
    (b"www-authenticate", b'Basic realm="cotenant", charset="UTF-8"'),
]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much and how long one request may take.

    Parameters
    ----------
    body_bytes
        Largest body: room for 5,000 whole Kubernetes nodes.
    body_s
        Time for a body to arrive.
    """

    body_bytes: int = 16 * 2**20
    body_s: float = 10.0


class Guard:
    """Lets a request through to the application whole and checked, or not at all.

    The body is read here, so handlers see only requests that are allowed, complete, of
    a bounded size and said to be JSON.
    """

    def __init__(self, app: App, door: Door, meters: Meters, limits: Limits) -> None:
        self._app, self._door, self._meters, self._limits = app, door, meters, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visit = Visit(scope, send, self._meters)
        try:
            body = await self._admit(visit, receive)
            if isinstance(body, Refusal):
                await visit.refuse(body)
            elif body is not None:
                await self._app(scope, replay(body, receive), visit.send)
        finally:
            visit.end()

    async def _admit(self, visit: "Visit", receive: Receive) -> Refusal | bytes | None:
        found = self._door.check(visit.method, visit.path, visit.headers, visit.address)
        if isinstance(found, Refusal):
            return found
        visit.token = found
        declared = visit.headers.get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > self._limits.body_bytes:
            return self._too_large()
        try:
            async with asyncio.timeout(self._limits.body_s):
                body = await self._read(receive)
        except TimeoutError:
            return Refusal(408, "too-slow", "the body took too long to arrive")
        if isinstance(body, bytes) and body and not _is_json(visit.headers):
            return Refusal(
                415,
                "unsupported-media-type",
                "expected a body of Content-Type application/json, not compressed",
            )
        return body

    async def _read(self, receive: Receive) -> Refusal | bytes | None:
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._limits.body_bytes:
                return self._too_large()
            if not message.get("more_body", False):
                return b"".join(parts)

    def _too_large(self) -> Refusal:
        most = self._limits.body_bytes
        return Refusal(413, "too-large", f"a body has at most {most:,} bytes")


class Visit:
    """One request from its head to its end, for the log and the counters."""

    def __init__(self, scope: Scope, send: Send, meters: Meters) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.headers: dict[bytes, bytes] = dict(scope["headers"])
        self.address: str = (scope.get("client") or ("unknown",))[0]
        self.token: Token | None = None
        self._send, self._meters = send, meters
        self._started = time.perf_counter()
        self._status = 0

    async def send(self, message: Message) -> None:
        """Send on, with the headers every reply has."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            given = list(message.get("headers", ()))
            names = {name.lower() for name, _ in given} - OF_EVERY_BODY
            own = [h for h in HEADERS if h[0] not in names] if names else HEADERS
            message["headers"] = given + own
        await self._send(message)

    async def refuse(self, why: Refusal) -> None:
        """Answer with a refusal, and let go of a body that was not read."""
        self._meters.rejections.labels(why.error).inc()
        body = to_json({"error": why.error, "reason": why.reason})
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
        ]
        if why.status == 401:
            headers += CHALLENGES
        if why.status == 429:
            headers.append((b"retry-after", b"60"))
        if why.status in (408, 413):
            headers.append((b"connection", b"close"))
        start = {"type": "http.response.start", "status": why.status}
        await self.send({**start, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})

    def end(self) -> None:
        """Count and log; neither query nor headers nor body, where secrets may be."""
        seconds = time.perf_counter() - self._started
        self._meters.request(self.method, self._status)
        if self.path in QUIET and self._status < 400:
            return
        facts = {
            "method": self.method[:20],
            "path": self.path[:300],
            "status": self._status,
            "seconds": round(seconds, 6),
            "client": self.address,
            "token": None if self.token is None else self.token.name,
        }
        log.info("request", extra={"facts": facts})


def _is_json(headers: dict[bytes, bytes]) -> bool:
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    packed = headers.get(b"content-encoding", b"identity").strip().lower()
    return kind == b"application/json" and packed == b"identity"


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a channel that gives the body once, then what comes after it."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
