"""`cotenant study tomorrow`: is the promise kept on the next day?"""

from typing import Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli.groups import grouped
from cotenant.cli.progress import Watch
from cotenant.cli.study_output import emit_told, save_report


@grouped
def tomorrow(
    *,
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
    running: opt.Running,
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """Is the promise kept on the next day? Eight methods on seven sets of traces.

    With --keep FILE, a run that is interrupted goes on where it was.

    JSON keys: settings, summary (method, rho, sets, inside, overload_over_rho, worst,
    days_above_rho, machine_days_above_rho, cost), rows (part, name, rho, method, days,
    overload_over_rho, low, high, by_day, days_above_rho, machine_days_above_rho,
    worst_machine_day, machines, cost, margin).
    """
    from cotenant.study.tomorrow.cells import PARTS
    from cotenant.study.tomorrow.study import study_tomorrow
    from cotenant.study.tomorrow.told import tell

    with Watch(quiet) as watch:
        result = study_tomorrow(
            folder,
            part or PARTS,
            orders,
            seed,
            running.workers,
            running.keep,
            lambda what, done, total: watch.step("cells", done, total),
        )
        told = tell(result)
        save_report(told, running.report, watch)

    return emit_told(result, told, printing)
