"""The files in deploy/ say what the service and Kubernetes understand."""

import json
import re
import shlex
from pathlib import Path

import pytest
import typer
import yaml
from lightkube import codecs
from lightkube.core import resource
from lightkube.generic_resource import create_namespaced_resource

from cotenant.cli import app
from cotenant.service.security import Tokens
from tests.service.running import running

DEPLOY = Path(__file__).parents[2] / "deploy"
KNOWN = {"ServiceMonitor"}  # of an operator, not of Kubernetes


def _documents(name):
    return list(yaml.safe_load_all((DEPLOY / name).read_text()))


def _one(name, kind):
    return next(d for d in _documents(name) if d["kind"] == kind)


def _scheduler():
    secret = _one("scheduler-config.yaml", "Secret")
    return yaml.safe_load(secret["stringData"]["config.yaml"])


@pytest.mark.parametrize("path", sorted(DEPLOY.glob("*.yaml")), ids=lambda p: p.name)
def test_every_object_has_only_fields_kubernetes_knows(path):
    create_namespaced_resource(
        "monitoring.coreos.com", "v1", "ServiceMonitor", "servicemonitors"
    )
    for document in _documents(path.name):
        found = codecs.from_dict(document)
        assert isinstance(found, resource.Resource)
        if document["kind"] in KNOWN:
            continue
        # What the model does not know is lost on the way there and back.
        assert _plain(type(found).from_dict(document, lazy=False).to_dict()) == _plain(
            document
        )


def _plain(value):
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items() if part is not None}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return value


def test_the_scheduler_asks_the_routes_there_are():
    config = _scheduler()
    assert config["apiVersion"] == "kubescheduler.config.k8s.io/v1"
    assert config["kind"] == "KubeSchedulerConfiguration"
    (extender,) = config["extenders"]
    assert extender["nodeCacheCapable"] is True
    assert config["percentageOfNodesToScore"] == 100
    prefix = re.fullmatch(
        r"http://[^:]+:[^@]+@127\.0\.0\.1:8080(/.+)", extender["urlPrefix"]
    )
    assert prefix is not None
    with running() as service:
        paths = service.app.openapi()["paths"]
    for verb in ("filterVerb", "prioritizeVerb", "preemptVerb"):
        assert "post" in paths[f"{prefix[1]}/{extender[verb]}"]
    assert "bindVerb" not in extender


def test_the_lead_of_the_held_node_outweighs_all_plugins_together():
    # NodeResourcesFit 1, BalancedAllocation 1, ImageLocality 1, InterPodAffinity 2,
    # NodeAffinity 2, PodTopologySpread 2, TaintToleration 3; each at most 100.
    plugins = 100 * (1 + 1 + 1 + 2 + 2 + 2 + 3)
    (extender,) = _scheduler()["extenders"]
    assert 10 * extender["weight"] > plugins


def test_the_container_is_started_with_options_there_are():
    container = _containers()["cotenant"]
    command = typer.main.get_command(app())
    serve = command.get_command(None, container["args"][0])
    context = serve.make_context("serve", list(container["args"][1:]))
    assert context.params["kubernetes"] is True
    assert context.params["host"] == "0.0.0.0"
    assert shlex.join(container["args"]).count("sqlite:////data/") == 1


def test_probes_ask_for_what_answers_without_a_token():
    container = _containers()["cotenant"]
    with running() as service:
        for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
            path = container[probe]["httpGet"]["path"]
            assert service.http.get(path).status_code == 200


def test_the_tokens_file_has_the_form_the_service_reads():
    secret = _one("deployment.yaml", "Secret")
    tokens = Tokens.parse(secret["stringData"]["tokens"], "tokens")
    assert tokens.whose("anything") is None


def test_cotenant_may_look_and_not_touch():
    role = _one("rbac.yaml", "ClusterRole")
    assert role["metadata"]["name"] == "cotenant"
    verbs = {verb for rule in role["rules"] for verb in rule["verbs"]}
    assert verbs == {"get", "list", "watch"}


def test_names_and_ports_of_the_manifests_agree():
    service = _one("deployment.yaml", "Service")
    deployment = _one("deployment.yaml", "Deployment")
    monitor = _one("servicemonitor.yaml", "ServiceMonitor")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["selector"].items() <= labels.items()
    assert deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()
    ports = {port["name"] for port in service["spec"]["ports"]}
    assert {endpoint["port"] for endpoint in monitor["spec"]["endpoints"]} <= ports
    chosen = monitor["spec"]["selector"]["matchLabels"]
    assert chosen.items() <= service["metadata"]["labels"].items()
    secrets = {v["secret"]["secretName"] for v in _volumes() if "secret" in v}
    assert secrets == {
        _one("deployment.yaml", "Secret")["metadata"]["name"],
        _one("scheduler-config.yaml", "Secret")["metadata"]["name"],
    }


def _containers():
    pod = _one("deployment.yaml", "Deployment")["spec"]["template"]["spec"]
    return {container["name"]: container for container in pod["containers"]}


def _volumes():
    return _one("deployment.yaml", "Deployment")["spec"]["template"]["spec"]["volumes"]


def test_the_dashboard_asks_for_metrics_the_service_has():
    board = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
    with running() as service:
        service.machines(1)
        service.http.post(
            "/v1/tasks", json={"name": "t", "usage": {"cpu": {"mean": 9}}}
        )
        task = {"name": "u", "usage": {"cpu": {"mean": 0.1}}}
        service.http.post("/v1/tasks", json=task)
        service.http.post("/v1/tasks/u/usage", json={"cpu": [0.1]})
        text = service.http.get("/metrics").text
    known = set(re.findall(r"^(cotenant_\w+)", text, re.MULTILINE))
    asked = set()
    for panel in board["panels"]:
        assert panel["title"]
        assert panel["description"]
        for target in panel["targets"]:
            asked |= set(re.findall(r"cotenant_\w+", target["expr"]))
            assert "task=" not in target["expr"]
    assert asked <= known
    assert len(asked) >= 15


def test_the_panels_of_the_dashboard_do_not_overlap():
    board = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    cells = [
        (x, y)
        for panel in board["panels"]
        for x in range(
            panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"]
        )
        for y in range(
            panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"]
        )
    ]
    assert len(cells) == len(set(cells))
    assert all(x < 24 for x, _ in cells)
