"""Requests that are wrong on purpose: refused clearly, cheaply, and in time."""

import json
import socket
import time

import pytest

from cotenant.service.guard import Limits
from cotenant.service.patience import PatientProtocol
from tests.service.fakes import listening
from tests.service.running import running

JSON = {"content-type": "application/json"}
LIMITS = Limits(body_bytes=2 * 2**20, body_s=0.3)


@pytest.fixture(scope="module")
def service():
    with running(limits=LIMITS) as service:
        service.machines(1, cpu=4.0)
        yield service


class Hasty(PatientProtocol):
    head_s = 0.3


@pytest.fixture(scope="module")
def address(service):
    with listening(service.app, http=Hasty) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        yield host, int(port)


def _task(usage):
    return f'{{"name": "t", "usage": {usage}}}'.encode()


@pytest.mark.parametrize(
    "body",
    [
        _task('{"cpu": {"mean": NaN}}'),
        _task('{"cpu": {"mean": Infinity}}'),
        _task('{"cpu": {"mean": -0.1}}'),
        _task('{"cpu": {"mean": 1e400}}'),
        _task('{"cpu": {"mean": "NaN"}}'),
        _task('{"cpu": {"mean": true}}'),
        _task('{"cpu": {"mean": null}}'),
        _task('{"cpu": {"variance": 1}}'),
        _task('{"cpu": {"mean": 1, "variance": -1}}'),
        _task('{"cpu": {"mean": 1, "samples": [1]}}'),
        _task('{"cpu": {"samples": []}}'),
        _task('{"cpu": {"samples": [0.1, -0.1]}}'),
        _task('{"cpu": {"samples": ["a"]}}'),
        _task('{"memory": {"mean": 1}}'),
        _task('{"cpu": {"mean": 1}, "disk": {"mean": 1}}'),
        _task("{}"),
        _task("[]"),
        _task("9" * 5000),
        b'{"name": "", "usage": {"cpu": {"mean": 1}}}',
        b'{"name": "a\\u0000b", "usage": {"cpu": {"mean": 1}}}',
        b'{"name": "a\\nb", "usage": {"cpu": {"mean": 1}}}',
        b'{"name": "\\ud800", "usage": {"cpu": {"mean": 1}}}',
        b'{"name": "\xff", "usage": {"cpu": {"mean": 1}}}',
        b'{"name": 7, "usage": {"cpu": {"mean": 1}}}',
        b'{"name": "t"}',
        b'{"name": "t", "sla": "9/3"}',
        b'{"name": "t", "sla": "1/30:2/5", "usage": {"cpu": {"mean": 1}}}',
        b'{"name": "t", "sla": "' + b"1" * 5000 + b'/30"}',
        b'[{"name": "t", "usage": {"cpu": {"mean": 1}}}, 7]',
        b"[]",
        b"null",
        b'"t"',
        b"",
        b"{",
        b"\x00",
        b"[" * 100_000,
        b'{"a":' * 50_000,
    ],
)
def test_a_task_that_cannot_be_right_is_refused(service, body):
    answer = service.http.post("/v1/tasks", content=body, headers=JSON)
    assert (answer.status_code, answer.json()["error"]) == (400, "malformed")
    assert 0 < len(answer.json()["reason"]) < 600
    assert service.http.get("/v1/tasks").json() == []


@pytest.mark.parametrize("path", ["/v1/tasks", "/v1/machines"])
def test_a_name_of_a_megabyte_is_refused_without_being_sent_back(service, path):
    body = {"name": "n" * 2**20, "capacity": {"cpu": 1}, "usage": {"cpu": {"mean": 1}}}
    answer = service.http.post(path, json=body)
    assert answer.status_code == 400
    assert len(answer.content) < 1000


def test_a_list_that_is_too_long_is_refused(service):
    one = {"name": "t", "usage": {"cpu": {"mean": 1}}}
    answer = service.http.post("/v1/tasks", json=[one] * 1001)
    assert (answer.status_code, "1000" in answer.json()["reason"]) == (400, True)
    samples = {"name": "t", "usage": {"cpu": {"samples": [0.1] * 10_001}}}
    assert service.http.post("/v1/tasks", json=samples).status_code == 400


