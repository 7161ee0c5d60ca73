"""The text that names a running Prometheus and what to ask it."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from cotenant.errors import InvalidInput
from cotenant.traces.prometheus.saved import Column

PREFIX = "prometheus+"
# Servers refuse more than 11,000 points a series; with fewer, the answers for some
# thousand series still fit into memory side by side.
POINTS = 2_880
_KNOWN = ("query", "memory_query", "start", "end", "step")
_UNITS_MS = {
    "ms": 1,
    "s": 1_000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 604_800_000,
}
_SHAPE = (
    "expected prometheus+http(s)://HOST[:PORT][/PREFIX]?query=...&start=..., "
    "with / ? # @ and blanks in user and password percent-encoded"
)


@dataclass(frozen=True, slots=True)
class RangeQuery:
    """What to ask and whom; times are Unix milliseconds, which the server counts in.

    Parameters
    ----------
    address
        Scheme, host, port and path prefix, without user or password.
    headers
        Credentials, if there are any.
    queries
        PromQL of each column asked for.
    start, end
        First and last moment.
    step
        Distance of the moments.
    """

    address: str
    headers: Mapping[str, str]
    queries: Mapping[Column, str]
    start: int
    end: int
    step: int

    def spans(self) -> list[tuple[int, int]]:
        """Cut the range at its steps into (first, last), no moment in two of them."""
        points = (self.end - self.start) // self.step + 1
        return [
            (
                self.start + first * self.step,
                self.start + (min(first + POINTS, points) - 1) * self.step,
            )
            for first in range(0, points, POINTS)
        ]

    def form(self, span: tuple[int, int], expression: str) -> dict[str, str]:
        """Fill in the form of one request."""
        start, end, step = (f"{ms / 1000:.3f}" for ms in (*span, self.step))
        return {"query": expression, "start": start, "end": end, "step": step}


def parse_source(text: str, now: float, environ: Mapping[str, str]) -> RangeQuery:
    """Parse the text of a live source; no error repeats it, for it may hold a password.

    Raises
    ------
    InvalidInput
        If a part is missing, unknown or cannot be understood.
    """
    base, _, rest = text.removeprefix(PREFIX).partition("?")
    address, parts = _address(base)
    given = _parameters(rest)
    if not given.get("query"):
        raise InvalidInput(f"{address}: the query is missing; {_SHAPE}")
    if not given.get("start"):
        raise InvalidInput(f"{address}: start is missing; expected {_MOMENT}")
    queries: dict[Column, str] = {"cpu": given["query"]}
    if "memory_query" in given:
        queries["memory"] = given["memory_query"]
    start = _moment("start", given["start"], now)
    end = _moment("end", given.get("end", "now"), now)
    step = _duration("step", given.get("step", "60s"))
    if end < start:
        raise InvalidInput(f"{address}: end lies before start")
    return RangeQuery(address, _credentials(parts, environ), queries, start, end, step)


def _address(base: str) -> tuple[str, SplitResult]:
    try:
        parts = urlsplit(base, allow_fragments=False)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        raise InvalidInput(f"the address of Prometheus is unclear; {_SHAPE}") from None
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not host or "@" in parts.path:
        raise InvalidInput(f"the address of Prometheus is unclear; {_SHAPE}")
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}", parts


def _parameters(rest: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for name, value in parse_qsl(rest, keep_blank_values=True):
        if name not in _KNOWN:
            shown = f"{name} " if name.isidentifier() else ""
            known = ", ".join(_KNOWN)
            raise InvalidInput(f"parameter {shown}is unknown; expected {known}")
        if name in given:
            raise InvalidInput(f"parameter {name} is there twice; expected it once")
        given[name] = value
    return given


_MOMENT = "Unix seconds, a time as 2026-05-01T00:00:00Z, or now-7d"


def _moment(name: str, text: str, now: float) -> int:
    """Parse a moment to Unix milliseconds; without a zone it is UTC."""
    if text.startswith("now"):
        back = text[3:].strip()
        if back and not back.startswith("-"):
            raise InvalidInput(f"{name} is {text!r}; expected {_MOMENT}")
        return round(now * 1000) - (_duration(name, back[1:]) if back else 0)
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return round(float(text) * 1000)
    try:
        # The + of a zone is a blank in a query string that was not encoded.
        moment = datetime.fromisoformat(re.sub(r"(?<=T)(\S+) ", r"\1+", text))
    except ValueError:
        raise InvalidInput(f"{name} is {text!r}; expected {_MOMENT}") from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


def _duration(name: str, text: str) -> int:
    """Parse seconds or Prometheus notation (``90``, ``5m``, ``1d12h``) to ms."""
    pieces = re.findall(r"(\d+)(ms|[smhdw])", text)
    if re.fullmatch(r"\d+(\.\d+)?", text):
        duration = round(float(text) * 1000)
    elif "".join(number + unit for number, unit in pieces) == text:
        duration = sum(int(number) * _UNITS_MS[unit] for number, unit in pieces)
    else:
        duration = 0
    if duration <= 0:
        raise InvalidInput(f"{name} is {text!r}; expected a time such as 60s, 5m or 7d")
    return duration


def _credentials(parts: SplitResult, environ: Mapping[str, str]) -> dict[str, str]:
    """Prefer user and password of the address, then the token, then the user."""
    token = environ.get("COTENANT_PROMETHEUS_TOKEN", "").strip()
    user = environ.get("COTENANT_PROMETHEUS_USER", "")
    password = environ.get("COTENANT_PROMETHEUS_PASSWORD", "")
    if parts.username is not None:
        user, password = unquote(parts.username), unquote(parts.password or "")
        token = ""
    if token:
        # A client would quote a header that it cannot send, secret and all.
        if not re.fullmatch(r"[!-~]+", token):
            raise InvalidInput(
                "COTENANT_PROMETHEUS_TOKEN holds blanks or characters that no header "
                "can carry; expected the bare token"
            )
        return {"Authorization": f"Bearer {token}"}
    if not user:
        return {}
    pair = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {pair}"}
