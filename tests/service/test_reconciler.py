"""The ledger follows the cluster, whatever happens to the connection."""

from contextlib import contextmanager

import pytest

from cotenant.errors import UnknownTask
from cotenant.service.asked import MachineSpec, Settings, TaskSpec
from tests.service import recorded
from tests.service.fakes import FakeCluster, FakeScheduler
from tests.service.running import eventually, running


@contextmanager
def cluster_and_service(nodes=3, **options):
    cluster = FakeCluster()
    with cluster.serving() as url:
        for number in range(1, nodes + 1):
            cluster.put(recorded.node(f"n{number}"))
        with running(cluster=url, **options) as service:
            eventually(lambda: len(service.placement.machines()) == nodes)
            yield cluster, service


def _machine_of(service, name):
    try:
        return service.placement.task(f"pod/default/{name}").machine
    except UnknownTask:
        return None


def _becomes(service, name, machine):
    eventually(lambda: _machine_of(service, name) == machine)


def test_nodes_become_machines_with_what_they_offer():
    with cluster_and_service(1) as (cluster, service):
        machine = service.placement.machine("n1")
        assert machine.capacity == {"cpu": 1.0, "memory": 8.0 * 2**30}
        cluster.put(recorded.node("n2", cpu="3920m", memory="1Gi"))
        eventually(lambda: len(service.placement.machines()) == 2)
        assert service.placement.machine("n2").capacity["cpu"] == 3.92


def test_a_bound_pod_turns_its_reservation_into_a_task():
    with cluster_and_service() as (cluster, service):
        scheduler = FakeScheduler(service.post, weight=130)
        pod = recorded.pod("web", cpu_mean="300m")
        cluster.put(pod)
        node = scheduler.schedule(pod, ["n1", "n2", "n3"]).node
        assert service.placement.machine(node).reserved == 1
        cluster.bind(pod, node)
        _becomes(service, "web", node)
        assert service.placement.machine(node).reserved == 0


def test_a_pod_bound_elsewhere_is_booked_where_it_is():
    with cluster_and_service() as (cluster, service):
        pod = recorded.pod("web", cpu_mean="300m")
        held = FakeScheduler(service.post).schedule(pod, ["n1", "n2", "n3"]).node
        elsewhere = next(n for n in ("n1", "n2", "n3") if n != held)
        cluster.bind(pod, elsewhere)
        _becomes(service, "web", elsewhere)
        assert service.placement.machine(held).reserved == 0


def test_a_deleted_or_finished_pod_is_released():
    with cluster_and_service() as (cluster, service):
        pods = {name: recorded.pod(name) for name in ("deleted", "done", "failed")}
        for number, pod in enumerate(pods.values(), start=1):
            cluster.bind(pod, f"n{number}")
        eventually(lambda: len(service.placement.tasks()) == 3)
        cluster.delete("pods", "deleted")
        _becomes(service, "deleted", None)
        cluster.finish(pods["done"])
        cluster.finish(pods["failed"], "Failed")
        eventually(lambda: service.placement.tasks() == [])


def test_a_pod_that_is_deleted_before_it_is_bound_gives_up_its_room():
    with cluster_and_service() as (cluster, service):
        pod = recorded.pod("never", cpu_mean="300m")
        cluster.put(pod)
        FakeScheduler(service.post).schedule(pod, ["n1", "n2", "n3"])
        assert service.placement.summary().reservations == 1
        cluster.delete("pods", "never")
        eventually(lambda: service.placement.summary().reservations == 0)


def test_what_happens_during_a_disconnect_is_caught_up():
    with cluster_and_service() as (cluster, service):
        for name in ("stays", "leaves"):
            cluster.bind(recorded.pod(name), "n1")
        eventually(lambda: len(service.placement.tasks()) == 2)
        cluster.down = True
        cluster.disconnect()
        lists = cluster.lists["pods"]
        cluster.delete("pods", "leaves")
        cluster.bind(recorded.pod("comes"), "n2")
        cluster.down = False
        _becomes(service, "comes", "n2")
        _becomes(service, "leaves", None)
        assert _machine_of(service, "stays") == "n1"
        assert cluster.lists["pods"] > lists


def test_a_history_that_was_compacted_is_listed_anew():
    with cluster_and_service() as (cluster, service):
        cluster.bind(recorded.pod("a"), "n1")
        _becomes(service, "a", "n1")
        cluster.forget()
        cluster.disconnect()
        cluster.delete("pods", "a")
        cluster.bind(recorded.pod("b"), "n2")
        _becomes(service, "b", "n2")
        _becomes(service, "a", None)


def test_pods_that_ended_while_the_service_was_down_are_released(tmp_path):
    database = f"sqlite:///{tmp_path}/ledger.db"
    cluster = FakeCluster()
    with cluster.serving() as url:
        cluster.put(recorded.node("n1", cpu="2"))
        for name in ("old", "kept"):
            cluster.bind(recorded.pod(name), "n1")
        with running(cluster=url, database=database) as service:
            eventually(lambda: len(service.placement.tasks()) == 2)
            asked = TaskSpec("not-a-pod", {"cpu": (0.1,)})
            service.placement.place([asked]).result()
            before = service.placement.task("pod/default/kept")
        cluster.delete("pods", "old")
        with running(cluster=url, database=database) as service:
            _becomes(service, "old", None)
            # What the watch never knew stays, and what it knew is not booked anew.
            assert service.placement.task("not-a-pod").machine == "n1"
            assert service.placement.task("pod/default/kept") == before


