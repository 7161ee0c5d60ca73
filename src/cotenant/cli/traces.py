"""`cotenant import`: any source to the canonical form."""

from pathlib import Path
from typing import Annotated

import typer

from cotenant.cli import options as opt
from cotenant.cli.groups import grouped
from cotenant.cli.output import emit
from cotenant.cli.progress import Watch
from cotenant.cli.reading import Source, keep_apart, read_trace
from cotenant.errors import TraceError


@grouped
def import_(
    *,
    usage: opt.Usage,
    to: Annotated[str, typer.Option(help="Parquet file to write.")],
    reading: opt.Reading,
    spread: Annotated[
        str | None, typer.Option(help="Label column to keep, for plan --spread.")
    ] = None,
    workers: opt.Workers = "1",
    printing: opt.Printing,
    quiet: opt.Quiet = False,
) -> int:
    """Any supported source to canonical Parquet, with a cleaning report.

    Interrupted on a large source, the same command goes on from the pieces it had
    finished; they lie beside the file to write until it is there. Workers read the
    source and write those pieces themselves, so both lie where all of them can.

    JSON keys: file, tasks, samples, unit, cleaning.
    """
    from cotenant.report.terminal import show_import
    from cotenant.traces.export import export
    from cotenant.traces.kept import Kept
    from cotenant.traces.lock import held

    keep_apart(usage, to, printing.out)
    source = Source.of(usage, reading, spread)
    kept = Kept(Path(to).with_name(f".{Path(to).name}.pieces"))
    with held(Path(to)), Watch(quiet) as watch:
        try:
            trace = read_trace(source, watch, kept, workers)
            if kept.found:
                pieces = f"{kept.found} piece{'s' * (kept.found != 1)}"
                watch.remark(f"went on from {pieces} of an interrupted import")
            result = export(trace, to, watch.step)
        except KeyboardInterrupt:
            if kept.finished():
                remark = f"finished pieces are kept in {kept.folder}: the same command"
                watch.remark(f"{remark} goes on from them")
            raise
        except TraceError:
            kept.remove()
            raise
        kept.remove()
    emit(result, printing, show_import, None)
    return 0
