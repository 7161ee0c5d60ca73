"""Runs the service: from options to a quiet end."""

import logging
import sys
from dataclasses import dataclass
from importlib import import_module

from cotenant.service.asked import Settings
from cotenant.service.core import Placement
from cotenant.service.keeping.daybook import read_date
from cotenant.service.keeping.reading import exclude
from cotenant.service.logs import log_to
from cotenant.service.security import Tokens, check_exposure

log = logging.getLogger("cotenant.service")

SWITCH_S = 0.001
"""How long one thread may keep others from the interpreter: a fifth of what is usual,
so that a reply does not wait for a batch that is being decided."""


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
    placement = Placement(options.settings, options.database, meanwhile=_import_rest)
    try:
        # Half a second of imports; what is left of it.
        from cotenant.service.listening import Socket, listen

        for day in excluded:
            _exclude(placement, day)
        where = options.host, options.port, tokens, options.kubernetes
        listen(placement, Socket(*where))
    finally:
        placement.close()
        log.info("stopped")


def _import_rest() -> None:
    import_module("cotenant.service.listening")


def _exclude(placement: Placement, day: int) -> None:
    told = placement.kept()
    if told is None or day not in told.daybook.excluded:
        why = "excluded when the service was started"
        placement.decide(lambda desk: exclude(desk, day, why)).result()
