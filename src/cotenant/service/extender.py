"""The extender of the Kubernetes scheduler: filter, prioritize, preempt.

The protocol is that of kube-scheduler 1.36. Its keys are those of Go structs without
tags, so they are capitalised; schedulers of the 1.7 days wrote them in lower case, and
both are read. Every answer has status 200, or the scheduler would fail the pod without
reading the reason, and scores are whole numbers from 0 to 10, or it would drop them.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json, to_json

from cotenant.errors import CotenantError, InvalidInput, NothingFits
from cotenant.service.answers import Assessed
from cotenant.service.core import Placement
from cotenant.service.holds import Holds
from cotenant.service.learned import Pods
from cotenant.service.metrics import Meters
from cotenant.service.pod import Json, Pod, read_pod

log = logging.getLogger("cotenant.extender")

HELD = 10
"""Score of the node on which room is held; no other gets as much."""


@dataclass(frozen=True, slots=True)
class Call:
    """What the scheduler asks.

    Parameters
    ----------
    names
        Nodes offered, in order.
    nodes
        The same as whole objects, where the scheduler sends them; None where names are
        enough (`nodeCacheCapable`).
    victims
        For preempt: by node, the uids it would evict and its broken budgets.
    """

    pod: Pod
    names: Sequence[str]
    nodes: Sequence[Json] | None
    victims: Mapping[str, "Victims"]

    @classmethod
    def read(cls, body: bytes) -> "Call":
        """Read a request.

        Raises
        ------
        InvalidInput
            If it is not what a scheduler sends.
        """
        try:
            given = _lower(from_json(body, allow_inf_nan=False))
            nodes = given.get("nodes")
            items = None if nodes is None else list(nodes["items"] or ())
            names = given.get("nodenames")
            if names is None:
                names = [item["metadata"]["name"] for item in items or ()]
            if not all(isinstance(name, str) for name in names):
                raise InvalidInput("a node name is no text")
            return cls(read_pod(given["pod"]), names, items, _victims(given))
        except InvalidInput:
            raise
        except (ValueError, TypeError, KeyError, AttributeError):
            raise InvalidInput("this is no request of a scheduler") from None


@dataclass(frozen=True, slots=True)
class Victims:
    """Pods that would be evicted from a node."""

    uids: Sequence[str]
    budgets: int

    def to_dict(self) -> dict[str, Any]:
        """Return the form of the protocol."""
        pods = [{"UID": uid} for uid in self.uids]
        return {"Pods": pods, "NumPDBViolations": self.budgets}


class Extender:
    """Answers the scheduler from the ledger and holds room for each pod it lets pass.

    A filter call books nothing by itself, and nobody says where the pod went. So room
    is reserved on the node the rule prefers, under the uid of the pod; `prioritize`
    gives that node the highest score; and once the pod is seen bound, the reconciler
    turns the reservation into a task, wherever that is.
    """

    def __init__(self, placement: Placement, pods: Pods, meters: Meters) -> None:
        self._placement, self._pods, self._meters = placement, pods, meters
        self._holds = Holds(placement)

    async def filter(self, body: bytes) -> bytes:
        """Return which nodes the pod may go to, and why not to the others."""
        with self._meters.timed("filter"):
            try:
                return to_json(await self._filter(Call.read(body)))
            except CotenantError as error:
                return to_json(_filtered(None, (), {}, {}, str(error)))
            except Exception:
                log.exception("filter failed")
                return to_json(_filtered(None, (), {}, {}, "internal error; see log"))

    async def prioritize(self, body: bytes) -> bytes:
        """Return a score from 0 to 10 for each node."""
        with self._meters.timed("prioritize"):
            try:
                call = Call.read(body)
                scores = await self._scores(call)
            except CotenantError:
                return b"[]"
            except Exception:
                log.exception("prioritize failed")
                return b"[]"
            return to_json([{"Host": n, "Score": scores[n]} for n in call.names])

    async def preempt(self, body: bytes) -> bytes:
        """Return the nodes on which evicting the victims makes room for the pod."""
        with self._meters.timed("preempt"):
            kept: dict[str, Any] = {}
            try:
                kept = self._worth_it(Call.read(body))
            except CotenantError as error:
                log.warning("nobody is evicted: %s", error)
            except Exception:
                log.exception("preempt failed")
            return to_json({"NodeNameToMetaVictims": kept})

    async def _filter(self, call: Call) -> dict[str, Any]:
        self._pods.note(call.pod)
        spec, uid = self._pods.demand_of(call.pod), call.pod.uid
        await self._holds.others_counted(uid)
        found = self._placement.assess(spec, call.names, uid)
        fitting = [one.machine for one in found if one.fits]
        failed = {one.machine: one.reason for one in found if not one.fits and one.ever}
        never = {one.machine: one.reason for one in found if not one.ever}
        if fitting:
            self._holds.ask(uid, spec, fitting)
            # Prioritize waits for the reservation, but is not called for one node.
            if len(fitting) == 1 or not self._holds.trusted:
                fitting = await self._surely(uid, fitting, failed)
        if not fitting:
            self._meters.rejections.labels("no-node").inc()
        return _filtered(call.nodes, fitting, failed, never, "")

    async def _surely(
        self, uid: str, fitting: list[str], failed: dict[str, str]
    ) -> list[str]:
        try:
            await self._holds.made(uid)
        except NothingFits as error:
            failed |= {n: error.machines.get(n, error.reason) for n in fitting}
            return []
        return fitting

    async def _scores(self, call: Call) -> dict[str, int]:
        self._pods.note(call.pod)
        spec, uid = self._pods.demand_of(call.pod), call.pod.uid
        held = await self._holds.machine(uid)
        if held is None or held not in call.names:
            self._holds.ask(uid, spec, call.names)
            held = await self._holds.machine(uid)
        found = self._placement.assess(spec, call.names, uid)
        return {one.machine: _score(one, held) for one in found}

    def _worth_it(self, call: Call) -> dict[str, Any]:
        self._pods.note(call.pod)
        spec = self._pods.demand_of(call.pod)
        found = self._placement.assess(spec, list(call.victims), call.pod.uid)
        kept: dict[str, Any] = {}
        for one in found:
            victims = call.victims[one.machine]
            tasks = [self._pods.task_of(uid) for uid in victims.uids]
            leaving = [task for task in tasks if task is not None]
            uid = call.pod.uid
            if one.fits or (
                one.ever
                and self._placement.fits_without(spec, one.machine, leaving, uid)
            ):
                kept[one.machine] = victims.to_dict()
        return kept


def _score(one: Assessed, held: str | None) -> int:
    if one.machine == held:
        return HELD
    return max(0, min(one.score, HELD - 1))


def _filtered(
    nodes: Sequence[Json] | None,
    fitting: Sequence[str],
    failed: Mapping[str, str],
    never: Mapping[str, str],
    error: str,
) -> dict[str, Any]:
    """Return the result of a filter: whole nodes where they were sent, else names."""
    kept = set(fitting)
    items = [n for n in nodes or () if n["metadata"]["name"] in kept]
    return {
        "Nodes": None if nodes is None else {"metadata": {}, "items": items},
        "NodeNames": list(fitting) if nodes is None else None,
        "FailedNodes": failed,
        "FailedAndUnresolvableNodes": never,
        "Error": error,
    }


def _lower(given: Mapping[str, Any]) -> dict[str, Any]:
    return {key.lower(): value for key, value in given.items()}


def _victims(given: Mapping[str, Any]) -> dict[str, Victims]:
    """Read the victims by node: uids alone, or whole pods."""
    found = {}
    meta = given.get("nodenametometavictims")
    for name, value in (meta or given.get("nodenametovictims") or {}).items():
        victims = _lower(value)
        uids = [_uid(pod) for pod in victims.get("pods") or ()]
        found[name] = Victims(uids, int(victims.get("numpdbviolations") or 0))
    return found


def _uid(pod: Mapping[str, Any]) -> str:
    uid = _lower(pod).get("uid") or pod["metadata"]["uid"]
    if not isinstance(uid, str):
        raise InvalidInput("the uid of a victim is no text")
    return uid
