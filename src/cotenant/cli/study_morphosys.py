"""`cotenant study morphosys`: the MorphoSys experiments on public video traces."""

from typing import Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli.groups import grouped
from cotenant.cli.progress import Watch
from cotenant.cli.study_output import emit_told, save_report


@grouped
def morphosys(
    *,
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
    running: opt.Running,
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """The MorphoSys experiments on public video traces, with exact baselines beside.

    With --keep FILE, a run that is interrupted goes on where it was.

    JSON keys: settings, rows (part, at, load, strategy, replicas, machines,
    rewrites_per_arrival; efficiency, efficiency_given, over_response_time, each with
    mean, low, high).
    """
    from cotenant.study.morphosys.cells import PARTS
    from cotenant.study.morphosys.study import study_morphosys
    from cotenant.study.morphosys.told import tell

    with Watch(quiet) as watch:
        result = study_morphosys(
            folder,
            part or PARTS,
            replicas,
            running.workers,
            running.keep,
            lambda what, done, total: watch.step("cells", done, total),
        )
        told = tell(result)
        save_report(told, running.report, watch)

    return emit_told(result, told, printing)
