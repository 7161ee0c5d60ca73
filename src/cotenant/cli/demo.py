"""`cotenant demo`: the whole product in under a minute, offline."""

from pathlib import Path
from typing import Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli.output import console, write
from cotenant.cli.progress import Watch
from cotenant.cli.reading import Source, read_trace

TASKS = 1_000
MACHINE = "cpu=16,memory=64Gi"
RHO = 0.001


def demo(
    folder: Annotated[
        Path, typer.Option(help="Where the trace, the plan and the report go.")
    ] = Path("demo"),
    seed: opt.Seed = 0,
    quiet: opt.Quiet = False,
) -> int:
    """Make a synthetic day of 1,000 tasks, plan it at 99.9 %, write the report."""
    from cotenant.colocate.pack import Policy
    from cotenant.fleet import Fleet
    from cotenant.planning.plan import default_settings, plan
    from cotenant.planning.settings import Settings
    from cotenant.report.csv_json import to_json
    from cotenant.report.html import plan_page
    from cotenant.report.terminal import show_plan
    from cotenant.traces.export import export_frame
    from cotenant.traces.fleet_file import parse_machine
    from cotenant.traces.synthetic import daily

    folder.mkdir(parents=True, exist_ok=True)
    usage, saved = folder / "usage.parquet", folder / "plan.json"
    page = folder / "report.html"
    with Watch(quiet) as watch:
        watch.remark(f"made one day of {TASKS:,} synthetic tasks: {usage}")
        export_frame(daily(TASKS, 1, seed), "cores", usage)
        trace = read_trace(Source([str(usage)], "auto", None, 1.0, None), watch)
        result = plan(
            trace,
            Fleet.of_equal(parse_machine(MACHINE)),
            default_settings(trace, Settings(Policy(rho=RHO, seed=seed))),
            command=f"cotenant plan {usage} --machine {MACHINE} --slo 99.9%",
            advance=watch.step,
        )
        write(to_json(result) + "\n", str(saved))
        write(plan_page(result), str(page))
    show_plan(result, console())
    name = result.decisions[0].task
    watch.remark(
        f"the same by hand: {result.command}\n"
        f"why a task went where it is: cotenant explain {saved} --task {name}\n"
        f"open the report in a browser: {page.resolve()}"
    )
    return 0
