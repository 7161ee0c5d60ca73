"""The extender answers a scheduler as the protocol wants it."""

import json

import pytest

from cotenant.errors import ServiceUnavailable
from cotenant.service.asked import MachineSpec, Settings, TaskSpec
from cotenant.service.core import Placement
from tests.service import recorded
from tests.service.fakes import ExtenderError, FakeScheduler
from tests.service.running import eventually, running

KEYS = {
    "Nodes",
    "NodeNames",
    "FailedNodes",
    "FailedAndUnresolvableNodes",
    "Error",
}


@pytest.fixture
def service():
    with running(Settings(rho=0.001)) as service:
        service.machines(3, memory=8.0 * 2**30)
        yield service


def _ask(service, verb, body):
    answer = service.http.post(
        f"/extender/{verb}", content=json.dumps(body), headers=recorded.HEADERS
    )
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


def test_filter_answers_names_with_names_only(service):
    found = _ask(service, "filter", recorded.by_names(recorded.pod(), ["n1", "n3"]))
    assert set(found) == KEYS
    assert found["Nodes"] is None
    assert found["NodeNames"] == ["n1", "n3"]
    assert (found["FailedNodes"], found["Error"]) == ({}, "")


def test_filter_answers_whole_nodes_with_whole_nodes(service):
    asked = recorded.by_nodes(recorded.pod(), ["n1", "n2", "ghost"])
    found = _ask(service, "filter", asked)
    assert found["NodeNames"] is None
    assert found["Nodes"]["items"] == asked["Nodes"]["items"][:2]
    assert set(found["FailedAndUnresolvableNodes"]) == {"ghost"}


def test_filter_reads_the_keys_of_old_schedulers(service):
    found = _ask(service, "filter", recorded.of_old(recorded.pod(), ["n1", "n2"]))
    assert found["NodeNames"] == ["n1", "n2"]
    scores = _ask(service, "prioritize", recorded.of_old(recorded.pod(), ["n1", "n2"]))
    assert [one["Host"] for one in scores] == ["n1", "n2"]


def test_a_full_node_fails_with_the_number_and_the_limit(service):
    service.placement.add_machines([MachineSpec("big", {"cpu": 8})]).result()
    for name in ("n1", "big"):
        spec = TaskSpec(f"on-{name}", {"cpu": (0.7 if name == "n1" else 7.9,)})
        service.placement.confirm(f"u-{name}", spec, name).result()
    pod = recorded.pod(cpu_mean="500m")
    found = _ask(service, "filter", recorded.by_names(pod, ["n1", "n2", "big"]))
    assert found["NodeNames"] == ["n2"]
    assert set(found["FailedNodes"]) == {"n1", "big"}
    assert "> 0.001" in found["FailedNodes"]["n1"]


def test_a_pod_larger_than_a_machine_is_unresolvable_there(service):
    pod = recorded.pod(cpu_mean="1500m")
    service.placement.add_machines([MachineSpec("big", {"cpu": 8})]).result()
    found = _ask(service, "filter", recorded.by_names(pod, ["n1", "big"]))
    assert found["NodeNames"] == ["big"]
    assert set(found["FailedAndUnresolvableNodes"]) == {"n1"}


def test_scores_are_whole_numbers_from_0_to_10_and_the_held_node_wins(service):
    spec = TaskSpec("warm", {"cpu": (0.3,)})
    service.placement.confirm("u", spec, "n2").result()
    pod = recorded.pod(cpu_mean="200m")
    asked = recorded.by_names(pod, ["n1", "n2", "n3"])
    _ask(service, "filter", asked)
    scores = {one["Host"]: one["Score"] for one in _ask(service, "prioritize", asked)}
    assert all(type(score) is int and 0 <= score <= 10 for score in scores.values())
    # Best fit: the fullest machine that still fits; no other node gets as much.
    assert [name for name, score in scores.items() if score == 10] == ["n2"]
    assert service.placement.machine("n2").reserved == 1


def test_two_pods_are_never_offered_the_same_room(service):
    names = ["n1", "n2", "n3"]
    for number in range(3):
        pod = recorded.pod(f"p{number}", cpu_mean="600m")
        found = _ask(service, "filter", recorded.by_names(pod, names))
        assert len(found["NodeNames"]) == 3 - number
    late = _ask(service, "filter", recorded.by_names(recorded.pod("p3"), names))
    assert late["NodeNames"] == []
    assert set(late["FailedNodes"]) == set(names)


