"""`cotenant queue`: a job log on clusters of different speed."""

import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli.clusters import read_systems
from cotenant.cli.groups import grouped
from cotenant.cli.output import emit, write
from cotenant.cli.progress import Watch
from cotenant.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console

    from cotenant.planning.queue.results import QueueComparison
    from cotenant.queueing.lookahead import LookAhead

_SHAKE_S, _REPLICAS = 30.0, 8


@grouped
def queue(
    *,
    log: Annotated[
        list[str],
        typer.Argument(metavar="LOG...", help="SWF, sacct -P or CSV; .gz too."),
    ],
    cluster: Annotated[
        list[str] | None,
        typer.Option(help="Processors@speed such as 128@2; repeatable [the log's]."),
    ] = None,
    clusters: Annotated[
        list[str] | None,
        typer.Option(help="TOML file of clusters; repeat to compare systems."),
    ] = None,
    allocator: Annotated[
        list[str] | None,
        typer.Option(
            help="best-fit, fastest-first, worst-fit, random, earliest-completion, "
            "tla, look-ahead; repeat to compare [look-ahead]."
        ),
    ] = None,
    order: Annotated[
        list[str] | None,
        typer.Option(help="fcfs, easy, conservative; repeat to compare [fcfs]."),
    ] = None,
    load: Annotated[
        list[float] | None,
        typer.Option(help="Scale submissions to this offered load; repeatable."),
    ] = None,
    estimates: Annotated[
        str, typer.Option(help="exact, user, last-two or uniform:F.")
    ] = "exact",
    rollout: Annotated[
        str, typer.Option(help="Behind the candidate: fastest-first, best-fit, both.")
    ] = "both",
    depth: Annotated[
        str, typer.Option(help="Waiting jobs that look-ahead simulates, or all.")
    ] = "200",
    allow_wait: Annotated[
        bool,
        typer.Option(
            "--allow-wait/--no-wait", help="Whether not starting is a candidate."
        ),
    ] = True,
    imagined_arrivals: Annotated[
        int | None,
        typer.Option(help="At most so many imagined [fcfs 50, backfilling 0]."),
    ] = None,
    tie: Annotated[
        str, typer.Option(help="Who wins a tie: fastest-first, best-fit.")
    ] = "fastest-first",
    candidates: Annotated[
        int | None, typer.Option(help="Judge only so many of the fastest clusters.")
    ] = None,
    metric: Annotated[
        str,
        typer.Option(help="turnaround, wait, bounded-slowdown, makespan, weighted."),
    ] = "turnaround",
    reserve: Annotated[
        str, typer.Option(help="What EASY promises: earliest start or completion.")
    ] = "start",
    kill_at_limit: Annotated[
        bool, typer.Option("--kill-at-limit", help="Jobs end at their estimate.")
    ] = False,
    shake: Annotated[
        float | None,
        typer.Option(help="Move submissions by up to so many seconds, replicated."),
    ] = None,
    replicas: Annotated[
        int | None, typer.Option(help="How many shaken copies [8 with --shake].")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="Only the first N records of the log.")
    ] = None,
    gantt: Annotated[
        str | None, typer.Option(help="Write an offline Gantt chart to this file.")
    ] = None,
    jobs_out: Annotated[
        str | None, typer.Option(help="Write one line a job to this CSV file.")
    ] = None,
    workers: opt.Workers = "1",
    format: opt.Format = "auto",
    seed: opt.Seed = 0,
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """Run a job log on clusters of different speed under allocators and queue orders.

    `tla` is the method of the paper; the options from --rollout to --metric shape
    `look-ahead`. The Gantt chart shows every row, the jobs CSV the first one.

    JSON keys: log (records, usable, rejected, ...), offered_load, settings, systems,
    rows (allocator, order, system, offered_load, jobs, average_turnaround_s,
    average_wait_s, average_bounded_slowdown, makespan_s, utilization, decisions,
    overrides, standard_error_s, against_heuristic, against_error, growth, stable,
    replicas, percentiles, clusters, sizes, seconds), assumptions, warnings, command.
    """
    from cotenant.planning.queue.compare import compare_queue
    from cotenant.planning.queue.results import jobs_frame
    from cotenant.planning.queue.settings import QueueSettings
    from cotenant.traces.jobs.cleaning import JobOptions
    from cotenant.traces.jobs.source import read_jobs

    if shake is None and replicas is not None:
        shake = _SHAKE_S
    settings = QueueSettings(
        tuple(allocator or ["look-ahead"]),
        tuple(order or ["fcfs"]),
        tuple(load or ()),
        estimates,
        _look_ahead(
            rollout, depth, allow_wait, imagined_arrivals, tie, candidates, metric
        ),
        shake or 0.0,
        (replicas or _REPLICAS) if shake else 1,
        reserve,
        kill_at_limit,
        seed,
    )
    with Watch(quiet) as watch:
        read = read_jobs(log, format, JobOptions(records=jobs))
        systems = read_systems(cluster, clusters, read)
        watch.remark(read.fitting(next(iter(systems.values()))).report.sentence())
        command = shlex.join(["cotenant", *sys.argv[1:]])
        result = compare_queue(read, systems, settings, command, watch.step, workers)
        if gantt is not None:
            from cotenant.report.queue_html import gantt_page

            write(gantt_page(result), gantt)
            watch.remark(f"Gantt chart written to {gantt}")
        if jobs_out is not None:
            write(jobs_frame(result.runs[0]).write_csv(), jobs_out)
            watch.remark(f"jobs written to {jobs_out}")
    emit(result, printing, _show, _page)
    return 0


def _show(result: "QueueComparison", console: "Console") -> None:
    from cotenant.report.queue_terminal import show_queue

    show_queue(result, console)


def _page(result: "QueueComparison") -> str:
    # Imported when asked for: drawing brings in a second's worth of modules.
    from cotenant.report.queue_html import queue_page

    return queue_page(result)


def _look_ahead(
    rollout: str,
    depth: str,
    allow_wait: bool,
    imagined_arrivals: int | None,
    tie: str,
    candidates: int | None,
    metric: str,
) -> "LookAhead":
    from cotenant.queueing.lookahead import LookAhead

    if depth != "all" and not depth.isdecimal():
        raise InvalidInput(f"depth is {depth!r}; expected a number of jobs or all")
    jobs = None if depth == "all" else int(depth)
    return LookAhead(
        rollout, jobs, allow_wait, metric, tie, candidates, imagined_arrivals
    )
