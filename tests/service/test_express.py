"""The way past the framework answers as the framework does, to the byte."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from cotenant.service import app, express
from cotenant.service.asked import Settings
from tests.service.recorded import HEADERS, by_names, by_nodes, node, pod
from tests.service.running import Running, running

JSON = {"content-type": "application/json"}
SMALL = {"name": "t1", "usage": {"cpu": {"mean": 0.1, "variance": 0.001}}}
SAMPLED = {"name": "t2", "usage": {"cpu": {"samples": [0.1, 0.2]}}, "label": "r"}
NODES = ["n1", "n2", "n3"]


def key(value: str) -> dict[str, str]:
    return {**JSON, "idempotency-key": value}


def asked(body: Any, headers: dict[str, str] = JSON) -> tuple[str, Any, dict[str, str]]:
    return "/v1/tasks", body, headers


GOOD = [
    asked(SMALL),
    asked(SMALL),
    asked([SAMPLED, {"name": "t3", "usage": {"cpu": {"mean": "50m"}}}]),
    asked({"name": "s", "sla": "1/4:1/5"}),
    asked({"name": "k", "usage": {"cpu": {"mean": 0.01}}}, key("once")),
    asked({"name": "k", "usage": {"cpu": {"mean": 0.01}}}, key("once")),
    asked({"name": "ü/\u2028", "usage": {"cpu": {"mean": 0}, "memory": {"mean": 0}}}),
]
REFUSED = [
    asked({"name": "t1", "usage": {"cpu": {"mean": 0.2}}}),
    asked({"name": "huge", "usage": {"cpu": {"mean": 99.0}}}),
    asked({"name": "k2", "usage": {"cpu": {"mean": 0.01}}}, key("once")),
    asked([SMALL, SMALL]),
    asked({"name": "x", "usage": {"cpu": {"mean": 0.1}}}, key("a\tb")),
]
MALFORMED = [
    asked({"name": "y", "usage": {"cpu": {"mean": 0.1}}}, key("")),
    asked({"name": "y", "usage": {"cpu": {"mean": 0.1}}}, key("k" * 254)),
    asked({"name": "", "usage": {"cpu": {"mean": 0.1}}}),
    asked({"name": "x", "usage": {"cpu": {"mean": -0.1}}}),
    asked({"name": "x", "usage": {"disk": {"mean": 0.1}}}),
    asked({"name": "x", "usage": {"cpu": {"mean": 0.1}}, "more": 1}),
    asked([]),
    asked(7),
    asked(b"{"),
    asked(b""),
    asked(b'{"name": "x", "usage": {"cpu": {"mean": NaN}}}'),
    asked(b"[" * 300),
    asked(b"\xff"),
    asked(SMALL, {"content-type": "text/plain"}),
    asked(SMALL, {**JSON, "content-encoding": "gzip"}),
]
EXTENDER = [
    (f"/extender/{verb}", body, HEADERS)
    for body in [
        by_names(pod("p", cpu_mean="100m", cpu_deviation="20m"), NODES),
        by_names(pod("p"), [*NODES, "ghost"]),
        by_nodes(pod("q"), NODES),
        {"pod": pod("lower"), "nodes": {"items": [node("n1")]}, "nodenames": None},
        by_names(pod("big", cpu_mean="64"), NODES),
        by_names(pod("odd", cpu_mean="lots"), NODES),
        by_names(pod("none"), []),
        {"Pod": {}, "NodeNames": NODES},
        {},
        [],
        b"{",
        b"",
    ]
    for verb in ("filter", "prioritize")
]
ALL = [*GOOD, *REFUSED, *MALFORMED, *EXTENDER]


@contextmanager
def service() -> Iterator[Running]:
    with running(Settings()) as made:
        made.machines(3, cpu=2.0, memory=2.0**34)
        host = {"name": "rt", "capacity": {"cpu": 1}, "kind": "sla"}
        assert made.http.post("/v1/machines", json=host).status_code == 201
        yield made


def answers(to: Running) -> list[tuple[int, list[tuple[str, str]], bytes]]:
    """Ask everything in order."""
    found = []
    for path, body, headers in ALL:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        reply = to.http.post(path, content=content, headers=headers)
        found.append((reply.status_code, reply.headers.multi_items(), reply.content))
    return found


def counted(by: Running) -> list[str]:
    """What was counted, but times."""
    lines = by.service.meters.text().decode().splitlines()
    return [line for line in lines if "_seconds" not in line and "_created" not in line]


def test_answers_headers_and_counts_are_those_of_the_framework(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with service() as quick:
        fast, fast_counts = answers(quick), counted(quick)
    monkeypatch.setattr(app, "Express", lambda app, service: app)
    with service() as plain:
        slow, slow_counts = answers(plain), counted(plain)
    for request, one, other in zip(ALL, fast, slow, strict=True):
        assert one == other, request
    assert fast_counts == slow_counts
    assert {status for status, _, _ in fast} >= {200, 201, 400, 409, 415, 422}


def test_what_is_well_formed_goes_past_the_framework(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    went_on: list[str] = []
    replay = express.replay

    def noted(body: bytes, receive: Any) -> Any:
        went_on.append(body.decode("latin-1"))
        return replay(body, receive)

    monkeypatch.setattr(express, "replay", noted)
    with service() as quick:
        answers(quick)
    assert "{" in went_on
    assert not {json.dumps(body) for _, body, _ in (*GOOD, *REFUSED)} & set(went_on)
