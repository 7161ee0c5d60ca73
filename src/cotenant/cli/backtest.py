"""`cotenant backtest`: was the promise kept on the next day?"""

from typing import Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli.groups import grouped
from cotenant.cli.output import emit
from cotenant.cli.progress import Watch
from cotenant.cli.reading import Source, read_machines, read_rho, read_trace

METHODS = ["tomorrow", "exact", "gaussian"]


@grouped
def backtest(
    *,
    usage: opt.Usage,
    slo: opt.Slo = None,
    rho: opt.Rho = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="tomorrow, tomorrow:conservative, or a method of plan; repeatable."
        ),
    ] = None,
    history: Annotated[
        int, typer.Option(help="Days that methods without a margin plan from.")
    ] = 7,
    orders: Annotated[int, typer.Option(help="Random arrival orders a day.")] = 3,
    capacity: opt.Capacity = None,
    machine: opt.MachineText = None,
    spread: Annotated[
        str | None,
        typer.Option(
            help="Column of the source; who came without history is taken for a task "
            "of the same value."
        ),
    ] = None,
    keep_failing: opt.KeepFailing = False,
    workers: opt.Workers = "1",
    reading: opt.Reading,
    seed: opt.Seed = 0,
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """Was the promise kept on the next day? Methods side by side, day after day.

    JSON keys: settings, rows (method, days, overload_over_rho, low, high,
    days_above_rho, machine_days_above_rho, worst_machine_day, machines, moved_share,
    margin), daily (method, day, overload, machines, margin), cleaning, warnings.
    """
    from cotenant.planning.backtest import run_backtest
    from cotenant.planning.problem import Selection
    from cotenant.report.backtest import backtest_page, show_backtest

    promised = read_rho(slo, rho)
    methods = " ".join(method or METHODS).split()
    source = Source.of(usage, reading, spread)
    with Watch(quiet) as watch:
        trace = read_trace(source, watch)
        machines = read_machines(opt.Machines(capacity, machine), trace.unit)
        result = run_backtest(
            trace,
            machines,
            methods,
            promised,
            history=history,
            orders=orders,
            seed=seed,
            selection=Selection(keep_failing=keep_failing),
            label=spread,
            workers=workers,
            advance=watch.step,
        )
    emit(result, printing, show_backtest, backtest_page)
    return 0
