"""Requests as kube-scheduler 1.36 sends them, key for key."""

from copy import deepcopy
from typing import Any

HEADERS = {
    "content-type": "application/json",
    "accept-encoding": "gzip",
    "user-agent": "Go-http-client/1.1",
}


def pod(name: str = "big-1", uid: str | None = None, **notes: str) -> dict[str, Any]:
    """A pending pod; annotations without their prefix, dots for dashes."""
    marks = {f"cotenant/{key.replace('_', '-')}": v for key, v in notes.items()}
    return {
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": uid or f"uid-{name}",
            "annotations": {"slo.example/mean": "0.2", **marks},
        },
        "spec": {
            "containers": [
                {
                    "name": "c",
                    "resources": {"requests": {"cpu": "500m", "memory": "64Mi"}},
                }
            ],
            "schedulerName": "default-scheduler",
            "priority": 0,
        },
        "status": {"phase": "Pending", "qosClass": "Burstable"},
    }


def owned(value: dict[str, Any], kind: str, name: str) -> dict[str, Any]:
    """The same pod, made by a controller."""
    value = deepcopy(value)
    owner = {"kind": kind, "name": name, "uid": f"uid-{name}", "controller": True}
    value["metadata"]["ownerReferences"] = [owner]
    return value


def node(name: str, cpu: str = "1", memory: str = "8Gi") -> dict[str, Any]:
    """A node, with what it offers."""
    return {
        "metadata": {"name": name, "uid": f"uid-{name}"},
        "spec": {},
        "status": {"allocatable": {"cpu": cpu, "memory": memory, "pods": "110"}},
    }


def by_names(asked: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Filter and prioritize, `nodeCacheCapable: true`."""
    return {"Pod": asked, "Nodes": None, "NodeNames": names}


def by_nodes(asked: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Filter and prioritize, `nodeCacheCapable: false`."""
    items = [node(name) for name in names]
    return {
        "Pod": asked,
        "Nodes": {"metadata": {}, "items": items},
        "NodeNames": None,
    }


def of_old(asked: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Filter and prioritize by a scheduler of the 1.7 days."""
    return {"pod": asked, "nodes": None, "nodenames": names}


def preemption(asked: dict[str, Any], victims: dict[str, list[str]]) -> dict[str, Any]:
    """Preempt, `nodeCacheCapable: true`."""
    meta = {
        name: {"Pods": [{"UID": uid} for uid in uids], "NumPDBViolations": 0}
        for name, uids in victims.items()
    }
    return {"Pod": asked, "NodeNameToVictims": None, "NodeNameToMetaVictims": meta}


def preemption_by_pods(
    asked: dict[str, Any], victims: dict[str, list[dict[str, Any]]]
) -> dict[str, Any]:
    """Preempt, `nodeCacheCapable: false`."""
    whole = {
        name: {"Pods": pods, "NumPDBViolations": 1} for name, pods in victims.items()
    }
    return {"Pod": asked, "NodeNameToVictims": whole, "NodeNameToMetaVictims": None}
