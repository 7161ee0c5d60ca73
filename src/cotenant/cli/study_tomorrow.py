"""`cotenant study tomorrow`: is the promise kept on the next day?"""

from typing import TYPE_CHECKING, Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli.output import emit, write
from cotenant.cli.progress import Watch

if TYPE_CHECKING:
    from rich.console import Console

    from cotenant.study.tomorrow.result import TomorrowStudy

_EVERY_ROW = 10_000


def tomorrow(
    folder: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER",
            help="Folder with azure2017, bitbrains, google2011 and alibaba2018.",
        ),
    ],
    part: Annotated[
        list[str] | None,
        typer.Option(help="sets, shift, growth, newcomers; repeatable [all]."),
    ] = None,
    orders: Annotated[int, typer.Option(help="Random arrival orders a day.")] = 3,
    seed: opt.Seed = 0,
    workers: opt.Workers = "2",
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
    """Is the promise kept on the next day? Eight methods on seven sets of traces.

    With --keep FILE, a run that is interrupted goes on where it was.

    JSON keys: settings, summary (method, rho, sets, inside, overload_over_rho, worst,
    days_above_rho, machine_days_above_rho, cost), rows (part, name, rho, method, days,
    overload_over_rho, low, high, by_day, days_above_rho, machine_days_above_rho,
    worst_machine_day, machines, cost, margin).
    """
    from cotenant.report.profile_page import profile_page
    from cotenant.report.profile_terminal import show_profile
    from cotenant.study.tomorrow.cells import PARTS
    from cotenant.study.tomorrow.study import study_tomorrow
    from cotenant.study.tomorrow.told import tell

    with Watch(quiet) as watch:
        result = study_tomorrow(
            folder,
            part or PARTS,
            orders,
            seed,
            workers,
            keep,
            lambda what, done, total: watch.step("cells", done, total),
        )
        if report is not None:
            write(profile_page(tell(result)), report)
            watch.remark(f"report written to {report}")

    def show(made: "TomorrowStudy", console: "Console") -> None:
        show_profile(tell(made), console, _EVERY_ROW)

    def page(made: "TomorrowStudy") -> str:
        return profile_page(tell(made))

    emit(result, output, out, show, page)
    return 0