def test_a_pod_seen_before_its_node_is_booked_once_the_node_is_there():
    with cluster_and_service(1) as (cluster, service):
        cluster.bind(recorded.pod("early"), "late-node")
        cluster.bind(recorded.pod("other"), "n1")
        _becomes(service, "other", "n1")
        assert _machine_of(service, "early") is None
        cluster.put(recorded.node("late-node"))
        _becomes(service, "early", "late-node")


def test_a_node_that_leaves_drains_and_is_gone_with_its_last_pod():
    with cluster_and_service(2) as (cluster, service):
        cluster.bind(recorded.pod("last"), "n1")
        _becomes(service, "last", "n1")
        cluster.delete("nodes", "n1")
        eventually(lambda: service.placement.machine("n1").draining)
        cluster.delete("pods", "last")
        eventually(lambda: len(service.placement.machines()) == 1)


def test_a_new_pod_of_the_same_name_is_not_released_with_the_old_one():
    with cluster_and_service() as (cluster, service):
        cluster.bind(recorded.pod("db-0", uid="first"), "n1")
        _becomes(service, "db-0", "n1")
        cluster.delete("pods", "db-0")
        cluster.bind(recorded.pod("db-0", uid="second"), "n2")
        _becomes(service, "db-0", "n2")
        cluster.disconnect()
        cluster.bind(recorded.pod("marker"), "n3")
        _becomes(service, "marker", "n3")
        assert _machine_of(service, "db-0") == "n2"


def test_a_node_that_offers_something_else_now_is_believed(tmp_path):
    database = f"sqlite:///{tmp_path}/ledger.db"
    with running(database=database) as service:
        service.machines(1, cpu=4.0)
    cluster = FakeCluster()
    with cluster.serving() as url:
        for number in range(1, 4):
            cluster.put(recorded.node(f"n{number}"))
        with running(cluster=url, database=database) as service:
            eventually(lambda: len(service.placement.machines()) == 3)
            offered = service.placement.machine("n2").capacity
            eventually(lambda: service.placement.machine("n1").capacity == offered)


def test_nodes_and_pods_that_cannot_be_read_are_passed_over():
    with cluster_and_service(1) as (cluster, service):
        strange = recorded.node("strange")
        strange["status"]["allocatable"] = {"cpu": "many"}
        cluster.put(strange)
        bad = recorded.pod("bad")
        bad["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "x"
        cluster.bind(bad, "n1")
        cluster.bind(recorded.pod("annotated", cpu_mean="much"), "n1")
        _becomes(service, "annotated", "n1")
        assert _machine_of(service, "bad") is None
        # It runs, so it counts, by its requests.
        usage = service.placement.task("pod/default/annotated").usage
        assert usage["cpu"]["mean"] == 0.5


def test_a_ledger_that_fails_for_a_while_is_caught_up(monkeypatch):
    from concurrent.futures import Future

    from cotenant.errors import ServiceUnavailable
    from cotenant.service.core import Placement

    with cluster_and_service(1) as (cluster, service):
        real, failures = Placement.confirm, []

        def failing(self, *arguments):
            if len(failures) < 2:
                failures.append(arguments)
                future = Future()
                future.set_exception(ServiceUnavailable("the disk is full"))
                return future
            return real(self, *arguments)

        monkeypatch.setattr(Placement, "confirm", failing)
        cluster.bind(recorded.pod("web"), "n1")
        _becomes(service, "web", "n1")
        assert len(failures) == 2


@pytest.mark.slow
def test_150_pods_on_300_nodes_all_keep_their_promise():
    from tests.service.judging import judge

    rho = 0.01
    cluster = FakeCluster()
    names = [f"n{number}" for number in range(300)]
    with cluster.serving() as url:
        for name in names:
            cluster.put(recorded.node(name, cpu="2", memory="8Gi"))
        with running(Settings(rho=rho), cluster=url) as service:
            eventually(lambda: len(service.placement.machines()) == 300, 30)
            # The scheduler's own plugins like what is unlike best fit.
            scheduler = FakeScheduler(
                service.post, weight=130, in_tree=lambda name: 4.0 * int(name[1:])
            )
            demands = {}
            for number in range(150):
                mean, deviation = 100 + 7 * (number % 40), 40 + 3 * (number % 25)
                pod = recorded.pod(
                    f"p{number}", cpu_mean=f"{mean}m", cpu_deviation=f"{deviation}m"
                )
                demands[f"pod/default/p{number}"] = (mean / 1e3, deviation / 1e3)
                outcome = scheduler.schedule(pod, names)
                assert outcome.node is not None, outcome.message
                cluster.bind(pod, outcome.node)
            eventually(lambda: len(service.placement.tasks()) == 150, 30)
            assert service.placement.summary().reservations == 0
            machines = [m for m in service.placement.machines() if m.tasks]
            assert scheduler.calls == {"filter": 150, "prioritize": 150}
            judge(machines, demands, rho)
            # And not by leaving them all alone: mean load decides how many it takes.
            load = sum(mean for mean, _ in demands.values())
            assert len(machines) <= 1.5 * load / 2.0


def test_the_machine_of_another_kind_is_left_alone():
    with cluster_and_service(1) as (cluster, service):
        host = MachineSpec("real-time", {"cpu": 2}, "sla")
        service.placement.add_machines([host]).result()
        cluster.disconnect()
        cluster.bind(recorded.pod("web"), "n1")
        _becomes(service, "web", "n1")
        assert not service.placement.machine("real-time").draining
