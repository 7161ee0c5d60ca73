"""Listens on a socket until told to stop."""

import contextlib
import logging
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import uvicorn

from cotenant.service.app import Background, Service, make_app, nothing_else
from cotenant.service.core import Placement
from cotenant.service.declared import from_moments
from cotenant.service.patience import PatientProtocol
from cotenant.service.security import Door, Tokens, is_loopback

log = logging.getLogger("cotenant.service")

IDLE_S = 75
"""Time a connection may stay open between requests."""

STOPPING_S = 10
"""Time requests have to finish once the service is told to stop."""

MOST_CONNECTIONS = 2_000


@dataclass(frozen=True, slots=True)
class Socket:
    """Where to listen, and to whom.

    Parameters
    ----------
    tokens
        None lets everybody in.
    kubernetes
        Whether to watch the pods and nodes of a cluster meanwhile.
    """

    host: str
    port: int
    tokens: Tokens | None
    kubernetes: bool


def listen(placement: Placement, where: Socket) -> None:
    """Answer requests until SIGTERM or SIGINT."""
    door = Door(where.tokens, is_loopback(where.host))
    beside = _background(where.kubernetes)
    config = uvicorn.Config(
        make_app(Service(placement, ready=False), door, background=beside),
        host=where.host,
        port=where.port,
        http=PatientProtocol,
        ws="none",
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=STOPPING_S,
        limit_concurrency=MOST_CONNECTIONS,
    )
    url = f"http://{where.host}:{where.port}"
    log.info("serving", extra={"facts": {"url": url}})
    # The server raises the signal that stopped it once more when it has ended; there is
    # still the ledger to close then.
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run()


def _background(kubernetes: bool) -> Background:
    watching = _watching() if kubernetes else nothing_else

    @asynccontextmanager
    async def beside(service: Service) -> AsyncIterator[None]:
        threading.Thread(target=_warm, args=(service,), daemon=True).start()
        async with watching(service):
            yield
            service.ready = False

    return beside


def _watching() -> Background:
    # Imports for a quarter of a second, which nobody else has to wait for.
    from cotenant.service.reconciler import watching

    return watching


def _warm(service: Service) -> None:
    """Load the kernels; until then answers come, but later."""
    # What placing does not use itself need not be imported before the first answer.
    from cotenant.kernels.warm import warm

    try:
        from_moments(1.0, 1.0)
        warm()
    except Exception:
        log.exception("the kernels could not be loaded ahead of time")
    service.ready = True
