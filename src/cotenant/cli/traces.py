"""`cotenant import`: any source to the canonical form."""

from typing import Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli.output import emit
from cotenant.cli.progress import Watch
from cotenant.cli.reading import Source, keep_apart, read_trace


def import_(
    usage: opt.Usage,
    to: Annotated[str, typer.Option(help="Parquet file to write.")],
    format: opt.Format = "auto",
    unit: opt.Unit = None,
    scale: opt.Scale = 1.0,
    cores_column: opt.CoresColumn = None,
    spread: Annotated[
        str | None, typer.Option(help="Label column to keep, for plan --spread.")
    ] = None,
    output: opt.Form = opt.Output.table,
    out: opt.Out = None,
    quiet: opt.Quiet = False,
) -> int:
    """Any supported source to canonical Parquet, with a cleaning report.

    JSON keys: file, tasks, samples, unit, cleaning.
    """
    from cotenant.report.terminal import show_import
    from cotenant.traces.export import export

    keep_apart(usage, to, out)
    source = Source(usage, format, unit, scale, cores_column, spread)
    with Watch(quiet) as watch:
        result = export(read_trace(source, watch), to)
    emit(result, output, out, show_import, None)
    return 0
