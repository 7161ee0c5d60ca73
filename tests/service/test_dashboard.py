"""The page without data, and the fleet in columns that fills it."""

import gzip
import json
import re
from dataclasses import replace
from importlib.resources import files

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cotenant.service import dashboard as module
from cotenant.service.asked import MachineSpec, Moments, Settings, TaskSpec
from cotenant.service.core import Placement
from cotenant.service.dashboard import POLICY, Fleet, dashboard
from cotenant.service.security import SHELL

NAME = '<img src=x onerror="alert(1)">'


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def placement(clock):
    core = Placement(Settings(rho=0.01, stale_after=300.0), clock=clock)
    yield core
    core.close()


@pytest.fixture
def http(placement, clock):
    app = FastAPI()
    app.include_router(dashboard(placement, clock))
    with TestClient(app) as client:
        yield client


@pytest.fixture
def often(monkeypatch):
    """Let the fleet be worked out as often as it is asked for."""
    monkeypatch.setattr(module, "FRESH_S", 0.0)
    monkeypatch.setattr(module, "STALE_S", 0.0)


def _task(name, mean=0.1, variance=0.0):
    return TaskSpec(name, {"cpu": Moments(mean, variance)})


def _machines(placement, *names, **capacity):
    specs = [MachineSpec(name, {"cpu": 1.0, **capacity}) for name in names]
    placement.add_machines(specs).result()


def _rows(http):
    told = http.get("/dashboard/fleet").json()
    return [dict(zip(told["columns"], row, strict=True)) for row in told["machines"]]


def test_the_shell_is_the_same_whatever_is_in_the_fleet(http, placement):
    before = {path: http.get(path).text for path in SHELL}
    _machines(placement, NAME)
    placement.place([_task("secret-task")]).result()
    after = {path: http.get(path).text for path in SHELL}
    assert before == after
    assert all(text for text in after.values())


@pytest.mark.parametrize("path", sorted(SHELL))
def test_the_shell_allows_its_own_two_files_and_nothing_else(http, path):
    answer = http.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    sources = (
        re.findall(r"(?:src|href)=\"([^\"#]+)", answer.text) if path == "/" else []
    )
    for source in sources:
        assert source in {"data:,", "docs", "metrics"} or f"/{source}".startswith(
            ("/dashboard/page.css", "/dashboard/page.js")
        )


def test_the_page_has_no_script_or_style_between_its_lines(http):
    text = http.get("/").text
    assert re.findall(r"<script(?![^>]*src=)", text) == []
    assert re.findall(r"<style|\sstyle=|\son\w+=", text) == []


def test_the_script_never_turns_text_into_markup():
    script = (files("cotenant.service") / "pages" / "page.js").read_text("utf-8")
    for way in (
        "innerHTML =",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
    ):
        assert way not in script
    assert "localStorage" not in script
    assert "https://" not in script
    assert "http://" not in script


def test_every_machine_is_a_row_with_the_numbers_of_the_core(http, placement):
    _machines(placement, "m1", "m2", memory=100.0)
    placement.place([_task("a", 0.25, 0.01), _task("b", 0.25, 0.01)]).result()
    usage = {"cpu": Moments(0.5), "memory": Moments(30.0)}
    placement.place([TaskSpec("c", usage)]).result()
    placement.drain("m2").result()
    rows = {row["name"]: row for row in _rows(http)}
    views = {view.name: view for view in placement.machines()}
    assert rows.keys() == views.keys()
    for name, row in rows.items():
        view = views[name]
        assert row["tasks"] == len(view.tasks)
        assert row["kind"] == view.kind
        assert (row["over"], row["draining"]) == (view.over_promise, view.draining)
        for key in ("load", "overload", "memory"):
            assert row[key] == pytest.approx(getattr(view, key), rel=1e-3)


def test_the_summary_is_that_of_the_core(http, placement):
    _machines(placement, "m1")
    placement.place([_task("a")]).result()
    told = http.get("/dashboard/fleet").json()
    assert told["summary"] == placement.summary().to_dict()
    assert told["stale_after"] == 300.0


@pytest.mark.usefixtures("often")
def test_a_machine_is_stale_when_one_of_its_tasks_is(http, placement, clock):
    _machines(placement, "m1", "m2")
    placement.place([_task("a", 0.6), _task("b", 0.6), _task("never", 0.1)]).result()
    for name in ("a", "b"):
        placement.update_usage(name, {"cpu": [0.6]}).result()
    measured_at = clock.now
    clock.now += 200
    placement.update_usage("b", {"cpu": [0.6]}).result()
    assert [row["stale"] for row in _rows(http)] == [0, 0]
    clock.now += 150
    old = placement.task("a").machine
    stale = {row["name"]: (row["stale"], row["oldest"]) for row in _rows(http)}
    other = placement.task("b").machine
    assert stale == {old: (1, measured_at), other: (0, None)}
    placement.fail_usage("never", "query failed").result()
    failed = placement.task("never").machine
    assert next(r for r in _rows(http) if r["name"] == failed)["stale"] >= 1


@pytest.mark.usefixtures("often")
def test_fresh_measurements_end_it(http, placement, clock):
    _machines(placement, "m1")
    placement.place([_task("a")]).result()
    placement.update_usage("a", {"cpu": [0.1]}).result()
    clock.now += 1000
    assert _rows(http)[0]["stale"] == 1
    placement.update_usage("a", {"cpu": [0.1]}).result()
    assert _rows(http)[0]["stale"] == 0


@pytest.mark.usefixtures("often")
def test_asking_again_costs_nothing_until_something_changes(http, placement):
    _machines(placement, "m1")
    first = http.get("/dashboard/fleet")
    tag = {"If-None-Match": first.headers["etag"]}
    again = http.get("/dashboard/fleet", headers=tag)
    assert (again.status_code, again.content) == (304, b"")
    placement.place([_task("a")]).result()
    changed = http.get("/dashboard/fleet", headers=tag)
    assert changed.status_code == 200
    assert changed.headers["etag"] != first.headers["etag"]


def test_many_who_look_cost_as_much_as_one(http, placement, monkeypatch):
    looked = []
    summary = placement.summary
    monkeypatch.setattr(placement, "summary", lambda: looked.append(1) or summary())
    monkeypatch.setattr(module, "FRESH_S", 3600.0)
    for _ in range(20):
        assert http.get("/dashboard/fleet").status_code == 200
    assert len(looked) == 1


def test_packed_and_plain_say_the_same(placement, clock):
    _machines(placement, *(f"m{number}" for number in range(200)))
    glance = Fleet(placement, clock).glance()
    assert gzip.decompress(glance.packed) == glance.plain
    assert len(glance.packed) < len(glance.plain) / 5


def test_those_who_cannot_unpack_get_it_plain(http, placement):
    _machines(placement, NAME)
    plain = http.get("/dashboard/fleet", headers={"Accept-Encoding": "identity"})
    packed = http.get("/dashboard/fleet", headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert plain.json() == packed.json()
    assert plain.headers["content-type"] == "application/json"


def test_what_is_not_finite_becomes_null(placement, clock, monkeypatch):
    _machines(placement, "m1")
    odd = replace(placement.machine("m1"), overload=float("nan"), load=float("inf"))
    monkeypatch.setattr(placement, "machines", lambda: [odd])
    told = json.loads(Fleet(placement, clock).glance().plain)
    row = dict(zip(told["columns"], told["machines"][0], strict=True))
    assert (row["overload"], row["load"]) == (None, None)
