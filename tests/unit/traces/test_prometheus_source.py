import base64

import pytest

from cotenant.errors import InvalidInput
from cotenant.traces.prometheus.source import POINTS, RangeQuery, parse_source

NOW = 1_780_000_000.0
PLAIN = "prometheus+http://prom:9090?query=up&start=0&end=60"


def parse(text: str, **environ: str) -> RangeQuery:
    return parse_source(text, NOW, environ)


def test_every_part_of_the_text_is_understood() -> None:
    query = parse(
        "prometheus+https://prom.example/team/a/?query=max%20by(pod)(x%2By)"
        "&memory_query=m&start=now-7d&end=now&step=5m"
    )
    assert query.address == "https://prom.example/team/a"
    assert query.queries == {"cpu": "max by(pod)(x+y)", "memory": "m"}
    assert query.end == 1_780_000_000_000
    assert query.end - query.start == 7 * 86_400_000
    assert query.step == 300_000


def test_a_query_needs_no_encoding_where_no_mark_is_ambiguous() -> None:
    text = 'max by (pod) (rate(x{c!="",c!~"#.*"}[2m]))'
    query = parse(f"prometheus+http://[::1]:9090?query={text}&start=0")
    assert query.address == "http://[::1]:9090"
    assert query.queries["cpu"] == text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1780000000.5", 1780000000.5),
        ("2026-05-01T00:00:00Z", 1777593600),
        ("2026-05-01T02:00:00+02:00", 1777593600),
        ("2026-05-01", 1777593600),
        ("now", NOW),
        ("now-1d12h", NOW - 129600),
        ("now-90", NOW - 90),
    ],
)
def test_moments_are_written_in_three_ways(text: str, seconds: float) -> None:
    query = parse(f"prometheus+http://p?query=up&start={text}&end=9999999999")
    assert query.start == round(seconds * 1000)


def test_end_is_now_and_step_a_minute_unless_given() -> None:
    query = parse("prometheus+http://p?query=up&start=now-1h")
    assert (query.end, query.step) == (round(NOW * 1000), 60_000)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("prometheus+ftp://p?query=up&start=0", "unclear"),
        ("prometheus+http://?query=up&start=0", "unclear"),
        ("prometheus+http://p:port?query=up&start=0", "unclear"),
        ("prometheus+http://p?start=0", "query is missing"),
        ("prometheus+http://p?query=&start=0", "query is missing"),
        ("prometheus+http://p?query=up", "start is missing"),
        ("prometheus+http://p?query=up&start=soon", "'soon'"),
        ("prometheus+http://p?query=up&start=now%2B1d", r"'now\+1d'"),
        ("prometheus+http://p?query=up&start=now-1y", "'1y'"),
        ("prometheus+http://p?query=up&start=0&step=0", "'0'"),
        ("prometheus+http://p?query=up&start=9&end=8", "end lies before"),
        ("prometheus+http://p?query=up&start=9&start=8", "twice"),
        ("prometheus+http://p?query=up&start=9&steps=8", "steps is unknown"),
    ],
)
def test_what_cannot_be_right_is_refused(text: str, word: str) -> None:
    with pytest.raises(InvalidInput, match=word):
        parse(text)


@pytest.mark.parametrize(
    "netloc", ["u:secr3t@p:port", "u:secr3t/x@p", "u:12/secr3t@p", "u:1?secr3t@p"]
)
def test_an_error_never_shows_a_password(netloc: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(f"prometheus+http://{netloc}?query=up&start=0")
    assert "secr3t" not in str(caught.value)


@pytest.mark.parametrize("points", [1, 2, POINTS, POINTS + 1, 11_521])
def test_spans_cover_every_moment_once(points: int) -> None:
    step = 60_000
    query = RangeQuery("http://p", {}, {}, 500, 500 + points * step - 1, step)
    moments: list[int] = []
    for first, last in query.spans():
        found = range(first, last + 1, step)
        assert len(found) <= POINTS
        moments += found
    assert moments == [500 + i * step for i in range(points)]


def test_a_token_comes_from_the_environment() -> None:
    query = parse(PLAIN, COTENANT_PROMETHEUS_TOKEN="t0ken\n")
    assert query.headers == {"Authorization": "Bearer t0ken"}


def test_user_and_password_come_from_the_environment_or_the_address() -> None:
    environ = {
        "COTENANT_PROMETHEUS_USER": "ann",
        "COTENANT_PROMETHEUS_PASSWORD": "a:b",
    }
    query = parse(PLAIN, **environ)
    _, _, pair = query.headers["Authorization"].partition(" ")
    assert base64.b64decode(pair) == b"ann:a:b"
    query = parse(
        "prometheus+http://bob:p%40ss@prom?query=up&start=0",
        COTENANT_PROMETHEUS_TOKEN="other",
    )
    _, _, pair = query.headers["Authorization"].partition(" ")
    assert base64.b64decode(pair) == b"bob:p@ss"
    assert query.address == "http://prom"


def test_without_credentials_there_is_no_header() -> None:
    assert parse(PLAIN).headers == {}


def test_a_token_that_no_header_can_carry_is_refused_and_not_shown() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(PLAIN, COTENANT_PROMETHEUS_TOKEN="secr3t\nmore")
    assert "secr3t" not in str(caught.value)
