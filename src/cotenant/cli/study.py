"""`cotenant study`: the papers' experiments, published figures beside ours."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from cotenant.cli import options as opt
from cotenant.cli.groups import grouped
from cotenant.cli.progress import Watch
from cotenant.cli.study_morphosys import morphosys
from cotenant.cli.study_output import emit_told, save_report
from cotenant.cli.study_tomorrow import tomorrow


class Experiments(TyperGroup):
    """Sub-commands, and `GRID.toml` as short for `grid GRID.toml`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0].endswith(".toml"):
            args = ["grid", *args]
        return super().resolve_command(ctx, args)


study = typer.Typer(
    cls=Experiments,
    help="The papers' experiments, published figures beside ours; or your own grid, "
    "`study GRID.toml`.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@study.command("look-ahead")
@grouped
def look_ahead(
    *,
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
    running: opt.Running,
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """Best fit, fastest first, the paper's look-ahead and ours on four logs.

    With --keep FILE, a run that is interrupted goes on where it was.

    JSON keys: settings, summary (table, headline, headline_shaken, shaken_exact,
    shaken_user, shaken_last-two), published (statement, source, measured), rows (part,
    log, system, load, estimates, replicas, average_turnaround_s, better, gain,
    gain_error, over_tla, over_tla_error, gain_over_worse, stable).
    """
    from cotenant.report.profile_terminal import MOST_ROWS
    from cotenant.study.look_ahead import PARTS, study_look_ahead
    from cotenant.study.look_ahead_told import tell

    with Watch(quiet) as watch:
        result = study_look_ahead(
            folder,
            part or PARTS,
            replicas,
            running.workers,
            running.keep,
            lambda what, done, total: watch.step("cells", done, total),
        )
        told = tell(result)
        save_report(told, running.report, watch)

    return emit_told(result, told, printing, MOST_ROWS)


@study.command("gpa")
@grouped
def gpa(
    *,
    folder: Annotated[
        str | None,
        typer.Argument(
            metavar="[FOLDER]",
            help="Folder with planetlab/20110303.tar.gz, planetlab/20110322.tar.gz and "
            "google2011/GCD_VMs.tar.gz; without it only the synthetic pool is used.",
        ),
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="trace, base, rules, clairvoyance, averages, capacities, rebalancing, "
            "calibration, grouping, grouping-online; repeatable [all]."
        ),
    ] = None,
    problems: Annotated[
        int | None, typer.Option(help="Problems of each part [50; some have fewer].")
    ] = None,
    seed: opt.Seed = 0,
    running: opt.Running,
    figures: Annotated[
        str | None, typer.Option(help="Write every figure as SVG into this folder.")
    ] = None,
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """Janus and Rzadca, SoCC 2017: figures 1 to 13 and table 1, and what lies beyond.

    With --keep FILE, a run that is interrupted goes on where it was.

    JSON keys: settings, published (key, what, where, low, high, ours by pool), parts
    (part, pool, settings, mean_load, rows with the run and machines, overload, low,
    high, exact, worst_machine, machines_above_rho, error), traces (pool, and the parts
    of a profile), missing.
    """
    from cotenant.report.pictures import write_pictures
    from cotenant.study.gpa.study import study_gpa
    from cotenant.study.gpa.told import tell

    with Watch(quiet) as watch:
        result = study_gpa(
            folder,
            part or (),
            problems,
            seed,
            running.workers,
            running.keep,
            lambda what, done, total: watch.step("cells", done, total),
        )
        told = tell(result)
        save_report(told, running.report, watch)
        if figures is not None:
            charts = [chart for section in told.sections for chart in section.charts]
            write_pictures(charts, figures)
            watch.remark(f"{len(charts)} figures written to {figures}")

    return emit_told(result, told, printing)


@study.command("grid")
@grouped
def grid(
    *,
    file: Annotated[
        str, typer.Argument(metavar="GRID.toml", help="The experiment, as data.")
    ],
    running: opt.Running,
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """Your own grid of methods, rules, promises, capacities and pools.

    JSON keys: settings, mean_load, rows (the run; machines, least, most, normalized,
    overload, deviation, low, high, exact, worst_machine, machines_above_rho, unplaced,
    error), cleaning.
    """
    from cotenant.study.grid import read_grid
    from cotenant.study.grid_result import study_grid
    from cotenant.study.grid_told import tell

    with Watch(quiet) as watch:
        result = study_grid(
            read_grid(file),
            running.workers,
            running.keep,
            lambda what, done, total: watch.step("problems", done, total),
        )
        told = tell(result)
        save_report(told, running.report, watch)

    return emit_told(result, told, printing)


study.command("morphosys")(morphosys)
study.command("tomorrow")(tomorrow)
