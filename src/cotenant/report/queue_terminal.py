"""The comparison of allocators in the terminal."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cotenant.planning.queue.results import QueueComparison
from cotenant.report.queue_words import HEAD, answer, cells
from cotenant.report.words import visible

_GAP = "  "


def show_queue(result: QueueComparison, console: Console) -> None:
    """Print the answer, the rows, and what to beware of."""
    head, sentence = answer(result)
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    grid.add_row(Text(f"  {head}", style="bold"), Text(sentence))
    console.print(grid)
    console.print()
    rows = [cells(row, result) for row in result.rows]
    widths = [max(map(cell_len, column)) for column in zip(*HEAD, *rows, strict=True)]
    keep = _fitting(widths, console.width)
    for line in HEAD:
        console.print(Text(_aligned(line, widths, keep), style="dim"))
    best = min(result.rows, key=lambda row: row.average_turnaround_s)
    for row, said in zip(result.rows, rows, strict=True):
        style = "bold" if row is best and len(rows) > 1 else ""
        console.print(Text(_aligned(said, widths, keep), style=style))
    console.print()
    for name, texts in (
        ("assumed", [" · ".join(result.assumptions)]),
        *(("warning", [text]) for text in result.warnings),
    ):
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True, min_width=9)
        grid.add_column(overflow="fold")
        for text in texts:
            style = "yellow" if name == "warning" else "dim"
            grid.add_row(Text(name, style=style), Text(visible(text)))
        console.print(grid)


def _fitting(widths: Sequence[int], room: int) -> list[int]:
    # Columns that do not fit are left out, least telling first; JSON has them all.
    keep = [at for at, width in enumerate(widths) if width]
    for at in (7, 6, 2, 5):
        if sum(widths[k] + len(_GAP) for k in keep) <= room:
            break
        keep = [k for k in keep if k != at]
    return keep


def _aligned(cells: Sequence[str], widths: Sequence[int], keep: Sequence[int]) -> str:
    parts = []
    for at in keep:
        pad = " " * (widths[at] - cell_len(cells[at]))
        parts.append(cells[at] + pad if at == 0 else pad + cells[at])
    return (_GAP + _GAP.join(parts)).rstrip()
