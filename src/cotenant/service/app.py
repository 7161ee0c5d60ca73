"""The HTTP application: what is wired to what."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass, field
from typing import TypeVar

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from cotenant import __version__
from cotenant.errors import CotenantError
from cotenant.service import replies
from cotenant.service.core import Placement
from cotenant.service.dashboard import dashboard
from cotenant.service.express import Express
from cotenant.service.extender import Extender
from cotenant.service.guard import Guard, Limits
from cotenant.service.keeping.keeper import Keeper
from cotenant.service.keeping.routes import keeping
from cotenant.service.landing import Landing
from cotenant.service.learned import Pods
from cotenant.service.measured import Overloads
from cotenant.service.metrics import Meters
from cotenant.service.routes import api
from cotenant.service.routes_operating import operating
from cotenant.service.security import Door

T = TypeVar("T")

Background = Callable[["Service"], AbstractAsyncContextManager[None]]


@dataclass(slots=True)
class Service:
    """The parts of a running service, found by handlers as `request.app.state.service`.

    Parameters
    ----------
    ready
        Whether requests are expected: kernels are warm and nothing is stopping.
    """

    placement: Placement
    clock: Callable[[], float] = time.time
    ready: bool = True
    meters: Meters = field(init=False)
    pods: Pods = field(init=False)
    extender: Extender = field(init=False)
    overloads: Overloads = field(init=False)
    keeper: Keeper | None = field(default=None, init=False)
    _landing: Landing = field(default_factory=Landing, init=False)

    def __post_init__(self) -> None:
        placement = self.placement
        self.meters = Meters(placement)
        self.pods = Pods(placement)
        self.extender = Extender(placement, self.pods, self.meters)
        fresh = placement.settings.stale_after
        self.overloads = Overloads(placement, self.meters, fresh)

    async def decided(self, operation: str, future: Future[T]) -> T:
        """Wait for a durable answer, and time it."""
        with self.meters.timed(operation):
            return await self._landing.wait(future)


@asynccontextmanager
async def nothing_else(service: Service) -> AsyncIterator[None]:
    """Run nothing beside the application."""
    yield


@contextmanager
def _keeping(service: Service) -> Iterator[None]:
    """Have nights and the guard run, where days are kept."""
    if service.placement.settings.promise != "tomorrow":
        yield
        return
    keeper = service.keeper = Keeper(service.placement)
    keeper.start()
    try:
        yield
    finally:
        keeper.close()


def make_app(
    service: Service,
    door: Door,
    limits: Limits | None = None,
    background: Background = nothing_else,
) -> FastAPI:
    """Make the application of a service.

    Parameters
    ----------
    door
        Who is let in.
    limits
        What one request may take.
    background
        Runs beside the application, from its start to its end.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with _keeping(service):
            async with background(service):
                yield

    app = FastAPI(
        title="cotenant",
        version=__version__,
        summary="Places workloads on shared machines and keeps the promise.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.service = service
    app.include_router(api)
    app.include_router(keeping)
    app.include_router(operating)
    app.include_router(dashboard(service.placement, service.clock))
    app.add_exception_handler(CotenantError, replies.on_refusal)
    app.add_exception_handler(RequestValidationError, replies.on_malformed)
    app.add_exception_handler(HTTPException, replies.on_http)
    app.add_exception_handler(Exception, replies.on_crash)
    app.add_middleware(Express, service=service)
    app.add_middleware(
        Guard,
        door=door,
        meters=service.meters,
        limits=limits or Limits(),
    )
    return app
