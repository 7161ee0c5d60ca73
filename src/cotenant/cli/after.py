"""`cotenant explain` and `cotenant replay`: what comes after a plan."""

from typing import TYPE_CHECKING, Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli.groups import grouped
from cotenant.cli.output import emit, write
from cotenant.cli.progress import Watch
from cotenant.cli.reading import Source, read_trace
from cotenant.errors import InvalidInput

if TYPE_CHECKING:
    from cotenant.planning.saved import SavedPlan

MISSED = 4

PlanFile = Annotated[
    str, typer.Argument(metavar="PLAN", help="JSON file of `cotenant plan -o json`.")
]


@grouped
def explain(
    *,
    plan: PlanFile,
    task: Annotated[str | None, typer.Option(help="Name of a task.")] = None,
    machine: Annotated[str | None, typer.Option(help="Name of a machine.")] = None,
    printing: opt.Printing,
) -> int:
    """Why a task went where it is and what stopped the others, in sentences.

    JSON keys: task or machine, sentences.
    """
    from cotenant.planning.saved import Explanation, SavedPlan
    from cotenant.report.terminal import show_explanation

    saved = SavedPlan.read(plan)
    if task is not None and machine is None:
        result = Explanation("task", task, tuple(saved.why_task(task)))
    elif machine is not None and task is None:
        result = Explanation("machine", machine, tuple(saved.why_machine(machine)))
    else:
        raise InvalidInput("give one of --task and --machine")
    emit(result, printing, show_explanation, None)
    return 0


@grouped
def replay(
    *,
    plan: PlanFile,
    usage: opt.Usage,
    reading: opt.Reading,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate",
            help="Read what the plan was made from again, and find the divisor of rho "
            "that would have kept the promise here.",
        ),
    ] = False,
    fail_on_overload: opt.FailOnOverload = False,
    report: opt.Report = None,
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """Judge a plan on samples it has not seen, time-aligned.

    JSON keys: promised, overload, machines (machine, promised, overload, moments,
    overloaded, peak, capacity), missing_tasks, new_tasks, timeline, cleaning, warnings,
    calibration (promised, divisor, trials).
    """
    from cotenant.planning.replay import replay as judge
    from cotenant.planning.saved import SavedPlan
    from cotenant.report.html import replay_page
    from cotenant.report.terminal import show_replay

    saved = SavedPlan.read(plan)
    with Watch(quiet) as watch:
        trace = read_trace(Source.of(usage, reading), watch)
        history = read_trace(_source_of(saved), watch) if calibrate else None
        result = judge(saved, trace, history)
        if report is not None:
            write(replay_page(result), report)
            watch.remark(f"report written to {report}")
    emit(result, printing, show_replay, replay_page)
    missed = result.overload.machines_above_rho > 0
    return MISSED if fail_on_overload and missed else 0


def _source_of(saved: "SavedPlan") -> Source:
    source = saved.settings.get("source")
    if not source:
        raise InvalidInput(
            f"{saved.file} does not say what it was made from; plan again with this "
            "version to calibrate"
        )
    return Source(**source)