def test_a_name_given_twice_is_refused(service):
    one = {"name": "t", "usage": {"cpu": {"mean": 0.01}}}
    answer = service.http.post("/v1/tasks", json=[one, one])
    assert (answer.status_code, "twice" in answer.json()["reason"]) == (400, True)


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "multipart/form-data; boundary=x"},
        {"content-type": "application/xml"},
        {"content-type": ""},
        {"content-type": "application/json", "content-encoding": "gzip"},
    ],
)
def test_only_plain_json_is_read(service, headers):
    answer = service.http.post("/v1/tasks", content=b"{}", headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (
        415,
        "unsupported-media-type",
    )
    assert "application/json" in answer.json()["reason"]


@pytest.mark.parametrize(
    "query",
    ["after=-1", "after=x", "after=1e3", f"after={2**63}", "limit=0", "limit=a"],
)
def test_a_query_that_cannot_be_right_is_refused(service, query):
    answer = service.http.get(f"/v1/events?{query}")
    assert (answer.status_code, answer.json()["error"]) == (400, "malformed")


@pytest.mark.parametrize("key", ["k" * 254, "a\tb"])
def test_an_idempotency_key_that_cannot_be_right_is_refused(service, key):
    body = {"name": "t", "usage": {"cpu": {"mean": 1}}}
    head = {"Idempotency-Key": key}
    assert service.http.post("/v1/tasks", json=body, headers=head).status_code == 400


def test_a_path_that_is_too_long_is_refused(service):
    assert service.http.get("/v1/tasks/" + "n" * 254).status_code == 400
    assert service.http.get("/v1/tasks/" + "n" * 253).status_code == 404


def test_a_body_that_is_too_large_is_refused_before_it_is_read(service):
    head = {**JSON, "content-length": str(LIMITS.body_bytes + 1)}
    answer = service.http.post("/v1/tasks", content=b"{}", headers=head)
    assert (answer.status_code, answer.json()["error"]) == (413, "too-large")
    for wrong in ("-1", "x", "1e3"):
        head["content-length"] = wrong
        answer = service.http.post("/v1/tasks", content=b"{}", headers=head)
        assert answer.status_code == 413, wrong


def _talk(address, *parts, pause=0.0, until=5.0):
    """Send parts with pauses; return all that comes back until the end."""
    with socket.create_connection(address, timeout=until) as sock:
        answer = b""
        try:
            for part in parts:
                sock.sendall(part)
                time.sleep(pause)
            while chunk := sock.recv(65536):
                answer += chunk
        except (ConnectionResetError, BrokenPipeError):
            pass
        return answer


HEAD = (
    b"POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
)


def test_a_body_in_pieces_that_grows_too_large_is_refused(address):
    piece = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    chunks = [HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *[piece] * 4]
    answer = _talk(address, *chunks)
    # A client that goes on sending may lose the answer with the connection.
    assert answer == b"" or answer.startswith(b"HTTP/1.1 413")


def test_a_body_that_does_not_come_is_not_waited_for(address):
    started = time.monotonic()
    answer = _talk(address, HEAD + b"Content-Length: 20\r\n\r\n{")
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"connection: close" in answer.lower()
    assert time.monotonic() - started < 3.0


def test_a_body_that_drips_is_not_waited_for(address):
    started = time.monotonic()
    answer = _talk(
        address, HEAD + b"Content-Length: 99\r\n\r\n", *[b"{"] * 3, pause=0.08
    )
    assert answer.startswith(b"HTTP/1.1 408")
    assert time.monotonic() - started < 3.0


@pytest.mark.parametrize(
    "parts",
    [
        [b""],
        [b"GET /healthz HTTP/1.1\r\nHost: local"],
        [b"G", b"E", b"T", b" ", b"/", b" ", b"H", b"T"],
    ],
)
def test_a_head_that_does_not_come_ends_the_connection(address, parts):
    started = time.monotonic()
    assert _talk(address, *parts, pause=0.08) == b""
    assert time.monotonic() - started < 3.0


def test_a_second_request_is_as_little_waited_for_as_the_first(address):
    first = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer = _talk(address, first, b"GET /hea", pause=0.1)
    assert answer.count(b"HTTP/1.1 200") == 1


@pytest.mark.parametrize(
    "rubbish", [b"\x16\x03\x01\x02\x00\x01", b"\x00" * 50, b"GARBAGE\r\n\r\n"]
)
def test_what_is_no_http_is_answered_or_dropped(address, rubbish):
    answer = _talk(address, rubbish)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400")


def test_a_patient_client_is_served_after_all_that(address):
    body = json.dumps({"name": "ok", "usage": {"cpu": {"mean": 0.01}}}).encode()
    size = str(len(body)).encode()
    end = b"Connection: close\r\nContent-Length: " + size + b"\r\n\r\n"
    assert _talk(address, HEAD + end, body).startswith(b"HTTP/1.1 201")
    gone = (
        b"DELETE /v1/tasks/ok HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )
    assert _talk(address, gone).startswith(b"HTTP/1.1 200")