def test_a_pod_that_asks_again_replaces_its_own_reservation(service):
    pod = recorded.pod(cpu_mean="600m")
    for _ in range(5):
        found = _ask(service, "filter", recorded.by_names(pod, ["n1"]))
        assert found["NodeNames"] == ["n1"]
    assert service.placement.machine("n1").reserved == 1
    moved = _ask(service, "filter", recorded.by_names(pod, ["n2"]))
    assert moved["NodeNames"] == ["n2"]
    assert service.placement.machine("n1").reserved == 0


def test_a_reservation_runs_out():
    with running(Settings(reserve_for=0.2)) as service:
        service.machines(1)
        asked = recorded.by_names(recorded.pod("a", cpu_mean="800m"), ["n1"])
        other = recorded.by_names(recorded.pod("b", cpu_mean="800m"), ["n1"])
        assert _ask(service, "filter", asked)["NodeNames"] == ["n1"]
        assert _ask(service, "filter", other)["NodeNames"] == []
        import time

        time.sleep(0.3)
        service.placement.expire().result()
        assert _ask(service, "filter", other)["NodeNames"] == ["n1"]


def test_room_is_held_among_the_nodes_other_filters_left(service):
    pod = recorded.pod(cpu_mean="200m")
    _ask(service, "filter", recorded.by_names(pod, ["n1", "n2", "n3"]))
    eventually(lambda: any(m.reserved for m in service.placement.machines()))
    held = next(m.name for m in service.placement.machines() if m.reserved)
    left = [name for name in ("n1", "n2", "n3") if name != held]
    scores = _ask(service, "prioritize", recorded.by_names(pod, left))
    best = max(scores, key=lambda one: one["Score"])
    assert best["Score"] == 10
    assert service.placement.machine(best["Host"]).reserved == 1
    assert service.placement.machine(held).reserved == 0


def test_annotations_that_cannot_be_right_keep_the_pod_pending_with_the_reason(service):
    pod = recorded.pod(cpu_mean="lots")
    found = _ask(service, "filter", recorded.by_names(pod, ["n1"]))
    assert "cotenant/cpu-" in found["Error"]
    assert found["NodeNames"] == []
    assert _ask(service, "prioritize", recorded.by_names(pod, ["n1"])) == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"7",
        b"{}",
        b'{"Pod": null, "NodeNames": ["n1"]}',
        b'{"Pod": {"metadata": {"name": "a", "uid": "u"}}, "NodeNames": [1]}',
        b'{"Pod": {"metadata": {"name": "a", "uid": "u"}}, "NodeNames": {"n": 1}}',
        b'{"Pod": {"metadata": {"name": "a", "uid": "u"}}, "Nodes": 3}',
        b'{"Pod": {"metadata": {"name": "a", "uid": "u"}, "spec": []}}',
        b'{"Pod": {"metadata": []}, "NodeNames": []}',
        b"[" * 100_000,
    ],
)
def test_whatever_comes_the_status_is_200_and_the_form_is_kept(service, body):
    for verb in ("filter", "prioritize", "preempt"):
        status, answer = service.post(f"/extender/{verb}", body, recorded.HEADERS)
        found = json.loads(answer)
        assert status == 200
        if verb == "filter":
            assert set(found) == KEYS
            assert found["Error"] or found["NodeNames"] is not None
        elif verb == "prioritize":
            assert isinstance(found, list)
        else:
            assert found == {"NodeNameToMetaVictims": {}}


def test_a_ledger_that_is_not_available_is_said_and_no_error_of_ours_escapes(
    service, monkeypatch
):
    asked = recorded.by_names(recorded.pod(), ["n1", "n2"])

    def gone(self, *arguments):
        raise ServiceUnavailable("the ledger is not available")

    def broken(self, *arguments):
        raise RuntimeError("secret")

    monkeypatch.setattr(Placement, "assess", gone)
    assert _ask(service, "filter", asked)["Error"] == "the ledger is not available"
    monkeypatch.setattr(Placement, "assess", broken)
    assert "secret" not in _ask(service, "filter", asked)["Error"]
    assert _ask(service, "filter", asked)["Error"]
    assert _ask(service, "prioritize", asked) == []


