"""A Kubernetes scheduler and API server, as far as the service meets them."""

import asyncio
import json
import random
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.service import recorded

Post = Callable[[str, bytes, dict[str, str]], tuple[int, bytes]]
Json = dict[str, Any]


class ExtenderError(Exception):
    """What the scheduler writes into the events of a pod that stays pending."""


@dataclass
class Outcome:
    """Where a pod went; a message where it went nowhere."""

    node: str | None
    message: str = ""


@dataclass
class FakeScheduler:
    """Asks an extender as kube-scheduler 1.36 does, and decodes answers as strictly.

    Parameters
    ----------
    post
        Sends a body to a path and returns status and body.
    weight
        Of the extender.
    share
        `percentageOfNodesToScore`: None for the scheduler's own rule.
    in_tree
        Score of a node by the scheduler's own plugins, all weights included.
    """

    post: Post
    weight: int = 1
    share: int | None = 100
    ignorable: bool = False
    in_tree: Callable[[str], float] = lambda node: 0.0
    seed: int = 0
    calls: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._next = 0

    def schedule(self, pod: Json, nodes: Sequence[str]) -> Outcome:
        """Choose a node for a pod."""
        offered = self._offered(nodes)
        try:
            left, failed, never = self.filter(pod, offered)
        except ExtenderError as error:
            if not self.ignorable:
                return Outcome(None, str(error))
            left, failed, never = offered, {}, {}
        if not left:
            return Outcome(None, _unschedulable(len(offered), failed, never))
        if len(left) == 1:
            return Outcome(left[0])
        scores = self.prioritize(pod, left)
        totals = {
            name: self.in_tree(name) + 10 * self.weight * scores.get(name, 0)
            for name in left
        }
        best = max(totals.values())
        ties = [name for name in left if totals[name] == best]
        return Outcome(self._random.choice(ties))

    def filter(
        self, pod: Json, nodes: Sequence[str]
    ) -> tuple[list[str], dict[str, str], dict[str, str]]:
        """Return the nodes that are left, and the reasons of the others."""
        result = _fold(self._send("filter", recorded.by_names(pod, list(nodes))))
        if result.get("error"):
            raise ExtenderError(result["error"])
        left = result.get("nodenames")
        if left is None:
            left = [n["metadata"]["name"] for n in (result["nodes"] or {})["items"]]
        for name in left:
            if name not in nodes:
                raise ExtenderError(
                    f'extender claims a filtered node "{name}" which is not found '
                    "in the input node list"
                )
        failed, never = result["failednodes"], result["failedandunresolvablenodes"]
        return left, failed or {}, never or {}

    def prioritize(self, pod: Json, nodes: Sequence[str]) -> dict[str, int]:
        """Return scores; none where the reply cannot be decoded, as in Go."""
        found = self._send("prioritize", recorded.by_names(pod, list(nodes)))
        scores = {}
        for one in map(_fold, found):
            if type(one["score"]) is not int:
                return {}
            scores[one["host"]] = one["score"]
        return scores

    def preempt(self, pod: Json, victims: dict[str, list[str]]) -> dict[str, list[str]]:
        """Return on which nodes which victims are left."""
        result = _fold(self._send("preempt", recorded.preemption(pod, victims)))
        left = {}
        for name, value in result["nodenametometavictims"].items():
            uids = [_fold(one)["uid"] for one in _fold(value)["pods"]]
            unknown = set(uids) - set(victims[name])
            if unknown:
                raise ExtenderError(f"victims {unknown} are not on {name}")
            left[name] = uids
        return left

    def _send(self, verb: str, body: Json) -> Any:
        self.calls[verb] += 1
        text = json.dumps(body).encode()
        status, answer = self.post(f"/extender/{verb}", text, recorded.HEADERS)
        if status != 200:
            raise ExtenderError(f"failed {verb} with extender, code {status}")
        return json.loads(answer)

    def _offered(self, nodes: Sequence[str]) -> list[str]:
        """Return the part of the nodes that is looked at, going round."""
        count = len(nodes)
        if self.share is None and count > 100:
            percent = max(50 - count // 125, 5)
            count = max(count * percent // 100, 100)
        turned = [*nodes[self._next :], *nodes[: self._next]]
        self._next = (self._next + count) % len(nodes)
        return turned[:count]


def _fold(value: Mapping[str, Any]) -> Json:
    """Make keys findable in any case, as Go does."""
    return {key.lower(): part for key, part in value.items()}


def _unschedulable(
    count: int, failed: Mapping[str, str], never: Mapping[str, str]
) -> str:
    reasons = Counter([*failed.values(), *never.values()])
    words = ", ".join(f"{n} {reason}" for reason, n in sorted(reasons.items()))
    after = "No preemption victims found" if failed else "Preemption is not helpful"
    return f"0/{count} nodes are available: {words}. preemption: {after}"


class FakeCluster:
    """Nodes and pods with a history, listed and watched over HTTP.

    Everything may be called from any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._objects: dict[str, dict[str, Json]] = {"nodes": {}, "pods": {}}
        self._history: list[tuple[int, str, Json]] = []
        self._version = 100
        self._forgotten = 0
        self._cut = 0
        self.down = False
        self.lists: Counter[str] = Counter()
        self.url = ""

    def put(self, item: Json) -> None:
        """Create or change an object."""
        self._record("MODIFIED" if self._find(item) else "ADDED", item)

    def delete(self, kind: str, name: str) -> None:
        """Delete an object."""
        self._record("DELETED", self._objects[kind][name])

    def bind(self, pod: Json, node: str) -> Json:
        """Bind a pod to a node, and run it."""
        spec = {**pod["spec"], "nodeName": node}
        bound = {**pod, "spec": spec, "status": {"phase": "Running"}}
        self.put(bound)
        return bound

    def finish(self, pod: Json, phase: str = "Succeeded") -> None:
        """Let a pod end, but stay on the books."""
        self.put({**pod, "status": {"phase": phase}})

    def disconnect(self) -> None:
        """Break every watch in the middle."""
        self._cut += 1

    def forget(self) -> None:
        """Compact the history: watches from an old version get 410 Gone."""
        with self._lock:
            self._forgotten = self._version
            self._history.clear()

    def _find(self, item: Json) -> Json | None:
        return self._objects[_kind(item)].get(item["metadata"]["name"])

    def _record(self, what: str, item: Json) -> None:
        with self._lock:
            self._version += 1
            meta = {**item["metadata"], "resourceVersion": str(self._version)}
            item = {**item, "metadata": meta}
            if what == "DELETED":
                del self._objects[_kind(item)][meta["name"]]
            else:
                self._objects[_kind(item)][meta["name"]] = item
            self._history.append((self._version, what, item))

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve on a free port of loopback and return the address."""
        routes = [
            Route("/api/v1/nodes", self._answer, name="nodes"),
            Route("/api/v1/pods", self._answer, name="pods"),
        ]
        with listening(Starlette(routes=routes)) as self.url:
            yield self.url
            self.disconnect()

    async def _answer(self, request: Request) -> Response:
        kind = request.url.path.rpartition("/")[2]
        if self.down:
            return JSONResponse(_status(503, "down"), 503)
        if request.query_params.get("watch") not in (None, "false"):
            return self._watch(kind, int(request.query_params["resourceVersion"]))
        self.lists[kind] += 1
        with self._lock:
            items = list(self._objects[kind].values())
            meta = {"resourceVersion": str(self._version)}
        name = "NodeList" if kind == "nodes" else "PodList"
        return JSONResponse(
            {"kind": name, "apiVersion": "v1", "metadata": meta, "items": items}
        )

    def _watch(self, kind: str, since: int) -> Response:
        if since < self._forgotten:
            event = {"type": "ERROR", "object": _status(410, "too old")}
            return StreamingResponse(iter([json.dumps(event) + "\n"]))
        return StreamingResponse(self._events(kind, since))

    async def _events(self, kind: str, since: int) -> AsyncIterator[str]:
        cut = self._cut
        while cut == self._cut:
            with self._lock:
                fresh = [entry for entry in self._history if entry[0] > since]
            for version, what, item in fresh:
                since = version
                if _kind(item) == kind:
                    yield json.dumps({"type": what, "object": item}) + "\n"
            await asyncio.sleep(0.002)
        # The connection ends in the middle of a chunked reply.
        raise ConnectionAbortedError


def _kind(item: Json) -> str:
    return "pods" if "containers" in item["spec"] else "nodes"


def _status(code: int, message: str) -> Json:
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": "Expired" if code == 410 else "ServiceUnavailable",
        "code": code,
    }


@contextmanager
def listening(app: Any, **options: Any) -> Iterator[str]:
    """Serve an application on a free port of loopback, in a thread."""
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=0,
        log_config=None,
        log_level="critical",
        ws="none",
        timeout_graceful_shutdown=1,
        **options,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise RuntimeError("the server did not start")
            threading.Event().wait(0.005)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
