"""Tokens, roles, origins: who is let in, and who never reaches a handler."""

import base64
import hashlib
import io
import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotenant.errors import InvalidInput
from cotenant.service.logs import JsonLines
from cotenant.service.security import (
    Door,
    Failures,
    Tokens,
    check_exposure,
    is_loopback,
    secret_of,
)
from tests.service.running import running

READER, WRITER = "reader-secret", "writer-secret"


def _line(name, role, secret):
    return f"{name} {role} {hashlib.sha256(secret.encode()).hexdigest()}"


TEXT = "\n".join(
    [
        "# who may do what",
        "",
        _line("eye", "read", READER),
        _line("hand", "write", WRITER),
    ]
)
TOKENS = Tokens.parse(TEXT, "tokens")


def _bearer(secret):
    return {"Authorization": f"Bearer {secret}"}


@pytest.fixture(scope="module")
def guarded():
    with running(door=Door(TOKENS, True)) as service:
        service.machines(1)
        yield service


def _requests(app):
    """Every method and path of the interface, with something in place of names."""
    for path, methods in app.openapi()["paths"].items():
        for method in methods:
            filled = path.replace("{name}", "n1").replace("{plan}", "p1")
            yield method.upper(), filled


def test_without_a_token_no_request_reaches_a_handler(guarded, monkeypatch):
    reached = []
    for name in ("place", "tasks", "machines", "summary", "events", "assess", "drain"):
        monkeypatch.setattr(guarded.placement, name, lambda *a, **k: reached.append(a))
    app = guarded.app
    seen = []
    handle = type(app.router).__call__

    async def spy(router, scope, receive, send):
        if scope["type"] == "http":
            seen.append(scope["path"])
        await handle(router, scope, receive, send)

    monkeypatch.setattr(type(app.router), "__call__", spy)
    asked = [
        *_requests(app),
        ("GET", "/dashboard/fleet"),
        ("GET", "/docs"),
        ("GET", "/openapi.json"),
    ]
    for method, path in asked:
        if path in ("/healthz", "/readyz"):
            continue
        for headers in ({}, _bearer("guess"), {"Authorization": "Basic !!"}):
            answer = guarded.http.request(method, path, json={}, headers=headers)
            assert answer.status_code in (401, 429), (method, path)
            assert answer.json()["error"] in ("unauthorized", "rate-limited")
    assert (reached, seen) == ([], [])
    guarded.http.get("/v1/tasks", headers=_bearer(READER))
    assert (len(reached), seen) == (1, ["/v1/tasks"])  # the spies do see


def test_a_reader_looks_and_does_not_touch(guarded):
    for method, path in _requests(guarded.app):
        answer = guarded.http.request(method, path, json={}, headers=_bearer(READER))
        if path in ("/healthz", "/readyz"):
            continue
        if method == "GET":
            assert answer.status_code in (200, 404), path
        else:
            assert (answer.status_code, path) == (403, path)


def test_a_writer_does_both(guarded):
    asked = {"name": "t", "usage": {"cpu": {"mean": 0.1}}}
    head = _bearer(WRITER)
    assert guarded.http.post("/v1/tasks", json=asked, headers=head).status_code == 201
    assert guarded.http.get("/v1/tasks", headers=head).status_code == 200


def test_a_password_is_as_good_as_a_bearer_token(guarded):
    words = base64.b64encode(f"scheduler:{WRITER}".encode()).decode()
    answer = guarded.http.get("/v1/tasks", headers={"Authorization": f"Basic {words}"})
    assert answer.status_code == 200


def test_a_missing_token_is_asked_for_in_both_forms(guarded):
    answer = guarded.http.get("/docs")
    assert answer.status_code == 401
    asked = ", ".join(answer.headers.get_list("www-authenticate"))
    assert "Bearer" in asked
    assert "Basic" in asked


def test_probes_need_no_token(guarded):
    assert guarded.http.get("/healthz").status_code == 200
    assert guarded.http.get("/readyz").status_code == 200


def test_guessing_is_slowed_down_and_a_right_token_is_not():
    with running(door=Door(TOKENS, True)) as service:
        statuses = [
            service.http.get("/v1/tasks", headers=_bearer(f"guess-{n}")).status_code
            for n in range(12)
        ]
        assert statuses == [401] * 10 + [429] * 2
        right = service.http.get("/v1/tasks", headers=_bearer(READER))
        assert right.status_code == 200