def test_evictions_are_kept_only_where_they_make_room(service):
    for name in ("n1", "n2"):
        for number in range(2):
            spec = TaskSpec(f"pod/default/{name}-{number}", {"cpu": (0.45,)})
            pod = recorded.pod(f"{name}-{number}")
            found = recorded.by_names(pod, [])
            _ask(service, "filter", found)  # from now on its uid is known
            service.placement.confirm(f"uid-{name}-{number}", spec, name).result()
    big = recorded.pod("big", cpu_mean="600m")
    victims = {"n1": ["uid-n1-0", "uid-n1-1"], "n2": ["uid-n2-0"]}
    found = _ask(service, "preempt", recorded.preemption(big, victims))
    # With one of two gone from n2, 0.45 + 0.6 is still too much.
    kept = found["NodeNameToMetaVictims"]
    assert set(kept) == {"n1"}
    assert kept["n1"] == {
        "Pods": [{"UID": "uid-n1-0"}, {"UID": "uid-n1-1"}],
        "NumPDBViolations": 0,
    }


def test_evictions_by_whole_pods_are_answered_by_uids(service):
    pods = [recorded.pod("low")]
    asked = recorded.preemption_by_pods(recorded.pod("high"), {"n3": pods})
    found = _ask(service, "preempt", asked)
    kept = found["NodeNameToMetaVictims"]
    assert kept == {"n3": {"Pods": [{"UID": "uid-low"}], "NumPDBViolations": 1}}


def test_nobody_is_evicted_for_a_pod_that_is_too_large_or_a_node_unknown(service):
    big = recorded.pod("big", cpu_mean="5")
    victims = {"n1": ["a"], "ghost": ["b"]}
    found = _ask(service, "preempt", recorded.preemption(big, victims))
    assert found == {"NodeNameToMetaVictims": {}}


def test_the_fake_scheduler_writes_the_events_that_were_recorded(service):
    scheduler = FakeScheduler(service.post)
    names = ["n1", "n2", "n3"]
    never = scheduler.schedule(recorded.pod("huge", cpu_mean="40"), names)
    assert never.node is None
    assert "Preemption is not helpful" in never.message
    for number in range(3):
        pod = recorded.pod(f"p{number}", cpu_mean="900m")
        assert scheduler.schedule(pod, names).node in names
    full = scheduler.schedule(recorded.pod("late", cpu_mean="900m"), names)
    assert full.node is None
    assert "> 0.001" in full.message
    assert "No preemption victims found" in full.message
    bad = scheduler.schedule(recorded.pod("bad", cpu_mean="x"), names)
    assert "cotenant/cpu-" in bad.message


def test_the_fake_scheduler_is_as_strict_as_the_real_one():
    def replies(**answers):
        def post(path, body, headers):
            return answers[path.rpartition("/")[2]]

        return FakeScheduler(post)

    def result(**more):
        empty = {"FailedNodes": {}, "FailedAndUnresolvableNodes": {}, "Error": ""}
        return 200, json.dumps({"Nodes": None, **empty, **more}).encode()

    two = result(NodeNames=["n1", "n2"])
    whole = b'[{"Host": "n1", "Score": 0}, {"Host": "n2", "Score": 9}]'
    fraction = b'[{"Host": "n1", "Score": 0}, {"Host": "n2", "Score": 3.5}]'
    lower = b'[{"host": "n1", "score": 1}, {"host": "n2", "score": 0}]'
    pod, names = recorded.pod(), ["n1", "n2"]
    assert (
        replies(filter=two, prioritize=(200, whole)).schedule(pod, names).node == "n2"
    )
    assert (
        replies(filter=two, prioritize=(200, lower)).schedule(pod, names).node == "n1"
    )
    assert replies(prioritize=(200, fraction)).prioritize(pod, names) == {}
    with pytest.raises(ExtenderError, match="code 201"):
        replies(filter=(201, two[1])).filter(pod, names)
    with pytest.raises(ExtenderError, match="ghost"):
        replies(filter=result(NodeNames=["ghost"])).filter(pod, names)
    with pytest.raises(ExtenderError, match="metrics stale"):
        replies(filter=result(NodeNames=[], Error="metrics stale")).filter(pod, names)


def test_the_fake_scheduler_looks_at_144_of_300_nodes_by_itself():
    scheduler = FakeScheduler(lambda *_: (200, b"{}"), share=None)
    names = [f"n{number}" for number in range(300)]
    first, second = scheduler._offered(names), scheduler._offered(names)
    assert (len(first), len(second), first[0], second[0]) == (144, 144, "n0", "n144")
