"""Readings with their times, and days, over HTTP."""

from collections.abc import Iterator

import numpy as np
import pytest

from cotenant.service.asked import Settings
from cotenant.service.keeping.history import MOMENTS, WIDTH_S
from tests.service.keeping.days import FIRST, TOMORROW
from tests.service.running import Running, eventually, running

START = FIRST * MOMENTS * WIDTH_S


@pytest.fixture
def service() -> Iterator[Running]:
    with running(TOMORROW) as found:
        found.machines(3)
        usage = {"cpu": {"mean": 0.2}}
        body = [{"name": name, "usage": usage} for name in ("a", "b")]
        assert found.http.post("/v1/tasks", json=body).status_code == 201
        yield found


def days(service: Running) -> dict:  # type: ignore[type-arg]
    found: dict = service.http.get("/v1/days").json()  # type: ignore[type-arg]
    return found


def send(service: Running, first: int, **usage: list[float]) -> None:
    start = START + first * WIDTH_S
    body = [{"name": n, "cpu": cpu, "start": start} for n, cpu in usage.items()]
    answer = service.http.post("/v1/usage", json=body)
    assert answer.json() == {"read": len(usage), "unknown": []}


def test_days_pass_as_samples_arrive(service: Running) -> None:
    over = np.full(MOMENTS, 0.3)
    over[:6] = 0.9
    send(service, 0, a=over.tolist(), b=[0.3] * MOMENTS)
    send(service, MOMENTS, a=[0.3], b=[0.3])
    eventually(lambda: bool(days(service)["days"]))
    told = days(service)
    (one,) = told["days"]
    assert one["date"] == "2019-04-14"
    assert one["overload"] == told["delivered"] == 6 / MOMENTS
    assert (one["machine_days"], one["above_rho"], one["margin"]) == (1, 1, 1.2)
    assert told["correction"] == pytest.approx(0.03 * (6 / MOMENTS / 0.01 - 1))
    assert told["latest"] == START + (MOMENTS + 1) * WIDTH_S
    assert not told["calibrated"]
    text = service.http.get("/metrics").text
    assert f"cotenant_delivered_overload_ratio {6 / MOMENTS}" in text
    assert "cotenant_machine_days_above_promise 1.0" in text
    assert "cotenant_days_alarms 0.0" in text


def test_a_day_is_excluded_and_counts_again(service: Running) -> None:
    body = {"excluded": True, "reason": "fire drill"}
    answer = service.http.patch("/v1/days/2019-04-14", json=body)
    assert answer.json()["excluded"] == {"2019-04-14": "fire drill"}
    assert "cotenant_days_excluded 1.0" in service.http.get("/metrics").text
    (event,) = [e for e in service.placement.events() if e.kind == "day_excluded"]
    assert event.words == "day 2019-04-14 does not count: fire drill"
    answer = service.http.patch("/v1/days/2019-04-14", json={"excluded": False})
    assert answer.json()["excluded"] == {}


def test_a_reading_may_say_when_and_what_was_throttled(service: Running) -> None:
    body = {"cpu": [0.2, 0.3], "start": START, "step": 600, "throttled": [0, 0.5]}
    answer = service.http.post("/v1/tasks/a/usage", json=body)
    assert answer.status_code == 200
    assert days(service)["latest"] == START + 4 * WIDTH_S
    kept = service.placement.decide(lambda desk: desk.state.kept).result()
    assert kept is not None
    assert kept.history.throttled["a"][FIRST][:4].tolist() == [0, 0, 0.5, 0.5]


def test_a_reading_without_a_time_is_of_now(service: Running) -> None:
    service.http.post("/v1/tasks/a/usage", json={"cpu": [0.2, 0.3]})
    now = service.service.clock()
    latest = days(service)["latest"]
    assert now - WIDTH_S <= latest <= now + WIDTH_S


@pytest.mark.parametrize(
    ("reading", "why"),
    [
        ({"cpu": [0.1], "throttled": [0.1, 0.2]}, "expected 1, one a sample"),
        ({"cpu": [0.1], "start": 9e9}, "samples of the future"),
        ({"cpu": [0.1], "step": 0}, "greater than or equal to 1"),
        ({"cpu": [0.1], "throttled": [1.5]}, "less than or equal to 1"),
        ({"cpu": []}, "at least 1 item"),
        ({"cpu": [-1.0]}, "greater than or equal to 0"),
    ],
)
def test_a_reading_that_cannot_be_right_is_refused(
    service: Running,
    reading: dict,  # type: ignore[type-arg]
    why: str,
) -> None:
    before = len(service.placement.events())
    for path, body in (
        ("/v1/tasks/a/usage", reading),
        ("/v1/usage", [{"name": "a", **reading}]),
    ):
        answer = service.http.post(path, json=body)
        assert answer.status_code == 400
        assert why in answer.json()["reason"]
    assert len(service.placement.events()) == before


def test_readings_of_tasks_that_are_not_placed_are_named(service: Running) -> None:
    body = [{"name": "a", "cpu": [0.1]}, {"name": "nobody", "cpu": [0.1]}]
    answer = service.http.post("/v1/usage", json=body)
    assert answer.json() == {"read": 1, "unknown": ["nobody"]}


def test_a_date_that_is_none_is_refused(service: Running) -> None:
    answer = service.http.patch("/v1/days/someday", json={"excluded": True})
    assert answer.status_code == 400
    assert "no date" in answer.json()["reason"]


def test_without_days_readings_sharpen_demands_as_ever() -> None:
    with running(Settings()) as service:
        service.machines(1)
        usage = {"cpu": {"mean": 0.2}}
        service.http.post("/v1/tasks", json={"name": "a", "usage": usage})
        service.http.post("/v1/usage", json=[{"name": "a", "cpu": [0.8] * 24}])
        task = service.http.get("/v1/tasks/a").json()
        assert task["usage"]["cpu"]["mean"] == pytest.approx(0.5)
        assert service.http.get("/v1/machines/n1").json()["load"] == pytest.approx(0.5)
        told = days(service)
        assert (told["promise"], told["days"], told["margin"]) == ("history", [], None)
        answer = service.http.patch("/v1/days/2019-04-14", json={"excluded": True})
        assert answer.status_code == 400
        assert "cotenant_margin" not in service.http.get("/metrics").text


def test_a_change_of_demand_is_replayed_in_proportion(service: Running) -> None:
    send(service, 0, a=[0.3] * MOMENTS, b=[0.3] * MOMENTS)
    send(service, MOMENTS, a=[0.3], b=[0.3])
    eventually(lambda: bool(days(service)["days"]))
    body = {"usage": {"cpu": {"mean": 0.5}}}
    answer = service.http.patch("/v1/tasks/a", json=body).json()
    assert answer["moved_from"] == "n1"
    assert service.http.get(f"/v1/machines/{answer['machine']}").json()[
        "load"
    ] == pytest.approx(0.75)


def test_a_repacking_knows_what_today_is_like(service: Running) -> None:
    send(service, 0, a=[0.7] * MOMENTS, b=[0.6] * MOMENTS)
    eventually(lambda: bool(service.placement.machine("n2").tasks))
    # What the guard has moved, a repacking would not move back.
    assert service.http.post("/v1/repack").json()["moves"] == []
    send(service, MOMENTS, a=[0.7], b=[0.6])
    eventually(lambda: bool(days(service)["days"]))
    tasks = service.http.get("/v1/tasks").json()
    assert {task["machine"] for task in tasks} == {"n1", "n2"}