def test_failures_are_forgotten_after_a_minute_and_kept_in_bounded_memory():
    now = [0.0]
    failures = Failures(most=2, seconds=60.0, addresses=3, clock=lambda: now[0])
    assert [failures.note("a") for _ in range(4)] == [False, False, True, True]
    now[0] = 61.0
    assert failures.note("a") is False
    for address in "bcde":
        failures.note(address)
    assert len(failures._seen) == 3


def test_changes_from_other_web_sites_are_refused():
    with running() as service:
        for origin in ("http://evil.example", "null", "http://127.0.0.1:9999"):
            answer = service.http.post("/v1/repack", headers={"Origin": origin})
            assert answer.status_code == 403, origin
        here = {"Origin": "http://127.0.0.1:8080"}
        assert service.http.post("/v1/repack", headers=here).status_code == 200


def test_without_tokens_only_loopback_names_are_answered():
    with running() as service:
        for host, status in [
            ("localhost:8080", 200),
            ("127.0.0.1", 200),
            ("[::1]:8080", 200),
            ("rebound.example", 403),
            ("127.0.0.1.example", 403),
            ("", 403),
        ]:
            answer = service.http.get("/v1/tasks", headers={"Host": host})
            assert answer.status_code == status, host


def test_every_reply_carries_the_security_headers():
    with running(door=Door(TOKENS, True)) as service:
        for path, headers in [
            ("/v1/tasks", _bearer(READER)),
            ("/v1/tasks", {}),
            ("/nothing", _bearer(READER)),
            ("/docs", _bearer(READER)),
        ]:
            answer = service.http.get(path, headers=headers)
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["x-frame-options"] == "DENY"
            assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
            assert answer.headers["cache-control"] == "no-store"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert "server" not in answer.headers


def test_no_secret_reaches_the_log():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("cotenant")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        with running(door=Door(TOKENS, True)) as service:
            path = f"/v1/events?token={WRITER}"
            service.http.get(path, headers=_bearer(WRITER))
            service.http.get(path, headers=_bearer(f"wrong-{WRITER}"))
            service.http.post(
                "/v1/tasks", json={"name": WRITER * 99}, headers=_bearer(WRITER)
            )
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    asked = [line for line in lines if line["message"] == "request"]
    assert [line["status"] for line in asked] == [200, 401, 400]
    assert asked[0]["token"] == "hand"
    assert WRITER not in stream.getvalue()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "names no token"),
        ("# nothing", "names no token"),
        ("eye read", "line 1"),
        ("\neye look " + "0" * 64, "line 2"),
        (f"eye read {READER}", "line 1"),
        ("eye read " + "0" * 62, "line 1"),
    ],
)
def test_a_damaged_tokens_file_is_refused_without_repeating_it(text, where):
    with pytest.raises(InvalidInput, match=where) as caught:
        Tokens.parse(text, "tokens")
    assert READER not in str(caught.value)


def test_a_tokens_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="cannot read tokens"):
        Tokens.read(str(tmp_path / "none"))
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="not text"):
        Tokens.read(str(tmp_path / "binary"))


def test_only_hashes_are_kept():
    kept = repr([vars(TOKENS)])
    assert READER not in kept
    assert WRITER not in kept


@given(st.text(max_size=40))
def test_a_secret_is_found_exactly_if_it_is_right(guess):
    found = TOKENS.whose(guess)
    assert (None if found is None else found.name) == {
        READER: "eye",
        WRITER: "hand",
    }.get(guess)


@given(st.text(st.characters(max_codepoint=255), max_size=60))
def test_any_authorization_header_can_be_read(header):
    secret = secret_of(header)
    assert secret is None or secret in header or header.lower().startswith("basic")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost"])
def test_loopback_needs_no_tokens(host):
    assert is_loopback(host)
    check_exposure(host, None, insecure=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.com"])
def test_the_world_is_let_in_only_with_tokens_or_insistence(host):
    assert not is_loopback(host)
    with pytest.raises(InvalidInput, match="--insecure"):
        check_exposure(host, None, insecure=False)
    check_exposure(host, TOKENS, insecure=False)
    check_exposure(host, None, insecure=True)
