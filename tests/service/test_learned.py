"""What pods are expected to use: annotated, learned, requested, in this order."""

import pytest

from cotenant.errors import InvalidInput
from cotenant.service.asked import Moments, Settings
from cotenant.service.core import Placement
from cotenant.service.learned import Learned, Pods
from cotenant.service.pod import DEFAULTS, Pod, read_pod
from tests.service import recorded
from tests.service.recorded import owned, pod
from tests.service.running import eventually, running
from tests.service.test_reconciler import cluster_and_service


@pytest.fixture(scope="module")
def pods():
    placement = Placement(Settings())
    yield Pods(placement)
    placement.close()


def _spec(**spec):
    value = pod("p")
    value["spec"] = spec
    return read_pod(value)


def _container(cpu=None, **more):
    requests = {} if cpu is None else {"cpu": cpu}
    return {"name": "c", "resources": {"requests": requests}, **more}


def test_a_pod_is_read_as_recorded():
    found = read_pod(pod("big-1", uid="u1", cpu_mean="200m"))
    assert found == Pod(
        uid="u1",
        task="pod/default/big-1",
        annotations={"cpu-mean": "200m"},
        requests={"cpu": 0.5, "memory": 64.0 * 2**20},
    )


@pytest.mark.parametrize(
    ("spec", "cores"),
    [
        ({"containers": [_container("500m"), _container("1")]}, 1.5),
        ({"containers": [_container("500m"), _container()]}, 0.5),
        ({"containers": [_container()]}, None),
        # One init container runs alone; a sidecar stays.
        ({"containers": [_container("1")], "initContainers": [_container("3")]}, 3.0),
        (
            {
                "containers": [_container("1")],
                "initContainers": [
                    _container("200m", restartPolicy="Always"),
                    _container("900m"),
                ],
            },
            1.2,
        ),
        ({"containers": [_container("1")], "overhead": {"cpu": "250m"}}, 1.25),
        (
            {
                "containers": [_container("1")],
                "resources": {"requests": {"cpu": "2"}},
            },
            2.0,
        ),
        ({}, None),
    ],
)
def test_requests_are_added_up_as_the_scheduler_does(spec, cores):
    assert _spec(**spec).requests.get("cpu") == pytest.approx(cores)


def test_replicas_and_rollouts_of_a_deployment_have_one_owner():
    owners = set()
    for template in ("abc", "def"):
        value = owned(pod(f"web-{template}-1"), "ReplicaSet", f"web-{template}")
        value["metadata"]["labels"] = {"pod-template-hash": template}
        owners.add(read_pod(value).owner)
    assert owners == {"default/Deployment/web"}
    other = owned(pod("db-0"), "StatefulSet", "db")
    assert read_pod(other).owner == "default/StatefulSet/db"
    assert read_pod(pod("bare")).owner is None


def test_a_name_that_is_too_long_gives_way_to_the_uid():
    found = read_pod(pod("n" * 253, uid="u" * 36))
    assert found.task == "pod/default/" + "u" * 36


@pytest.mark.parametrize(
    "value", [{}, {"metadata": {"name": "a"}}, {"metadata": {"uid": "a", "name": 7}}]
)
def test_a_pod_without_name_or_uid_is_refused(value):
    with pytest.raises(InvalidInput, match="name and a uid"):
        read_pod(value)


def test_annotations_come_first(pods):
    asked = pod("a", cpu_mean="200m", cpu_deviation="100m", memory_mean="1Gi")
    usage = pods.demand_of(read_pod(asked)).usage
    assert usage["cpu"].mean == 0.2
    assert usage["cpu"].variance == pytest.approx(0.01)
    assert usage["memory"] == Moments(2.0**30)


def test_requests_stand_in_for_each_resource_by_itself(pods):
    usage = pods.demand_of(read_pod(pod("a", cpu_mean="200m"))).usage
    assert usage["memory"] == Moments(64.0 * 2**20)


