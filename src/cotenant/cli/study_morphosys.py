"""`cotenant study morphosys`: the MorphoSys experiments on public video traces."""

from typing import TYPE_CHECKING, Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli.output import emit, write
from cotenant.cli.progress import Watch

if TYPE_CHECKING:
    from rich.console import Console

    from cotenant.study.morphosys.study import MorphosysStudy


_EVERY_ROW = 100


def morphosys(
    folder: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER",
            help="Folder with h264-asu and mpeg4-tuberlin frame-size traces.",
        ),
    ],
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="rates, epsilon, fluid, sigma, combined, uptime, streams, scale; "
            "repeatable [all]."
        ),
    ] = None,
    replicas: Annotated[
        int | None,
        typer.Option(
            help="Independent runs of a point [5 to 30, more where fleets are small]."
        ),
    ] = None,
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
    """The MorphoSys experiments on public video traces, with exact baselines beside.

    With --keep FILE, a run that is interrupted goes on where it was.

    JSON keys: settings, rows (part, at, load, strategy, replicas, machines,
    rewrites_per_arrival; efficiency, efficiency_given, over_response_time, each with
    mean, low, high).
    """
    from cotenant.report.profile_page import profile_page
    from cotenant.report.profile_terminal import show_profile
    from cotenant.study.morphosys.cells import PARTS
    from cotenant.study.morphosys.study import study_morphosys
    from cotenant.study.morphosys.told import tell

    with Watch(quiet) as watch:
        result = study_morphosys(
            folder,
            part or PARTS,
            replicas,
            workers,
            keep,
            lambda what, done, total: watch.step("cells", done, total),
        )
        if report is not None:
            write(profile_page(tell(result)), report)
            watch.remark(f"report written to {report}")

    def show(made: "MorphosysStudy", console: "Console") -> None:
        show_profile(tell(made), console, _EVERY_ROW)

    def page(made: "MorphosysStudy") -> str:
        return profile_page(tell(made))

    emit(result, output, out, show, page)
    return 0
