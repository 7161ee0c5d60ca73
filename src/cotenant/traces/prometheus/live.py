"""Range queries to a running Prometheus, or to anything that speaks its HTTP API.

A long range is cut into requests that share no moment. A few are under way at a time,
their answers are read in time order, and one request that fails fails the whole read:
a gap that nobody sees would be load that nobody plans.
"""

import io
import os
import re
import time
from collections import deque
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import cycle
from threading import Event
from typing import TYPE_CHECKING

import polars as pl

from cotenant.errors import TraceError
from cotenant.traces.prometheus.saved import Column, Samples
from cotenant.traces.prometheus.source import RangeQuery, parse_source
from cotenant.traces.schema import Reading

if TYPE_CHECKING:
    import httpx2

WORKERS = 4
ATTEMPTS = 4
BACKOFF_S = 0.5  # before the second attempt, then twice as long each time
LONGEST_WAIT_S = 30.0
CONNECT_S = 10.0
ANSWER_S = 150.0  # a server gives up on a query after two minutes unless told otherwise
_MOVED = "; expected the address that answers itself, this one sends elsewhere"
_HINTS = {
    **dict.fromkeys((301, 302, 303, 307, 308), _MOVED),
    401: "; set COTENANT_PROMETHEUS_TOKEN, or COTENANT_PROMETHEUS_USER and "
    "COTENANT_PROMETHEUS_PASSWORD",
    403: "; these credentials may not query",
    404: "; is a path prefix missing from the address?",
    422: "; a larger step or a shorter range asks for less",
}


def read(
    text: str,
    reading: Reading,
    *,
    now: float | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Iterator[pl.DataFrame]:
    """Yield the answers, some series at a time, request after request in time order.

    Parameters
    ----------
    text
        ``prometheus+http(s)://HOST[:PORT][/PREFIX]?query=...&start=...`` and
        optionally ``end``, ``step`` and ``memory_query``.
    reading
        Options in, counts out; it needs no members.
    now
        What `now` means in `start` and `end`, Unix seconds; the clock by default.
    environ
        Where credentials are looked up.

    Raises
    ------
    InvalidInput
        If the text is no such address.
    TraceError
        If a request fails for good, or a query gives no series in the whole range.
    """
    query = parse_source(text, time.time() if now is None else now, environ)
    if window := re.search(r"\[((?:\d+[a-z]+)+)[]:]", query.queries["cpu"]):
        reading.cleaning.note(
            f"CPU values are averages over {window[1]}; shorter peaks are not in them"
        )
    empty: dict[Column, int] = dict.fromkeys(query.queries, 0)
    spans, samples = query.spans(), Samples(reading)
    with closing(_answers(query, spans)) as answers:
        for column, answer in zip(cycle(query.queries), answers, strict=False):
            stream = io.BytesIO(answer)
            found = yield from samples.read(query.address, stream, column)
            empty[column] += not found
    for column, count in empty.items():
        _judge_empty(query, reading, column, count, len(spans))


def _judge_empty(
    query: RangeQuery, reading: Reading, column: Column, empty: int, requests: int
) -> None:
    if empty == requests:
        problem = f"the {column} query returned no series; check the metric name"
        raise TraceError(query.address, problem)
    if empty:
        share = f"{empty} of {requests} requests"
        reading.cleaning.note(
            f"{share} of the {column} query lie where the server has no data"
        )


def _answers(
    query: RangeQuery, spans: list[tuple[int, int]]
) -> Generator[bytes, None, None]:
    """Yield the answers in order: spans, and the queries within each."""
    import httpx2

    stop = Event()
    requests = deque((span, q) for span in spans for q in query.queries.values())
    flying: deque[Future[bytes]] = deque()
    timeout = httpx2.Timeout(ANSWER_S, connect=CONNECT_S)
    with (
        httpx2.Client(headers=query.headers, timeout=timeout) as client,
        ThreadPoolExecutor(WORKERS) as pool,
    ):
        ask = partial(_ask, client, query, stop)
        try:
            while requests or flying:
                while requests and len(flying) < WORKERS:
                    flying.append(pool.submit(ask, *requests.popleft()))
                yield flying.popleft().result()
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _ask(
    client: "httpx2.Client",
    query: RangeQuery,
    stop: Event,
    span: tuple[int, int],
    expression: str,
) -> bytes:
    """Ask until there is an answer, an error that stays, or no attempt left."""
    form = query.form(span, expression)
    for attempt in range(ATTEMPTS):
        outcome = _attempt(client, query.address, form)
        last = attempt + 1 == ATTEMPTS or stop.is_set()
        if outcome.body is not None:
            return outcome.body
        if last or not outcome.passing:
            break
        wait = max(outcome.retry_after, BACKOFF_S * 2**attempt)
        stop.wait(min(wait, LONGEST_WAIT_S))
    tries = f" after {attempt + 1} attempts" if attempt else ""
    problem = f"{_say(span)} cannot be read{tries}: {outcome.problem}"
    raise TraceError(query.address, problem)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A body, or a problem and whether it may pass."""

    body: bytes | None = None
    problem: str = ""
    passing: bool = False
    retry_after: float = 0.0


def _attempt(
    client: "httpx2.Client", address: str, form: Mapping[str, str]
) -> _Outcome:
    import httpx2

    try:
        answer = client.post(f"{address}/api/v1/query_range", data=dict(form))
    except httpx2.ReadTimeout:
        problem = f"no answer within {ANSWER_S:g} s; expected a query that takes less"
        return _Outcome(problem=problem)
    except httpx2.TransportError as error:
        return _Outcome(problem=f"{type(error).__name__}: {error}", passing=True)
    if answer.status_code == 200:
        return _Outcome(answer.content)
    after = answer.headers.get("Retry-After", "")
    return _Outcome(
        problem=f"HTTP {answer.status_code}, {_server_text(answer)}"
        + _HINTS.get(answer.status_code, ""),
        passing=answer.status_code == 429 or answer.status_code >= 500,
        retry_after=float(after) if after.isdecimal() else 0.0,
    )


def _server_text(answer: "httpx2.Response") -> str:
    try:
        said = answer.json()
        return f"{said['errorType']}: {said['error']}"
    except (ValueError, KeyError, TypeError):
        return " ".join(answer.text.split())[:200] or "without a text"


def _say(span: tuple[int, int]) -> str:
    first, last = (datetime.fromtimestamp(ms / 1000, UTC) for ms in span)
    return f"{first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M} UTC"
