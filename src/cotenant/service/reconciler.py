"""Keeps the ledger true to a Kubernetes cluster: its nodes, and where its pods are."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from lightkube import AsyncClient

from cotenant.errors import (
    Conflict,
    CotenantError,
    InvalidInput,
    ServiceUnavailable,
    UnknownMachine,
    UnknownTask,
)
from cotenant.service.asked import RESOURCES, MachineSpec
from cotenant.service.core import Placement
from cotenant.service.learned import Pods
from cotenant.service.pod import PREFIX, Json, Pod, read_amount, read_pod
from cotenant.service.watch import RawNode, RawPod, Watch

if TYPE_CHECKING:
    from concurrent.futures import Future

    from cotenant.service.app import Service

log = logging.getLogger("cotenant.kubernetes")


class Changes:
    """Changes asked of the ledger and not answered yet.

    They are decided in the order they are asked, so nobody has to wait in between. That
    the ledger was not available is kept for `lost`, so that everything is listed again;
    other refusals are logged.
    """

    def __init__(self) -> None:
        self._open: set[asyncio.Future[Any]] = set()
        self._broken: asyncio.Queue[ServiceUnavailable] = asyncio.Queue()

    def ask(self, what: str, change: "Future[Any]") -> "asyncio.Future[Any]":
        """Follow a change up."""
        future = asyncio.wrap_future(change)
        self._open.add(future)
        future.add_done_callback(lambda done: self._done(what, done))
        return future

    async def settle(self) -> None:
        """Wait until every change is answered.

        Raises
        ------
        ServiceUnavailable
            If one was lost.
        """
        while self._open:
            await asyncio.wait(self._open)
        if not self._broken.empty():
            await self.lost()

    async def lost(self) -> None:
        """Wait until a change is lost, and raise why."""
        error = await self._broken.get()
        while not self._broken.empty():
            self._broken.get_nowait()
        raise error

    def _done(self, what: str, done: "asyncio.Future[Any]") -> None:
        self._open.discard(done)
        error = None if done.cancelled() else done.exception()
        if isinstance(error, ServiceUnavailable):
            self._broken.put_nowait(error)
        elif isinstance(error, UnknownTask):
            log.debug("%s: it had left", what)
        elif isinstance(error, CotenantError):
            log.warning("%s: %s", what, error)
        elif error is not None:
            log.error("%s failed", what, exc_info=error)


class Nodes:
    """Declares the nodes of a cluster as machines and drains those that left."""

    def __init__(self, placement: Placement, pods: "BoundPods") -> None:
        self._placement, self._pods = placement, pods
        self._changes = Changes()
        self._known: dict[str, MachineSpec] = {}

    async def begin(self, objects: list[Json]) -> None:
        specs = [spec for item in objects if (spec := _machine(item)) is not None]
        names = {spec.name for spec in specs}
        for name in [name for name in self._known if name not in names]:
            self._leave(name)
        self._join(specs)
        await self._changes.settle()
        strangers = {m.name for m in self._placement.machines()} - names
        if strangers:
            facts = {"machines": sorted(strangers)[:10], "count": len(strangers)}
            log.warning("machines that are no nodes", extra={"facts": facts})

    async def changed(self, item: Json) -> None:
        spec = _machine(item)
        if spec is not None:
            self._join([spec])

    async def gone(self, item: Json) -> None:
        self._leave(item["metadata"]["name"])

    async def lost(self) -> None:
        await self._changes.lost()

    def _join(self, specs: list[MachineSpec]) -> None:
        fresh = [spec for spec in specs if self._known.get(spec.name) != spec]
        for spec in [spec for spec in fresh if self._resized(spec)]:
            fresh.remove(spec)
            self._resize(spec)
        if fresh:
            self._known |= {spec.name: spec for spec in fresh}
            what = f"declaring {len(fresh):,} nodes, {fresh[0].name} first"
            change = self._placement.add_machines(fresh)
            future = self._changes.ask(what, change)
            future.add_done_callback(lambda done: self._joined(fresh, done))

    def _joined(self, specs: list[MachineSpec], done: "asyncio.Future[Any]") -> None:
        error = None if done.cancelled() else done.exception()
        for spec in specs:
            if error is None:
                self._pods.node_joined(spec.name)
            else:
                del self._known[spec.name]
        if isinstance(error, Conflict) and len(specs) > 1:
            # One of them is known otherwise; the others need not wait for that.
            for spec in specs:
                self._join([spec])

    def _resized(self, spec: MachineSpec) -> bool:
        try:
            known = self._placement.machine(spec.name)
        except UnknownMachine:
            return False
        return not known.draining and dict(known.capacity) != dict(spec.capacity)

    def _resize(self, spec: MachineSpec) -> None:
        """Believe a node that offers something else now; its pods stay on it."""
        self._known[spec.name] = spec
        change = self._placement.resize(spec.name, spec.capacity, stay=True)
        future = self._changes.ask(f"changing the capacity of {spec.name}", change)
        future.add_done_callback(lambda done: self._joined([spec], done))

    def _leave(self, name: str) -> None:
        if self._known.pop(name, None) is not None:
            self._changes.ask(f"draining node {name}", self._placement.drain(name))


class BoundPods:
    """Books pods where they are bound, and releases them when they end."""

    def __init__(self, placement: Placement, pods: Pods) -> None:
        self._placement, self._pods = placement, pods
        self._changes = Changes()
        self._bound: dict[str, Pod] = {}
        self._latest: dict[str, str] = {}  # of pods with one name, the uid bound last
        self._homeless: dict[str, dict[str, Pod]] = {}

    async def begin(self, objects: list[Json]) -> None:
        found = [pod for item in objects if (pod := _read(item)) is not None]
        alive = {pod.uid for pod in found if not pod.over}
        for pod in [p for uid, p in self._bound.items() if uid not in alive]:
            self._end(pod)
        for pod in found:
            self._take_in(pod)
        tasks = {pod.task for pod in found if not pod.over}
        for task in self._placement.tasks():
            # Pods that ended while nobody was watching.
            if task.name.startswith(PREFIX) and task.name not in tasks:
                self._release(task.name)
        await self._changes.settle()

    async def changed(self, item: Json) -> None:
        pod = _read(item)
        if pod is not None:
            self._take_in(pod)

    async def gone(self, item: Json) -> None:
        pod = _read(item)
        if pod is not None:
            self._end(pod)

    async def lost(self) -> None:
        await self._changes.lost()

    def node_joined(self, node: str) -> None:
        """Book the pods that were seen on a node before the node itself was."""
        for pod in self._homeless.pop(node, {}).values():
            self._take_in(pod)

    def _take_in(self, pod: Pod) -> None:
        self._pods.note(pod)
        if pod.over:
            self._end(pod)
        elif pod.node is not None and pod.uid not in self._bound:
            self._bound[pod.uid] = pod
            self._latest[pod.task] = pod.uid
            if not self._is_booked(pod):
                self._book(pod, pod.node)

    def _is_booked(self, pod: Pod) -> bool:
        try:
            return self._placement.task(pod.task).machine == pod.node
        except UnknownTask:
            return False

    def _book(self, pod: Pod, node: str) -> None:
        try:
            spec = self._pods.demand_of(pod)
        except InvalidInput as error:
            # It runs there whatever its annotations say: count what it requests.
            log.warning("%s: %s", pod.task, error)
            spec = self._pods.demand_of(
                Pod(pod.uid, pod.task, pod.owner, node, requests=pod.requests)
            )
        change = self._placement.confirm(pod.uid, spec, node)
        future = self._changes.ask(f"booking {pod.task} on {node}", change)
        future.add_done_callback(lambda done: self._booked(pod, node, done))

    def _booked(self, pod: Pod, node: str, done: "asyncio.Future[Any]") -> None:
        error = None if done.cancelled() else done.exception()
        if error is None:
            return
        self._bound.pop(pod.uid, None)
        self._latest.pop(pod.task, None)
        if isinstance(error, UnknownMachine):
            self._homeless.setdefault(node, {})[pod.uid] = pod

    def _end(self, pod: Pod) -> None:
        known = self._bound.pop(pod.uid, None)
        if pod.node is not None:
            self._homeless.get(pod.node, {}).pop(pod.uid, None)
        self._pods.forget(pod)
        if self._latest.get(pod.task) == pod.uid:
            # Otherwise a new pod of that name has taken its place already.
            del self._latest[pod.task]
            self._release(pod.task)
        if known is None:
            change = self._placement.unreserve(pod.uid, "the pod is gone")
            self._changes.ask(f"giving up room for {pod.task}", change)

    def _release(self, task: str) -> None:
        self._changes.ask(f"releasing {task}", self._placement.release(task))


@asynccontextmanager
async def watching(
    service: "Service", client: AsyncClient | None = None
) -> AsyncIterator[None]:
    """Watch a cluster beside the service; by default the one this process is in."""
    client = client or AsyncClient()
    pods = BoundPods(service.placement, service.pods)
    nodes = Nodes(service.placement, pods)
    watches = [
        Watch(client, RawNode, nodes, service.meters),
        Watch(client, RawPod, pods, service.meters),
    ]
    running = [asyncio.create_task(watch.run()) for watch in watches]
    try:
        yield
    finally:
        for one in running:
            one.cancel()
        for one in running:
            with contextlib.suppress(asyncio.CancelledError):
                await one
        await client.close()


def _machine(item: Json) -> MachineSpec | None:
    """Read a node; None, with a warning, where it does not say what it offers."""
    name = item["metadata"]["name"]
    offered = (item.get("status") or {}).get("allocatable") or {}
    try:
        capacity = {r: read_amount(offered[r]) for r in RESOURCES}
        return MachineSpec(name, capacity)
    except (KeyError, InvalidInput) as error:
        log.warning("node %s does not say what it offers: %s", name, error)
        return None


def _read(item: Json) -> Pod | None:
    try:
        return read_pod(item)
    except InvalidInput as error:
        log.warning("a pod cannot be read: %s", error)
        return None
