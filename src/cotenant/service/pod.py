"""What a Kubernetes pod says of itself: who it is, where it is, what it asks for.

The only words of Kubernetes that the rest of the service meets are in this file, in
`extender.py` and in `reconciler.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from cotenant.errors import InvalidInput
from cotenant.quantities import parse_quantity
from cotenant.service.asked import LONGEST_NAME, RESOURCES
from cotenant.service.wire import LARGEST, NOTHING

Json: TypeAlias = Mapping[str, Any]

PREFIX = "pod/"
"""Names of tasks that are pods begin with it."""

ANNOTATIONS = "cotenant/"
OVER = frozenset({"Succeeded", "Failed"})
DEFAULTS = {"cpu": 0.1, "memory": 200 * 2.0**20}
"""What a pod that asks for nothing counts as; the scheduler itself assumes so."""


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod, as far as placing it goes.

    Parameters
    ----------
    task
        Name of its task.
    owner
        What made it, the same for all replicas and rollouts of a workload; None for a
        bare pod.
    node
        Where it is bound; None while it is pending.
    over
        Whether it has ended and uses nothing any more.
    annotations
        Those of this project, without their prefix.
    requests
        Cores and bytes it requests, by resource; what is not requested is left out.
    """

    uid: str
    task: str
    owner: str | None = None
    node: str | None = None
    over: bool = False
    annotations: Mapping[str, str] = field(default_factory=dict)
    requests: Mapping[str, float] = field(default_factory=dict)


def read_amount(text: object) -> float:
    """Read a quantity of something used or offered.

    Raises
    ------
    InvalidInput
        If it is no quantity, or none that anything has.
    """
    value = parse_quantity(str(text)[:100])
    if value == 0.0 or NOTHING <= value <= LARGEST:
        return value
    raise InvalidInput(f"{value:g} is out of range; expected 0 to {LARGEST:g}")


def read_pod(data: Json) -> Pod:
    """Read a pod as Kubernetes writes it.

    Raises
    ------
    InvalidInput
        If it has no name and uid, or a request that is no quantity.
    """
    meta, spec = _part(data, "metadata"), _part(data, "spec")
    name, uid = meta.get("name"), meta.get("uid")
    if not (isinstance(name, str) and name and isinstance(uid, str) and uid):
        raise InvalidInput("a pod needs metadata with a name and a uid")
    space = str(meta.get("namespace") or "default")
    task = f"{PREFIX}{space}/{name}"
    notes = _part(meta, "annotations")
    return Pod(
        uid=uid,
        task=task if len(task) <= LONGEST_NAME else f"{PREFIX}{space}/{uid}",
        owner=_owner(meta, space),
        node=spec.get("nodeName") or None,
        over=_part(data, "status").get("phase") in OVER,
        annotations={
            key.removeprefix(ANNOTATIONS): str(value)
            for key, value in notes.items()
            if key.startswith(ANNOTATIONS)
        },
        requests=_requests(spec),
    )


def _part(data: Json, key: str) -> Json:
    found = data.get(key) or {}
    if not isinstance(found, Mapping):
        raise InvalidInput(f"{key} of a pod is no object")
    return found


def _owner(meta: Json, space: str) -> str | None:
    owners = meta.get("ownerReferences") or ()
    owner = next((o for o in owners if o.get("controller")), None)
    if owner is None:
        return None
    kind, name = str(owner.get("kind")), str(owner.get("name"))
    template = _part(meta, "labels").get("pod-template-hash")
    if kind == "ReplicaSet" and template and name.endswith(f"-{template}"):
        # What was learned of a deployment outlives its rollouts.
        kind, name = "Deployment", name.removesuffix(f"-{template}")
    return f"{space}/{kind}/{name}"


def _requests(spec: Json) -> dict[str, float]:
    """Return the effective requests, as the scheduler adds them up.

    The largest of: containers and sidecars together, or one init container with the
    sidecars that were started before it; plus the overhead of the runtime. Requests of
    the pod as a whole stand in for those of its containers.
    """
    whole = _part(_part(spec, "resources"), "requests")
    found = {}
    for resource in RESOURCES:
        asked = _effective(spec, resource)
        if resource in whole:
            asked = read_amount(whole[resource])
        if asked is not None:
            overhead = _part(spec, "overhead").get(resource, 0)
            found[resource] = asked + read_amount(overhead)
    return found


def _effective(spec: Json, resource: str) -> float | None:
    mains = [_request(c, resource) for c in _containers(spec, "containers")]
    sidecars, peak = 0.0, 0.0
    asked = [m for m in mains if m is not None]
    for container in _containers(spec, "initContainers"):
        request = _request(container, resource)
        if request is not None:
            asked.append(request)
        if container.get("restartPolicy") == "Always":
            sidecars += request or 0.0
            peak = max(peak, sidecars)
        else:
            peak = max(peak, sidecars + (request or 0.0))
    if not asked:
        return None
    return max(peak, sidecars + sum(m or 0.0 for m in mains))


def _containers(spec: Json, key: str) -> Sequence[Json]:
    found = spec.get(key) or ()
    if isinstance(found, str) or not all(isinstance(c, Mapping) for c in found):
        raise InvalidInput(f"{key} of a pod is no list of objects")
    return list(found)


def _request(container: Json, resource: str) -> float | None:
    value = _part(_part(container, "resources"), "requests").get(resource)
    return None if value is None else read_amount(value)
