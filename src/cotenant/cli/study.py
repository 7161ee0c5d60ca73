"""`cotenant study`: the papers' experiments, published figures beside ours."""

from typing import TYPE_CHECKING, Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli.output import emit, write
from cotenant.cli.progress import Watch

if TYPE_CHECKING:
    from rich.console import Console

    from cotenant.study.look_ahead import LookAheadStudy

study = typer.Typer(
    help="The papers' experiments: tables, published figures beside ours.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@study.command("look-ahead")
def look_ahead(
    folder: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER",
            help="Folder with SDSC-SP2-sample-4606.swf.gz, "
            "NASA-iPSC-1993-3.1-cln.swf.gz, lublin_256.swf.gz and wagap-2013.swf.gz.",
        ),
    ],
    part: Annotated[
        list[str] | None,
        typer.Option(help="headline, table, shaken, estimates; repeatable [all]."),
    ] = None,
    replicas: Annotated[int, typer.Option(help="Shaken copies of each case.")] = 8,
    processes: Annotated[int, typer.Option(help="Cells run at once.")] = 1,
    keep: Annotated[
        str | None,
        typer.Option(help="File that keeps finished cells, to resume from."),
    ] = None,
    report: Annotated[
        str | None, typer.Option(help="Write an offline HTML report to this file.")
    ] = None,
    output: opt.Form = opt.Output.table,
    out: opt.Out = None,
    quiet: opt.Quiet = False,
) -> int:
    """Best fit, fastest first, the paper's look-ahead and ours on four logs.

    With --keep FILE, a run that is interrupted goes on where it was.

    JSON keys: settings, summary (table, headline, headline_shaken, shaken_exact,
    shaken_user, shaken_last-two), published (statement, source, measured), rows (part,
    log, system, load, estimates, replicas, average_turnaround_s, better, gain,
    gain_error, over_tla, over_tla_error, gain_over_worse, stable).
    """
    from cotenant.report.profile_page import profile_page
    from cotenant.report.profile_terminal import show_profile
    from cotenant.study.look_ahead import PARTS, study_look_ahead
    from cotenant.study.look_ahead_told import tell

    with Watch(quiet) as watch:
        result = study_look_ahead(
            folder,
            part or PARTS,
            replicas,
            processes,
            keep,
            lambda what, done, total: watch.step("cells", done, total),
        )
        if report is not None:
            write(profile_page(tell(result)), report)
            watch.remark(f"report written to {report}")

    def show(made: "LookAheadStudy", console: "Console") -> None:
        show_profile(tell(made), console)

    def page(made: "LookAheadStudy") -> str:
        return profile_page(tell(made))

    emit(result, output, out, show, page)
    return 0
