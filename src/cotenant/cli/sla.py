"""`cotenant sla`: the sub-commands, and those on single SLAs."""

import re
from typing import Annotated, Any, cast

import typer

from cotenant.cli import options as opt
from cotenant.cli.groups import grouped
from cotenant.cli.output import emit
from cotenant.cli.progress import Watch
from cotenant.cli.sla_options import Phase, Window
from cotenant.cli.sla_place import fits, from_video, place
from cotenant.errors import InvalidInput

BROKEN, BAD_DATA = 4, 5

SlaText = Annotated[str, typer.Argument(metavar="SLA", help="Such as 1/30 or 2/4:1/5.")]
TickMs = Annotated[float, typer.Option(help="Milliseconds of a tick.")]


@grouped
def check(
    *,
    offered: Annotated[
        str, typer.Argument(help="What would be supplied, such as 1/10.")
    ],
    required: Annotated[
        str, typer.Argument(help="What was promised, such as 1/30:2/5 or 2/4~2-8.")
    ],
    window: Window = "aligned",
    phase: Phase = "aligned",
    printing: opt.Printing,
) -> int:
    """May OFFERED safely replace REQUIRED? Exit 0 if it may, 4 if not.

    JSON keys: offered, required, window, phase, safe, exact, paper (the condition of
    the paper that accepts), counterexample (length, granted: runs of granted slots as
    start and length, origin: where the first required period starts), notes.
    """
    from cotenant.demand.sla import Sla
    from cotenant.planning.sla.check import check as decide
    from cotenant.report.sla_calculus import show_sla_check

    result = decide(
        Sla.parse(offered),
        Sla.parse(required),
        window=cast("Any", window),
        phase=cast("Any", phase),
    )
    emit(result, printing, show_sla_check, None)
    return 0 if result.safe else BROKEN


@grouped
def rewrite(
    *,
    required: Annotated[
        str, typer.Argument(help="What was promised, such as 1/30:2/5 or 2/4~2-8.")
    ],
    period: Annotated[int, typer.Option(help="Period to supply instead, in ticks.")],
    misses: Annotated[
        str,
        typer.Option(help="MISSES/WINDOW the supply itself may have, such as 1/600."),
    ] = "0/1",
    window: Window = "aligned",
    phase: Phase = "aligned",
    printing: opt.Printing,
) -> int:
    """Find the least budget at --period that is still safe, and its price.

    Exit 4 where none is. JSON keys: required, period, window, phase, rewritten,
    budget, utilization, overhead (0.1 is a tenth more than asked), paper_budget, notes.
    """
    from cotenant.demand.sla import Sla
    from cotenant.planning.sla.check import rewrite as find
    from cotenant.report.sla_calculus import show_sla_rewrite

    result = find(
        Sla.parse(required),
        period,
        tolerance=_tolerance(misses),
        window=cast("Any", window),
        phase=cast("Any", phase),
    )
    emit(result, printing, show_sla_rewrite, None)
    return 0 if result.rewritten is not None else BROKEN


@grouped
def export(
    *,
    sla: SlaText,
    to: Annotated[str, typer.Option(help="cgroup, chrt, libvirt, xen or kubernetes.")],
    tick_ms: TickMs = 1.0,
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """Write an SLA as settings of a host's scheduler; notes go to stderr.

    JSON keys: sla, to, tick_ms, text, values, notes.
    """
    from cotenant.demand.sla import Sla
    from cotenant.planning.sla.host import export as settings
    from cotenant.report.sla_calculus import show_sla_export

    result = settings(Sla.parse(sla), to, tick_ms=tick_ms)
    with Watch(quiet) as watch:
        for note in result.settings.notes:
            watch.remark(note)
    emit(result, printing, show_sla_export, None)
    return 0


@grouped
def audit(
    *,
    log: Annotated[
        str,
        typer.Argument(
            help="CSV (start,end | time,granted | time,total | time,usage_usec; "
            "seconds) or readings of cpu.stat, each below a line with its time."
        ),
    ],
    sla: Annotated[str, typer.Option(help="The promise, such as 1/30:2/5.")],
    tick_ms: TickMs = 1.0,
    origin: Annotated[
        float | None,
        typer.Option(help="When the first period starts, in seconds [first reading]."),
    ] = None,
    window: Window = "aligned",
    printing: opt.Printing,
) -> int:
    """Was the SLA kept? Exit 0 if so, 4 if not, 5 where the log cannot tell.

    JSON keys: log, sla, window, tick_ms, origin_s, readings, kept, periods, missed,
    unclear, windows, windows_broken, worst_windows (period, start_s, misses, unclear,
    kept). CSV: all windows.
    """
    from cotenant.demand.sla import Sla
    from cotenant.planning.sla.host import audit_log
    from cotenant.report.sla_calculus import show_sla_audit
    from cotenant.traces.grants import read_grants

    promise = Sla.parse(sla)
    result = audit_log(
        log,
        read_grants(log),
        promise,
        tick_ms=tick_ms,
        origin_s=origin,
        window=cast("Any", window),
    )
    emit(result, printing, show_sla_audit, None)
    return {True: 0, False: BROKEN, None: BAD_DATA}[result.kept]


def _tolerance(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,18})/(\d{1,18})", text, re.ASCII)
    if match is None:
        raise InvalidInput(f'misses are "{text}"; expected MISSES/WINDOW such as 1/600')
    return int(match[1]), int(match[2])


sla_app = typer.Typer(
    help="Periodic SLAs: check, rewrite, place, enforce, audit.", rich_markup_mode=None
)
sla_app.command("check")(check)
sla_app.command("rewrite")(rewrite)
sla_app.command("fits")(fits)
sla_app.command("place")(place)
sla_app.command("from-video")(from_video)
sla_app.command("export")(export)
sla_app.command("audit")(audit)
