"""`cotenant sla fits`, `sla place` and `sla from-video`."""

from typing import Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli import sla_options as sla
from cotenant.cli.groups import grouped
from cotenant.cli.output import emit
from cotenant.cli.progress import Watch

UNPLACED = 3


@grouped
def fits(
    *,
    slas: Annotated[
        list[str],
        typer.Argument(metavar="SLA...", help="Such as 1/30 or 2/4~2-8:1/5."),
    ],
    test: Annotated[
        str | None, typer.Option(help="Exit 3 when this test refuses; a row of tests.")
    ] = None,
    printing: opt.Printing,
) -> int:
    """Do these SLAs share one core? Every test's verdict, and response times.

    JSON keys: slas, test, fits, tests, utilization, response_times (null beyond the
    period). Exit 3 with --test when that test refuses.
    """
    from cotenant.demand.sla import Sla
    from cotenant.planning.sla.place import fits as judge
    from cotenant.report.sla_terminal import show_sla_fit

    result = judge([Sla.parse(text) for text in slas], test or "response-time")
    emit(result, printing, show_sla_fit, None)
    return UNPLACED if test is not None and not result.fits else 0


@grouped
def place(
    *,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="CSV: task,budget,period[,period_low,period_high,misses,window].",
        ),
    ],
    strategy: Annotated[
        str,
        typer.Option(
            help="in-order, harmonic-first, chains (all at once on harmonic chains) or "
            "portfolio (the best of them)."
        ),
    ] = "in-order",
    placing: sla.Placing,
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """Place a file of periodic SLAs: which machine, and in which safe form.

    JSON keys: settings, summary (tasks, machines, utilization, wasted,
    efficiency_over_first_fit, rewritten, migrated), machines, moves (task, from, to,
    before, after, reason), baselines, notes. CSV: task,machine,core,asked,given.
    """
    from cotenant.planning.sla.place import place_slas
    from cotenant.report.sla_terminal import show_sla_placement
    from cotenant.traces.sla_file import read_slas

    policy = placing.policy()
    with Watch(quiet) as watch:
        tasks = read_slas(file)
        result = place_slas(tasks, policy, strategy=strategy, advance=watch.step)
        for note in result.notes:
            watch.remark(note)
    emit(result, printing, show_sla_placement, None)
    return 0


@grouped
def from_video(
    *,
    trace: Annotated[
        list[str], typer.Argument(metavar="TRACE...", help="Frame-size traces.")
    ],
    theta: Annotated[
        list[int], typer.Option(help="Groups of pictures in a period; repeatable.")
    ],
    bandwidth: Annotated[
        str, typer.Option(help="What the disk reads, bytes a second: 50M, 100Mi.")
    ],
    sigma: Annotated[
        int, typer.Option(help="Groups that the period may be shorter or longer.")
    ] = 0,
    tick_ms: Annotated[float, typer.Option(help="Milliseconds of a tick.")] = 1.0,
    frame_rate: Annotated[
        float | None, typer.Option(help="Frames a second, for files without times.")
    ] = None,
    group: Annotated[
        int | None, typer.Option(help="Frames of a group, for files without types.")
    ] = None,
    printing: opt.Printing,
) -> int:
    """Make SLAs from frame-size traces, for `sla place`.

    JSON keys: bandwidth_bytes_per_s, tick_ms, videos (task, sla, theta, frames,
    frame_rate, group, largest_bytes, utilization). CSV: a file for `sla place`.
    """
    from cotenant.planning.sla.video import slas_from_video
    from cotenant.quantities import parse_quantity
    from cotenant.report.sla_terminal import show_sla_videos
    from cotenant.traces.video import read_videos

    videos = read_videos(trace, frame_rate, group)
    result = slas_from_video(
        videos, theta, parse_quantity(bandwidth), tick_ms=tick_ms, sigma=sigma
    )
    emit(result, printing, show_sla_videos, None)
    return 0
