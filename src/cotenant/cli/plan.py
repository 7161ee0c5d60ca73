"""`cotenant plan` and `cotenant compare`."""

import shlex
import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from cotenant.cli import options as opt
from cotenant.cli.groups import grouped
from cotenant.cli.output import emit, write
from cotenant.cli.progress import Watch
from cotenant.cli.reading import (
    Source,
    keep_apart,
    read_machines,
    read_rho,
    read_trace,
)

if TYPE_CHECKING:
    from cotenant.planning.settings import Settings

UNPLACED, MISSED = 3, 4


@grouped
def plan(
    *,
    usage: opt.Usage,
    slo: opt.Slo = None,
    rho: opt.Rho = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="exact [default], gaussian, cumulants, esscher, one-factor, "
            "welch, replay[:MARGIN], cantelli[:B], mean:F, percentile:P, max, requests."
        ),
    ] = None,
    rule: Annotated[str, typer.Option(help="best-fit or first-fit.")] = "best-fit",
    machines: opt.Machines,
    promise: opt.Promised = None,
    conservative: Annotated[
        bool,
        typer.Option(
            "--conservative",
            help="For tomorrow: the margin the worst of 7 days took.",
        ),
    ] = False,
    packing: opt.Packing,
    reading: opt.Reading,
    seed: opt.Seed = 0,
    fail_on_overload: opt.FailOnOverload = False,
    report: opt.Report = None,
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """How many machines for these tasks at this SLO, which goes where, what overload.

    JSON keys: settings, summary (tasks, placed, machines, spare, normalized_machines,
    mean_load_machines, overload), machines, unplaced, cleaning, assumptions, warnings,
    comparison, decisions, command. CSV: task,machine.

    Exit 3 when a task could not be placed, 4 with --fail-on-overload when a machine is
    above the SLO, 5 on bad data.
    """
    from cotenant.planning.plan import default_settings
    from cotenant.planning.plan import plan as make_plan
    from cotenant.planning.tomorrow import covers_days
    from cotenant.report.html import plan_page
    from cotenant.report.terminal import show_plan

    settings = replace(
        _settings(packing, method or "exact", rule, read_rho(slo, rho), seed),
        promise=cast("Any", promise or "history"),
        conservative=conservative,
    )
    source = Source.of(usage, reading, packing.spread)
    keep_apart(usage, printing.out, report)
    with Watch(quiet) as watch:
        trace = read_trace(source, watch)
        fleet = read_machines(machines, trace.unit)
        if packing.slots is None:
            if promise is None and method is None and covers_days(trace):
                settings = replace(settings, promise="tomorrow")
            else:
                settings = default_settings(trace, settings)
        result = make_plan(
            trace,
            fleet,
            settings,
            command=shlex.join(["cotenant", *sys.argv[1:]]),
            source=asdict(source),
            advance=watch.step,
        )
        if report is not None:
            write(plan_page(result), report)
            watch.remark(f"report written to {report}")
    emit(result, printing, show_plan, plan_page)
    if result.unplaced:
        return UNPLACED
    missed = result.overload.machines_above_rho > 0
    return MISSED if fail_on_overload and missed else 0


@grouped
def compare(
    *,
    usage: opt.Usage,
    slo: opt.Slo = None,
    rho: opt.Rho = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help="A method, or several separated by blanks; repeatable."),
    ] = None,
    rule: opt.Rules = None,
    machines: opt.Machines,
    packing: opt.Packing,
    workers: opt.Workers = "1",
    reading: opt.Reading,
    seed: opt.Seed = 0,
    fail_on_overload: opt.FailOnOverload = False,
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """Methods and rules side by side: machines, overload, worst machine.

    JSON keys: settings, rows (method, rule, machines, normalized_machines,
    overload_mean, worst_machine, machines_above_rho, unplaced, seconds), cleaning,
    assumptions, warnings.
    """
    from cotenant.planning.plan import TODAY
    from cotenant.planning.plan import compare as make_comparison
    from cotenant.report.html import comparison_page
    from cotenant.report.terminal import show_comparison

    rules = rule or ["best-fit"]
    methods = " ".join(method or ["exact", *TODAY[:-1]]).split()
    settings = _settings(packing, "exact", rules[0], read_rho(slo, rho), seed)
    source = Source.of(usage, reading, packing.spread)
    keep_apart(usage, printing.out)
    with Watch(quiet) as watch:
        trace = read_trace(source, watch)
        fleet = read_machines(machines, trace.unit)
        result = make_comparison(
            trace,
            fleet,
            methods,
            rules,
            settings,
            workers=workers,
            advance=watch.step,
        )
    emit(result, printing, show_comparison, comparison_page)
    if any(row.unplaced for row in result.rows):
        return UNPLACED
    missed = any(row.machines_above_rho for row in result.rows)
    return MISSED if fail_on_overload and missed else 0


def _settings(
    packing: opt.Packing, method: str, rule: str, rho: float, seed: int
) -> "Settings":
    from cotenant.colocate.pack import Policy
    from cotenant.planning.problem import Selection
    from cotenant.planning.settings import Settings

    policy = Policy(
        method=method,
        rule=rule,
        rho=rho,
        order=packing.order,
        rebalance=packing.rebalance,
        max_tasks=packing.max_tasks,
        seed=seed,
        slots=1 if packing.slots is None else packing.slots,
        groups=packing.group,
    )
    selection = Selection(
        packing.min_samples,
        packing.keep_short,
        packing.keep_failing,
        packing.observe,
        packing.variance_factor,
    )
    return Settings(policy, selection, cast("Any", packing.judge), packing.spread)
