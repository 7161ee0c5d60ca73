"""`cotenant churn`: arrivals and departures of periodic workloads."""

from typing import Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli import sla_options as sla
from cotenant.cli.groups import grouped
from cotenant.cli.output import emit
from cotenant.cli.progress import Watch
from cotenant.errors import InvalidInput


@grouped
def churn(
    *,
    trace: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TRACE]...",
            help="Frame-size traces to stream, with --bandwidth; else 30 made-up ones.",
        ),
    ] = None,
    arrival_rate: Annotated[float, typer.Option(help="Requests a minute.")] = 1.0,
    swing: Annotated[
        float, typer.Option(help="Share by which the rate swings over a day.")
    ] = 0.0,
    theta: Annotated[
        str, typer.Option(metavar="LOW-HIGH", help="Groups of pictures in a period.")
    ] = "1-10",
    sigma: Annotated[
        int, typer.Option(help="Groups that fluid periods may be shorter or longer.")
    ] = 1,
    fluid_share: Annotated[float, typer.Option(help="Share of fluid requests.")] = 0.0,
    uptime: Annotated[
        float, typer.Option(help="Intervals met in five minutes, such as 0.995.")
    ] = 0.999,
    uptime_share: Annotated[
        float, typer.Option(help="Share of requests that ask for --uptime.")
    ] = 0.0,
    literal_uptime: Annotated[
        bool,
        typer.Option(help="Misses as the paper prints them: uptime times window."),
    ] = False,
    popularity: Annotated[str, typer.Option(help="uniform or zipf.")] = "uniform",
    bandwidth: Annotated[
        str | None, typer.Option(help="What a disk reads, bytes a second: 50M.")
    ] = None,
    session: Annotated[
        float | None,
        typer.Option(help="Minutes of a session [as long as the stream, or 60]."),
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help="first-fit, best-fit, ff-nr, bf-nr, nm, cm, um, response-time, edf, "
            "or given: the options below. Repeatable."
        ),
    ] = None,
    replicas: Annotated[int, typer.Option(help="Independent runs.")] = 10,
    measured: Annotated[
        float, typer.Option(help="Sessions to measure, after one to warm up.")
    ] = 2.0,
    placing: sla.Churning,
    workers: opt.Workers = "2",
    seed: opt.Seed = 0,
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """Periodic workloads arrive and leave: how much do strategies waste over time?

    JSON keys: settings, rows (strategy, efficiency, efficiency_given, machines, wasted,
    each with mean, low, high; peak, arrivals, rewrites_per_arrival,
    changes_per_arrival).
    """
    from cotenant.planning.sla.churn import run_churn
    from cotenant.planning.sla.strategies import USUAL
    from cotenant.planning.sla.streams import made_streams, video_streams
    from cotenant.quantities import parse_quantity
    from cotenant.report.churn_terminal import show_churn
    from cotenant.sim.requests import Load
    from cotenant.traces.video import read_videos

    policy = placing.policy()
    low, high = _range(theta)
    load = Load(
        arrival_rate=arrival_rate,
        swing=swing,
        theta_low=low,
        theta_high=high,
        sigma=sigma,
        fluid_share=fluid_share,
        uptime=uptime,
        uptime_share=uptime_share,
        literal=literal_uptime,
        popularity=popularity,
    )
    length = None if session is None else round(session * 60_000)
    if length is not None and length < 1:
        raise InvalidInput(f"session is {session} min; expected above 0")
    with Watch(quiet) as watch:
        if trace:
            if bandwidth is None:
                raise InvalidInput("traces need a disk: give --bandwidth, such as 50M")
            rate = parse_quantity(bandwidth)
            streams = video_streams(read_videos(trace), rate, high, length)
        else:
            streams = made_streams(high, *([] if length is None else [length]))
        result = run_churn(
            streams,
            load,
            policy,
            strategies=strategy or USUAL,
            replicas=replicas,
            measured=measured,
            seed=seed,
            workers=workers,
            advance=watch.step,
        )
    emit(result, printing, show_churn, None)
    return 0


def _range(text: str) -> tuple[int, int]:
    low, dash, high = text.partition("-")
    if not (low.isdigit() and (high.isdigit() if dash else True)):
        raise InvalidInput(f"theta is {text!r}; expected LOW-HIGH, such as 1-10")
    return int(low), int(high if dash else low)
