"""A service in this process, for tests."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient
from lightkube import AsyncClient, KubeConfig
from lightkube.config.models import Cluster, User

from cotenant.service.app import Service, make_app, nothing_else
from cotenant.service.asked import MachineSpec, Settings
from cotenant.service.core import Placement
from cotenant.service.guard import Limits
from cotenant.service.reconciler import watching
from cotenant.service.security import Door

HERE = "http://127.0.0.1:8080"


@dataclass
class Running:
    """A service and a client for it."""

    service: Service
    app: FastAPI
    http: TestClient

    @property
    def placement(self) -> Placement:
        return self.service.placement

    def machines(self, count: int = 3, cpu: float = 1.0, **more: float) -> list[str]:
        """Declare machines n1, n2, ..."""
        names = [f"n{number}" for number in range(1, count + 1)]
        specs = [MachineSpec(name, {"cpu": cpu, **more}) for name in names]
        self.placement.add_machines(specs).result()
        return names

    def post(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, Any]:
        """Send a body as it is, as the fake scheduler does."""
        response = self.http.post(path, content=body, headers=headers)
        return response.status_code, response.content


@contextmanager
def running(
    settings: Settings | None = None,
    door: Door | None = None,
    limits: Limits | None = None,
    cluster: str | None = None,
    database: str | None = None,
) -> Iterator[Running]:
    """Run a service; `cluster` is the address of an API server to watch."""

    @asynccontextmanager
    async def watch(service: Service) -> AsyncIterator[None]:
        config = KubeConfig.from_one(
            cluster=Cluster(server=cluster), user=User(token="t")
        )
        async with watching(service, AsyncClient(config, trust_env=False)):
            yield

    placement = Placement(settings or Settings(), database)
    service = Service(placement)
    background = nothing_else if cluster is None else watch
    app = make_app(service, door or Door(None, True), limits, background)
    client = TestClient(app, base_url=HERE, raise_server_exceptions=False)
    try:
        with client:
            yield Running(service, app, client)
    finally:
        placement.close()


def eventually(check: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait until something is so."""
    until = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < until, "it never came to be"
        time.sleep(0.005)
