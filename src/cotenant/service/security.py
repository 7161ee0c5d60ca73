"""Who may do what: tokens, roles, and where requests may come from."""

import base64
import binascii
import hashlib
import hmac
import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from cotenant.errors import InvalidInput

Role: TypeAlias = Literal["read", "write"]
ROLES: tuple[Role, ...] = ("read", "write")
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
PROBES = frozenset({"/healthz", "/readyz"})
SHELL = frozenset({"/", "/dashboard/page.css", "/dashboard/page.js"})
OPEN_PATHS = PROBES | SHELL
"""What needs no token: it says nothing about the fleet."""

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is kept: its holder, what it allows, and a hash of the secret."""

    name: str
    role: Role
    digest: bytes


class Tokens:
    """The tokens of a file, one a line: ``NAME read|write SHA256``.

    The secrets are random and long, so one round of SHA-256 is as good as a slow hash:
    there is nothing to guess. Lines that start with ``#`` are comments.

    >>> digest = hashlib.sha256(b"secret").hexdigest()
    >>> tokens = Tokens.parse(f"grafana read {digest}", "tokens")
    >>> tokens.whose("secret").name, tokens.whose("guess")
    ('grafana', None)
    """

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self._tokens = tokens

    @classmethod
    def read(cls, path: str) -> "Tokens":
        """Read a file.

        Raises
        ------
        InvalidInput
            If it cannot be read, names no token, or has a damaged line; the text of the
            line, which may be a secret, is not repeated.
        """
        try:
            return cls.parse(Path(path).read_text(encoding="utf-8"), path)
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            raise InvalidInput(f"cannot read tokens from {path}: {why}") from None

    @classmethod
    def parse(cls, text: str, path: str) -> "Tokens":
        """Read the text of a file called `path`."""
        lines = enumerate(text.splitlines(), start=1)
        found = tuple(
            _token(words, f"{path} line {number}")
            for number, line in lines
            if (words := line.split()) and not words[0].startswith("#")
        )
        if not found:
            raise InvalidInput(
                f"{path} names no token; expected NAME read|write SHA256"
            )
        return cls(found)

    def whose(self, secret: str) -> Token | None:
        """Return the token with a secret; takes as long for a wrong one."""
        digest = hashlib.sha256(secret.encode("utf-8", "replace")).digest()
        found = None
        for token in self._tokens:
            if hmac.compare_digest(token.digest, digest):
                found = token
        return found


def _token(words: list[str], where: str) -> Token:
    if len(words) != 3 or words[1] not in ROLES:
        raise InvalidInput(
            f"{where}: expected NAME, then read or write, then a SHA-256"
        )
    try:
        digest = bytes.fromhex(words[2])
    except ValueError:
        digest = b""
    if len(digest) != hashlib.sha256().digest_size:
        raise InvalidInput(f"{where}: expected a SHA-256 of 64 hexadecimal digits")
    role: Role = "read" if words[1] == "read" else "write"
    return Token(words[0], role, digest)


def secret_of(authorization: str) -> str | None:
    """Return the secret of an Authorization header: a bearer token, or a password.

    The Kubernetes scheduler and browsers know user and password only.

    >>> secret_of("Bearer abc"), secret_of("Basic dXNlcjphYmM="), secret_of("Digest x")
    ('abc', 'abc', None)
    """
    scheme, _, value = authorization.strip().partition(" ")
    if scheme.lower() == "bearer":
        return value.strip() or None
    if scheme.lower() != "basic":
        return None
    try:
        text = base64.b64decode(value.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return text.partition(":")[2] or None


class Failures:
    """Counts failed logins by address, over a sliding minute.

    Only failures are slowed down: a right token is let in however many wrong ones came
    from the same address, so nobody locks out the neighbours behind a proxy.
    """

    def __init__(
        self,
        most: int = 10,
        seconds: float = 60.0,
        addresses: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._seconds, self._addresses = most, seconds, addresses
        self._clock = clock
        self._seen: OrderedDict[str, list[float]] = OrderedDict()

    def note(self, address: str) -> bool:
        """Count a failure; say whether there are too many."""
        now = self._clock()
        times = [t for t in self._seen.pop(address, []) if t > now - self._seconds]
        times = [*times, now][-self._most - 1 :]
        self._seen[address] = times
        if len(self._seen) > self._addresses:
            self._seen.popitem(last=False)
        return len(times) > self._most


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request goes no further."""

    status: int
    error: str
    reason: str


class Door:
    """Decides from the head of a request whether it may come in.

    Parameters
    ----------
    tokens
        None lets everybody in.
    loopback
        Whether the service listens on loopback only. Without tokens requests must then
        name a loopback host, so that a web page cannot reach the service through a name
        of its own (DNS rebinding).
    """

    def __init__(
        self, tokens: Tokens | None, loopback: bool, failures: Failures | None = None
    ) -> None:
        self._tokens = tokens
        self._local_only = loopback and tokens is None
        self._failures = failures or Failures()

    def check(
        self, method: str, path: str, headers: dict[bytes, bytes], address: str
    ) -> Refusal | Token | None:
        """Return a refusal, or whose token it is; None where none is needed."""
        if path in OPEN_PATHS:
            return None
        host = headers.get(b"host", b"").decode("latin-1")
        if self._local_only and host_name(host) not in LOOPBACK_NAMES:
            return Refusal(403, "forbidden", "expected localhost as the host asked for")
        origin = headers.get(b"origin", b"").decode("latin-1")
        if method not in SAFE and origin and _authority(origin) != host:
            return Refusal(403, "forbidden", "changes from other web sites are refused")
        if self._tokens is None:
            return None
        return self._judge(self._tokens, method, headers, address)

    def _judge(
        self, tokens: Tokens, method: str, headers: dict[bytes, bytes], address: str
    ) -> Refusal | Token:
        given = headers.get(b"authorization", b"").decode("latin-1")
        secret = secret_of(given)
        token = None if secret is None else tokens.whose(secret)
        if token is None:
            if given and self._failures.note(address):
                return Refusal(
                    429, "rate-limited", "too many wrong tokens; wait a minute"
                )
            what = "the token is not known" if given else "a token is needed"
            return Refusal(401, "unauthorized", what)
        if method not in SAFE and token.role != "write":
            return Refusal(403, "forbidden", f"token {token.name} may only read")
        return token


def host_name(authority: str) -> str:
    """Return the name in a Host header, without port and brackets.

    >>> host_name("localhost:8080"), host_name("[::1]:8080"), host_name("10.0.0.1")
    ('localhost', '::1', '10.0.0.1')
    """
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    return authority.partition(":")[0].lower()


def is_loopback(host: str) -> bool:
    """Say whether an address to listen on is reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def check_exposure(host: str, tokens: Tokens | None, insecure: bool) -> None:
    """Refuse to listen to the world without tokens.

    Raises
    ------
    InvalidInput
        If `host` is not loopback, there are no tokens, and nobody insisted.
    """
    if not is_loopback(host) and tokens is None and not insecure:
        raise InvalidInput(
            f"listening on {host} without tokens would let everybody in; "
            "set COTENANT_TOKENS_FILE, or insist with --insecure"
        )


def _authority(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""
