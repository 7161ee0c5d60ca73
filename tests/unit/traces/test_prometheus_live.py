import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

import polars as pl
import pytest

from cotenant.errors import TraceError
from cotenant.traces.cleaning import Cleaning
from cotenant.traces.prometheus import live as prometheus_live
from cotenant.traces.prometheus import source as prometheus_source
from cotenant.traces.schema import Reading, ReadOptions
from tests.contracts.readers.prometheus import pod

Answer = tuple[int, bytes, dict[str, str]]
TOO_MANY = (
    "exceeded maximum resolution of 11,000 points per timeseries. "
    "Try decreasing the query resolution (?step=XX)"
)


def error(code: int, kind: str, text: str, **headers: str) -> Answer:
    body = {"status": "error", "errorType": kind, "error": text}
    return code, json.dumps(body).encode(), headers


def series_of(expression: str) -> list[dict[str, str]]:
    if expression == "nothing":
        return []
    if expression == "memory":
        return [pod("web-1")]
    return [pod("web-1"), pod("web-2")]


def evaluate(form: dict[str, str]) -> Answer:
    """Answer as a server does, with the millisecond of a moment as its value."""
    start, end, step = (round(1000 * float(form[k])) for k in ("start", "end", "step"))
    if (end - start) // step > 11_000:
        return error(400, "bad_data", TOO_MANY)
    values = [[ms / 1000, str(ms // step % 7)] for ms in range(start, end + 1, step)]
    if form["query"] == "recent":
        values = [point for point in values if float(point[0]) >= 3000 * 60]
    series = series_of(form["query"]) if values else []
    result = [{"metric": labels, "values": values} for labels in series]
    data = {"resultType": "matrix", "result": result}
    return 200, json.dumps({"status": "success", "data": data}).encode(), {}


@dataclass
class Fake:
    """A server whose answers a test may replace, and the requests it saw."""

    url: str = ""
    answer: Callable[[int, dict[str, str]], Answer | None] = lambda _n, _form: None
    seen: list[tuple[str, dict[str, str], dict[str, str]]] = field(default_factory=list)
    busy: int = 0
    busiest: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def respond(
        self, path: str, headers: dict[str, str], form: dict[str, str]
    ) -> Answer:
        with self.lock:
            self.seen.append((path, headers, form))
            number = len(self.seen)
            self.busy += 1
            self.busiest = max(self.busiest, self.busy)
        answer = self.answer(number, form) or evaluate(form)
        with self.lock:
            self.busy -= 1
        return answer


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(prometheus_live, "BACKOFF_S", 0.01)
    state = Fake()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            form = dict(parse_qsl(self.rfile.read(length).decode()))
            code, body, headers = state.respond(self.path, dict(self.headers), form)
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        state.url = f"http://127.0.0.1:{server.server_port}"
        yield state
        server.shutdown()
        thread.join()


def read(
    fake: Fake, query: str = "query=up&start=0&end=600", **environ: str
) -> tuple[pl.DataFrame, Reading]:
    reading = Reading([], ReadOptions(), Cleaning())
    text = f"prometheus+{fake.url}/prefix?{query}"
    batches = prometheus_live.read(text, reading, now=0.0, environ=environ)
    return pl.concat(batches, how="diagonal"), reading


def refused(fake: Fake, query: str = "query=up&start=0&end=600", **environ: str) -> str:
    with pytest.raises(TraceError) as caught:
        read(fake, query, **environ)
    return str(caught.value)


def test_a_short_range_is_one_post_of_a_form(fake: Fake) -> None:
    rows, reading = read(fake)
    (path, headers, form), *more = fake.seen
    assert not more
    assert path == "/prefix/api/v1/query_range"
    assert headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert "Authorization" not in headers
    assert form == {"query": "up", "start": "0.000", "end": "600.000", "step": "60.000"}
    assert rows.height == reading.cleaning.rows == 22
    assert reading.unit == "cores"


def test_a_long_range_is_cut_and_every_moment_is_there_once_and_in_order(
    fake: Fake,
) -> None:
    rows, _ = read(fake, "query=up&start=0.5&end=700000&step=60")
    assert len(fake.seen) == 5
    for task in ("shop/web-1/web", "shop/web-2/web"):
        times = rows.filter(task=task)["time"].to_list()
        assert times == [0.5 + 60 * i for i in range(11_667)]


def test_the_order_does_not_depend_on_which_answer_comes_first(fake: Fake) -> None:
    def slow_first(number: int, _form: dict[str, str]) -> None:
        time.sleep(0.2 if number == 1 else 0.0)

    expected, _ = read(fake, "query=up&start=0&end=900000")
    fake.answer, fake.seen = slow_first, []
    rows, _ = read(fake, "query=up&start=0&end=900000")
    assert rows.equals(expected)


def test_no_more_than_four_requests_are_under_way(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prometheus_source, "POINTS", 10)
    fake.answer = lambda _n, _form: time.sleep(0.02)
    rows, _ = read(fake, "query=up&start=0&end=11940")
    assert rows.height == 400
    assert 1 < fake.busiest <= 4


def test_a_reader_that_stops_early_stops_the_requests(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prometheus_source, "POINTS", 10)
    reading = Reading([], ReadOptions(), Cleaning())
    text = f"prometheus+{fake.url}?query=up&start=0&end=60000"
    with closing(prometheus_live.read(text, reading, now=0.0)) as batches:
        next(batches)
    assert len(fake.seen) <= 9


def test_memory_is_asked_for_beside_cpu(fake: Fake) -> None:
    rows, reading = read(fake, "query=up&memory_query=memory&start=0&end=600")
    assert [form["query"] for _, _, form in fake.seen].count("memory") == 1
    measured = rows.group_by("task").agg(pl.col("cpu", "memory").count()).sort("task")
    assert measured.rows() == [("shop/web-1/web", 11, 11), ("shop/web-2/web", 11, 0)]
    assert reading.cleaning.rows == 33


def test_the_refusal_of_too_many_points_is_quoted(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prometheus_source, "POINTS", 20_000)
    said = refused(fake, "query=up&start=0&end=700000")
    assert "HTTP 400" in said
    assert TOO_MANY in said
    assert len(fake.seen) == 1


def test_one_failing_chunk_fails_the_whole_read(fake: Fake) -> None:
    def fail(_number: int, form: dict[str, str]) -> Answer | None:
        late = float(form["start"]) > 300_000
        return error(422, "execution", "too many samples") if late else None

    fake.answer = fail
    said = refused(fake, "query=up&start=0&end=700000")
    assert "execution: too many samples" in said
    assert "1970-01-05 00:00 to 1970-01-06 23:59 UTC" in said


@pytest.mark.parametrize("code", [429, 500, 503])
def test_an_error_that_may_pass_is_retried(code: int, fake: Fake) -> None:
    fake.answer = lambda n, _form: error(code, "timeout", "busy") if n < 4 else None
    rows, _ = read(fake)
    assert rows.height == 22
    assert len(fake.seen) == 4


def test_retries_end_and_the_last_error_is_told(fake: Fake) -> None:
    fake.answer = lambda _n, _form: error(503, "unavailable", "shutting down")
    said = refused(fake)
    assert "after 4 attempts" in said
    assert "HTTP 503, unavailable: shutting down" in said
    assert len(fake.seen) == 4


def test_the_pause_asked_for_is_made(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prometheus_live, "LONGEST_WAIT_S", 0.3)
    pause = error(429, "rate", "slow down", Retry_After="600")
    fake.answer = lambda n, _form: pause if n == 1 else None
    before = time.monotonic()
    read(fake)
    assert time.monotonic() - before >= 0.3


@pytest.mark.parametrize("code", [400, 401, 403, 404, 302])
def test_other_errors_are_told_at_once_in_the_words_of_the_server(
    code: int, fake: Fake
) -> None:
    fake.answer = lambda _n, _form: (code, b"go\naway", {})
    said = refused(fake)
    assert f"HTTP {code}, go away" in said
    assert len(fake.seen) == 1


def test_a_request_without_credentials_is_told_where_to_put_them(fake: Fake) -> None:
    fake.answer = lambda _n, _form: (401, b"Unauthorized", {})
    assert "COTENANT_PROMETHEUS_TOKEN" in refused(fake)


def test_credentials_are_sent_and_never_shown(
    fake: Fake, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    fake.answer = lambda _n, _form: (403, b"Forbidden", {})
    said = refused(fake, COTENANT_PROMETHEUS_TOKEN="s3cret")
    assert fake.seen[0][1]["Authorization"] == "Bearer s3cret"
    fake.url = fake.url.replace("//", "//ann:s3cret@")
    said += refused(fake)
    assert fake.seen[1][1]["Authorization"] == "Basic YW5uOnMzY3JldA=="
    for secret in ("s3cret", "YW5uOnMzY3JldA"):
        assert secret not in said + caplog.text


@pytest.mark.parametrize(
    "body", [b"", b"<html>log in</html>", b'{"status":"success","data":{"resultType"']
)
def test_a_body_that_is_no_json_is_an_error(body: bytes, fake: Fake) -> None:
    fake.answer = lambda _n, _form: (200, body, {})
    assert "damaged or cut off" in refused(fake)


def test_a_query_without_series_is_an_error_and_never_zero(fake: Fake) -> None:
    said = refused(fake, "query=nothing&start=0&end=600")
    assert "the cpu query returned no series; check the metric name" in said
    said = refused(fake, "query=up&memory_query=nothing&start=0&end=600")
    assert "the memory query returned no series" in said


def test_a_part_of_the_range_without_data_is_noted(fake: Fake) -> None:
    rows, reading = read(fake, "query=recent&start=0&end=700000")
    assert rows["time"].min() == 180_000
    (note,) = reading.cleaning.notes
    assert "1 of 5 requests of the cpu query" in note


def test_a_server_that_is_slow_is_an_error(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prometheus_live, "ANSWER_S", 0.1)
    fake.answer = lambda _n, _form: time.sleep(0.5)
    assert "no answer within 0.1 s" in refused(fake)


def test_no_server_is_an_error_that_names_the_address(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prometheus_live, "ATTEMPTS", 2)
    fake.url = "http://127.0.0.1:9"
    said = refused(fake)
    assert said.startswith("http://127.0.0.1:9/prefix: ")
    assert "after 2 attempts: ConnectError" in said
