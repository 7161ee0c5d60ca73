"""`cotenant profile`: what a trace is like."""

from typing import TYPE_CHECKING, Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli.groups import grouped
from cotenant.cli.output import emit, write
from cotenant.cli.progress import Watch
from cotenant.cli.reading import Source, read_trace

if TYPE_CHECKING:
    from rich.console import Console

    from cotenant.study.profile.result import Profile


@grouped
def profile(
    *,
    usage: opt.Usage,
    min_samples: Annotated[
        int, typer.Option(help="Tasks with fewer samples are set aside.")
    ] = 24,
    reading: opt.Reading,
    seed: opt.Seed = 0,
    report: opt.Report = None,
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """What a trace is like: variability, correlation, rhythm, drift, shapes, normality.

    JSON keys: source, settings, summary, correlation, time_of_day, drift, spread,
    variance_factor, stationarity, bias, shapes, normality, percentile_error, cleaning.
    A part is {"rows": [...]}, or {"absent": reason} where the trace cannot show it.
    CSV: part,row,quantity,value.
    """
    from cotenant.report.profile_page import profile_page
    from cotenant.report.profile_terminal import show_profile
    from cotenant.study.profile.profile import profile as make_profile
    from cotenant.study.profile.told import tell

    with Watch(quiet) as watch:
        trace = read_trace(Source.of(usage, reading), watch)
        result = make_profile(trace, min_samples, seed, advance=watch.step)
        if report is not None:
            write(profile_page(tell(result)), report)
            watch.remark(f"report written to {report}")

    def show(made: "Profile", console: "Console") -> None:
        show_profile(tell(made), console)

    def page(made: "Profile") -> str:
        return profile_page(tell(made))

    emit(result, printing, show, page)
    return 0
