"""Lists and watches one kind of Kubernetes object, for ever."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol, TypeAlias

import httpx2
from lightkube import ApiError, AsyncClient
from lightkube.generic_resource import (
    GenericGlobalResource,
    GenericNamespacedResource,
    create_api_info,
)
from lightkube.models.meta_v1 import ObjectMeta

from cotenant.errors import ServiceUnavailable
from cotenant.service.metrics import Meters
from cotenant.service.pod import Json

log = logging.getLogger("cotenant.kubernetes")


class RawNode(GenericGlobalResource):
    """A node as it is sent: a model would refuse all nodes for one that is unusual."""

    _api_info = create_api_info("", "v1", "Node", "nodes")

    @property
    def metadata(self) -> ObjectMeta:
        """Return its version, which is all that the watch itself needs."""
        return ObjectMeta(resourceVersion=self["metadata"]["resourceVersion"])


class RawPod(GenericNamespacedResource):
    """A pod as it is sent."""

    _api_info = create_api_info("", "v1", "Pod", "pods")

    @property
    def metadata(self) -> ObjectMeta:
        """Return its version, which is all that the watch itself needs."""
        return ObjectMeta(resourceVersion=self["metadata"]["resourceVersion"])


Kind: TypeAlias = type[RawNode] | type[RawPod]
Event: TypeAlias = tuple[str, Any]

SILENCE_S = 300.0
"""A watch that says nothing for so long may be dead; it is taken up again."""

PATIENCE_S = (0.5, 30.0)
"""First and longest wait after a failure; each is twice the one before."""

PAGE = 500


class Follower(Protocol):
    """What is done about one kind of object."""

    async def begin(self, objects: list[Json]) -> None:
        """Take in all there are; what is not among them is gone."""
        ...

    async def changed(self, item: Json) -> None:
        """Take in one that is new or changed."""
        ...

    async def gone(self, item: Json) -> None:
        """Take in that one is deleted."""
        ...

    async def lost(self) -> None:
        """Wait until the ledger could not take a change, and raise why."""
        ...


class Watch:
    """Keeps a follower up to date, across disconnects.

    Every break is followed by a new list, so what happened meanwhile is not missed: the
    list says what there is, and the watch goes on from its version.
    """

    def __init__(
        self,
        client: AsyncClient,
        kind: Kind,
        follower: Follower,
        meters: Meters,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._client, self._kind, self._follower = client, kind, follower
        self._name = "pods" if kind is RawPod else "nodes"
        self._meters, self._sleep = meters, sleep
        self._wait = PATIENCE_S[0]

    async def run(self) -> None:
        """Follow until cancelled."""
        while True:
            try:
                await self._once()
            except (ApiError, httpx2.HTTPError, TimeoutError) as error:
                await self._pause("the watch broke", error)
            except ServiceUnavailable as error:
                await self._pause("the ledger did not take a change", error)
            except Exception as error:
                log.exception("watching %s failed", self._name)
                await self._pause("the watch failed", error)

    async def _once(self) -> None:
        found, version = await self._list()
        await self._follower.begin(found)
        log.info("watching", extra={"facts": {"resource": self._name}})
        self._wait = PATIENCE_S[0]
        events = aiter(
            self._client.watch(self._kind, namespace="*", resource_version=version)
            if self._kind is RawPod
            else self._client.watch(RawNode, resource_version=version)
        )
        lost = asyncio.ensure_future(self._follower.lost())
        try:
            while True:
                what, item = await _next(events, lost)
                if what == "DELETED":
                    await self._follower.gone(item)
                else:
                    await self._follower.changed(item)
        finally:
            lost.cancel()

    async def _list(self) -> tuple[list[Json], str]:
        listed = (
            self._client.list(RawPod, namespace="*", chunk_size=PAGE)
            if self._kind is RawPod
            else self._client.list(RawNode, chunk_size=PAGE)
        )
        found: list[Json] = [item async for item in listed]
        return found, listed.resourceVersion

    async def _pause(self, what: str, error: Exception) -> None:
        self._meters.disconnects.labels(self._name).inc()
        facts = {
            "resource": self._name,
            # Only the kind of error: its text may hold addresses with credentials.
            "error": type(error).__name__,
            "again_in_s": self._wait,
        }
        log.warning(what, extra={"facts": facts})
        await self._sleep(self._wait)
        self._wait = min(2.0 * self._wait, PATIENCE_S[1])


async def _next(events: AsyncIterator[Event], lost: "asyncio.Future[None]") -> Event:
    """Return the next event, unless a change is lost or there is silence."""
    coming = asyncio.ensure_future(_anext(events))
    both: set[asyncio.Future[Any]] = {coming, lost}
    try:
        first = asyncio.FIRST_COMPLETED
        await asyncio.wait(both, timeout=SILENCE_S, return_when=first)
        if lost.done():
            lost.result()
        if not coming.done():
            raise TimeoutError
        return coming.result()
    finally:
        coming.cancel()


async def _anext(events: AsyncIterator[Event]) -> Event:
    return await anext(events)
