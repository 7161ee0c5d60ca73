"""Runs the service: from options to a socket, and to a quiet end."""

import contextlib
import logging
import signal
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import uvicorn

from cotenant.service.app import Background, Service, make_app, nothing_else
from cotenant.service.asked import Settings
from cotenant.service.core import Placement
from cotenant.service.declared import from_moments
from cotenant.service.keeping.daybook import read_date
from cotenant.service.keeping.reading import exclude
from cotenant.service.logs import log_to
from cotenant.service.patience import PatientProtocol
from cotenant.service.security import Door, Tokens, check_exposure, is_loopback

log = logging.getLogger("cotenant.service")

IDLE_S = 75
"""Time a connection may stay open between requests."""

SWITCH_S = 0.001
"""How long one thread may keep others from the interpreter: a fifth of what is usual,
so that a reply does not wait for a batch that is being decided."""

STOPPING_S = 10
"""Time requests have to finish once the service is told to stop."""

MOST_CONNECTIONS = 2_000


@dataclass(frozen=True, slots=True)
class Options:
    """How to run.

    Parameters
    ----------
    tokens_file
        File of tokens; None for none.
    insecure
        Whether to listen beyond loopback without tokens.
    kubernetes
        Whether to watch the pods and nodes of a cluster.
    excluded_days
        Dates of days that do not count.
    """

    settings: Settings
    host: str = "127.0.0.1"
    port: int = 8080
    database: str = "sqlite:///cotenant.db"
    tokens_file: str | None = None
    insecure: bool = False
    kubernetes: bool = False
    excluded_days: tuple[str, ...] = ()


def serve(options: Options) -> None:
    """Serve until told to stop by SIGTERM or SIGINT.

    Raises
    ------
    InvalidInput
        If the tokens cannot be read, or everybody would be let in from outside.
    ServiceUnavailable
        If the database cannot be opened.
    """
    tokens = None if options.tokens_file is None else Tokens.read(options.tokens_file)
    check_exposure(options.host, tokens, options.insecure)
    excluded = [read_date(date) for date in options.excluded_days]
    log_to()
    sys.setswitchinterval(SWITCH_S)
    placement = Placement(options.settings, options.database)
    try:
        for day in excluded:
            _exclude(placement, day)
        service = Service(placement, ready=False)
        app = make_app(
            service,
            Door(tokens, is_loopback(options.host)),
            background=_background(options),
        )
        config = uvicorn.Config(
            app,
            host=options.host,
            port=options.port,
            http=PatientProtocol,
            ws="none",
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_keep_alive=IDLE_S,
            timeout_graceful_shutdown=STOPPING_S,
            limit_concurrency=MOST_CONNECTIONS,
        )
        _run(uvicorn.Server(config), options)
    finally:
        placement.close()
        log.info("stopped")


def _exclude(placement: Placement, day: int) -> None:
    told = placement.kept()
    if told is None or day not in told.daybook.excluded:
        why = "excluded when the service was started"
        placement.decide(lambda desk: exclude(desk, day, why)).result()


def _run(server: uvicorn.Server, options: Options) -> None:
    url = f"http://{options.host}:{options.port}"
    log.info("serving", extra={"facts": {"url": url}})
    # The server raises the signal that stopped it once more when it has ended; there is
    # still the ledger to close then.
    signal.signal(signal.SIGTERM, lambda number, frame: None)
    with contextlib.suppress(KeyboardInterrupt):
        server.run()


def _background(options: Options) -> Background:
    watching = _watching() if options.kubernetes else nothing_else

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