def test_a_pod_that_asks_for_nothing_never_counts_as_zero(pods):
    usage = pods.demand_of(_spec(containers=[_container()])).usage
    assert {r: m.mean for r, m in usage.items()} == DEFAULTS


def test_an_sla_may_be_annotated(pods):
    spec = pods.demand_of(read_pod(pod("a", sla="1/30:2/5")))
    assert (str(spec.sla), spec.kind) == ("1/30:2/5", "sla")


@pytest.mark.parametrize(
    "notes",
    [
        {"cpu_mean": "-1"},
        {"cpu_mean": "1e-300", "cpu_deviation": "1"},
        {"cpu_mean": "1e300"},
        {"cpu_mean": "1", "cpu_deviation": "1e10"},
        {"cpu_mean": "0", "cpu_deviation": "1"},
        {"sla": "no"},
    ],
)
def test_an_annotation_that_cannot_be_right_is_refused(pods, notes):
    with pytest.raises(InvalidInput):
        pods.demand_of(read_pod(pod("a", **notes)))


def _replica(name):
    return owned(pod(name), "StatefulSet", "db")


def test_usage_is_learned_from_replicas_and_outlives_them():
    with cluster_and_service(2) as (cluster, service):
        http, pods = service.http, service.service.pods
        for number in (0, 1):
            cluster.bind(_replica(f"db-{number}"), f"n{number + 1}")
        eventually(lambda: len(service.placement.tasks()) == 2)
        fresh = read_pod(_replica("db-2"))
        assert pods.demand_of(fresh).usage["cpu"] == Moments(0.5)  # as requested
        # 976 samples each outweigh the 24 that the declaration counts for.
        http.post("/v1/tasks/pod%2Fdefault%2Fdb-0/usage", json={"cpu": [0.1] * 976})
        http.post("/v1/tasks/pod%2Fdefault%2Fdb-1/usage", json={"cpu": [0.3] * 976})
        learned = pods.demand_of(fresh).usage["cpu"]
        assert learned.mean == pytest.approx(0.2, abs=0.02)
        # Half of them at 0.1 and half at 0.3: replicas differ, and that counts.
        assert learned.variance == pytest.approx(0.01, rel=0.5)
        cluster.delete("pods", "db-0")
        cluster.delete("pods", "db-1")
        eventually(lambda: service.placement.tasks() == [])
        kept = pods.demand_of(fresh).usage["cpu"]
        assert (kept.mean, kept.variance) == pytest.approx(
            (learned.mean, learned.variance)
        )
        other = read_pod(owned(pod("x"), "StatefulSet", "other"))
        assert pods.demand_of(other).usage["cpu"] == Moments(0.5)


def test_learned_usage_survives_a_restart(tmp_path):
    from tests.service.fakes import FakeCluster

    database = f"sqlite:///{tmp_path}/ledger.db"
    cluster = FakeCluster()
    with cluster.serving() as url:
        cluster.put(recorded.node("n1"))
        cluster.bind(_replica("db-0"), "n1")
        with running(cluster=url, database=database) as service:
            eventually(lambda: len(service.placement.tasks()) == 1)
            path = "/v1/tasks/pod%2Fdefault%2Fdb-0/usage"
            service.http.post(path, json={"cpu": [0.1] * 976})
        with running(cluster=url, database=database) as service:
            pods = service.service.pods
            eventually(lambda: bool(pods.learned("default/StatefulSet/db")))
            known = pods.learned("default/StatefulSet/db")["cpu"]
            assert known == Learned(pytest.approx(0.1, abs=0.02), known.variance, 1000)


def test_memory_stays_bounded(monkeypatch):
    monkeypatch.setattr("cotenant.service.learned.MOST_PODS", 10)
    placement = Placement(Settings())
    try:
        pods = Pods(placement)
        for number in range(100):
            pods.note(read_pod(_replica(f"db-{number}")))
        assert len(pods._pods) == 10
        assert len(pods._replicas["default/StatefulSet/db"]) == 10
        assert pods.task_of("uid-db-99") == "pod/default/db-99"
        assert pods.task_of("uid-db-0") is None
    finally:
        placement.close()
