"""`cotenant plan` and `cotenant compare`."""

import shlex
import sys
from dataclasses import asdict, replace
from typing import Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli.output import emit, write
from cotenant.cli.progress import Watch
from cotenant.cli.reading import (
    Source,
    keep_apart,
    read_machines,
    read_rho,
    read_trace,
)

UNPLACED, MISSED = 3, 4


def plan(
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
    capacity: opt.Capacity = None,
    machine: opt.MachineText = None,
    fleet: opt.FleetFile = None,
    spare: opt.Spare = 0,
    promise: opt.Promised = None,
    conservative: Annotated[
        bool,
        typer.Option(
            "--conservative",
            help="For tomorrow: the margin the worst of 7 days took.",
        ),
    ] = False,
    slots: opt.Slots = None,
    group: opt.Group = 1,
    order: opt.Order = "arrival",
    rebalance: opt.Rebalance = False,
    max_tasks: opt.MaxTasks = None,
    spread: opt.Spread = None,
    observe: opt.Observe = None,
    judge: opt.JudgeBy = None,
    min_samples: opt.MinSamples = 1,
    keep_short: opt.KeepShort = False,
    keep_failing: opt.KeepFailing = False,
    variance_factor: opt.VarianceFactor = 1.0,
    format: opt.Format = "auto",
    unit: opt.Unit = None,
    scale: opt.Scale = 1.0,
    cores_column: opt.CoresColumn = None,
    seed: opt.Seed = 0,
    fail_on_overload: opt.FailOnOverload = False,
    report: Annotated[
        str | None, typer.Option(help="Write an offline HTML report to this file.")
    ] = None,
    output: opt.Form = opt.Output.table,
    out: opt.Out = None,
    quiet: opt.Quiet = False,
) -> int:
    """How many machines for these tasks at this SLO, which goes where, what overload.

    JSON keys: settings, summary (tasks, placed, machines, spare, normalized_machines,
    mean_load_machines, overload), machines, unplaced, cleaning, assumptions, warnings,
    comparison, decisions, command. CSV: task,machine.

    Exit 3 when a task could not be placed, 4 with --fail-on-overload when a machine is
    above the SLO, 5 on bad data.
    """
    from cotenant.colocate.pack import Policy
    from cotenant.planning.plan import default_settings
    from cotenant.planning.plan import plan as make_plan
    from cotenant.planning.problem import Selection
    from cotenant.planning.settings import Settings
    from cotenant.planning.tomorrow import covers_days
    from cotenant.report.html import plan_page
    from cotenant.report.terminal import show_plan

    settings = Settings(
        Policy(
            method=method or "exact",
            rule=rule,
            rho=read_rho(slo, rho),
            order=order,
            rebalance=rebalance,
            max_tasks=max_tasks,
            seed=seed,
            slots=1 if slots is None else slots,
            groups=group,
        ),
        Selection(min_samples, keep_short, keep_failing, observe, variance_factor),
        judge,  # type: ignore[arg-type]
        spread,
        promise=promise or "history",  # type: ignore[arg-type]
        conservative=conservative,
    )
    source = Source(usage, format, unit, scale, cores_column, spread)
    keep_apart(usage, out, report)
    with Watch(quiet) as watch:
        trace = read_trace(source, watch)
        machines = read_machines(capacity, machine, fleet, spare, trace.unit)
        if promise is None and method is None and slots is None and covers_days(trace):
            settings = replace(settings, promise="tomorrow")
        elif slots is None:
            settings = default_settings(trace, settings)
        result = make_plan(
            trace,
            machines,
            settings,
            command=shlex.join(["cotenant", *sys.argv[1:]]),
            source=asdict(source),
            advance=watch.step,
        )
        if report is not None:
            write(plan_page(result), report)
            watch.remark(f"report written to {report}")
    emit(result, output, out, show_plan, plan_page)
    if result.unplaced:
        return UNPLACED
    missed = result.overload.machines_above_rho > 0
    return MISSED if fail_on_overload and missed else 0


def compare(
    usage: opt.Usage,
    slo: opt.Slo = None,
    rho: opt.Rho = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help="A method, or several separated by blanks; repeatable."),
    ] = None,
    rule: opt.Rules = None,
    capacity: opt.Capacity = None,
    machine: opt.MachineText = None,
    fleet: opt.FleetFile = None,
    spare: opt.Spare = 0,
    slots: opt.Slots = None,
    group: opt.Group = 1,
    order: opt.Order = "arrival",
    rebalance: opt.Rebalance = False,
    max_tasks: opt.MaxTasks = None,
    spread: opt.Spread = None,
    observe: opt.Observe = None,
    judge: opt.JudgeBy = None,
    min_samples: opt.MinSamples = 1,
    keep_short: opt.KeepShort = False,
    keep_failing: opt.KeepFailing = False,
    variance_factor: opt.VarianceFactor = 1.0,
    workers: opt.Workers = "1",
    format: opt.Format = "auto",
    unit: opt.Unit = None,
    scale: opt.Scale = 1.0,
    cores_column: opt.CoresColumn = None,
    seed: opt.Seed = 0,
    fail_on_overload: opt.FailOnOverload = False,
    output: opt.Form = opt.Output.table,
    out: opt.Out = None,
    quiet: opt.Quiet = False,
) -> int:
    """Methods and rules side by side: machines, overload, worst machine.

    JSON keys: settings, rows (method, rule, machines, normalized_machines,
    overload_mean, worst_machine, machines_above_rho, unplaced, seconds), cleaning,
    assumptions, warnings.
    """
    from cotenant.colocate.pack import Policy
    from cotenant.planning.plan import TODAY
    from cotenant.planning.plan import compare as make_comparison
    from cotenant.planning.problem import Selection
    from cotenant.planning.settings import Settings
    from cotenant.report.html import comparison_page
    from cotenant.report.terminal import show_comparison

    rules = rule or ["best-fit"]
    methods = " ".join(method or ["exact", *TODAY[:-1]]).split()
    settings = Settings(
        Policy(
            method="exact",
            rule=rules[0],
            rho=read_rho(slo, rho),
            order=order,
            rebalance=rebalance,
            max_tasks=max_tasks,
            seed=seed,
            slots=1 if slots is None else slots,
            groups=group,
        ),
        Selection(min_samples, keep_short, keep_failing, observe, variance_factor),
        judge,  # type: ignore[arg-type]
        spread,
    )
    source = Source(usage, format, unit, scale, cores_column, spread)
    keep_apart(usage, out)
    with Watch(quiet) as watch:
        trace = read_trace(source, watch)
        machines = read_machines(capacity, machine, fleet, spare, trace.unit)
        result = make_comparison(
            trace,
            machines,
            methods,
            rules,
            settings,
            workers=workers,
            advance=watch.step,
        )
    emit(result, output, out, show_comparison, comparison_page)
    if any(row.unplaced for row in result.rows):
        return UNPLACED
    missed = any(row.machines_above_rho for row in result.rows)
    return MISSED if fail_on_overload and missed else 0
