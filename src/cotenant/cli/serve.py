"""`cotenant serve`: the online placement service."""

import os
from typing import Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli.reading import read_rho
from cotenant.errors import InvalidInput

TOKENS = "COTENANT_TOKENS_FILE"


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port.")] = 8080,
    database: Annotated[
        str,
        typer.Option(
            help="Ledger: sqlite:///FILE, or postgresql+psycopg://USER@HOST/NAME. "
            "COTENANT_DATABASE keeps a password out of the list of processes.",
            envvar="COTENANT_DATABASE",
        ),
    ] = "sqlite:///cotenant.db",
    slo: opt.Slo = None,
    rho: opt.Rho = None,
    method: Annotated[
        str, typer.Option(help="How machines are judged, as in plan.")
    ] = "exact",
    rule: Annotated[str, typer.Option(help="best-fit or first-fit.")] = "best-fit",
    slots: Annotated[
        int,
        typer.Option(
            help="Only 1: one distribution for all hours. What hours do to a machine "
            "is replayed day by day with --promise tomorrow."
        ),
    ] = 1,
    promise: Annotated[
        str,
        typer.Option(
            help="history: usage stays as it was measured; tomorrow: it may drift, "
            "and a margin fitted every night covers it."
        ),
    ] = "history",
    conservative: Annotated[
        bool,
        typer.Option(
            "--conservative",
            help="With tomorrow: the largest margin any of seven days needed.",
        ),
    ] = False,
    exclude_day: Annotated[
        list[str] | None,
        typer.Option(
            help="With tomorrow: a day (2026-11-30) that does not count; repeatable."
        ),
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Listen beyond loopback without tokens.")
    ] = False,
    kubernetes: Annotated[
        bool,
        typer.Option(
            "--kubernetes", help="Watch the nodes and pods of a Kubernetes cluster."
        ),
    ] = False,
) -> int:
    """The online placement service: HTTP, dashboard, Kubernetes extender.

    Tokens come from the file COTENANT_TOKENS_FILE names, one a line: NAME read|write
    SHA256. Logs go to stderr as JSON, one line each. Stops on SIGTERM and Ctrl-C.
    """
    if slots != 1:
        raise InvalidInput(
            f"--slots is {slots}; serve knows 1 only, since a demand that is declared "
            "says nothing of hours; --promise tomorrow replays whole days instead"
        )
    if promise != "tomorrow" and (conservative or exclude_day):
        raise InvalidInput(
            "--conservative and --exclude-day go with --promise tomorrow"
        )
    if promise == "tomorrow" and method != "exact":
        raise InvalidInput(
            f"--method is {method!r}; --promise tomorrow replays days instead"
        )
    from cotenant.service.asked import Settings
    from cotenant.service.server import Options
    from cotenant.service.server import serve as run

    settings = Settings(
        read_rho(slo, rho), method, rule, promise=promise, conservative=conservative
    )
    tokens = os.environ.get(TOKENS) or None
    excluded = tuple(exclude_day or ())
    run(Options(settings, host, port, database, tokens, insecure, kubernetes, excluded))
    return 0
