"""A result that is told in sections, on a terminal."""

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from cotenant.report import told
from cotenant.report.sections import Section, Told
from cotenant.report.words import visible

MOST_ROWS = 10


def show_profile(result: Told, console: Console, most_rows: int = MOST_ROWS) -> None:
    """Print the answer, what follows from it, and a table a section."""
    console.print(Text(f"  {result.answer}", style="bold"))
    console.print(Padding(visible(result.sentence), (0, 0, 1, 2)), markup=False)
    for finding in result.findings:
        _line("·", finding, console)
    console.print()
    for section in result.sections:
        _section(section, console, most_rows)
    for title, reason in result.absent:
        _line("not shown", f"{title}: {reason}", console)
    for part in told.set_aside(result.cleaning):
        _line("set aside", part, console)


def _section(section: Section, console: Console, most_rows: int) -> None:
    console.print(Text(section.title, style="bold"))
    console.print(Padding(Text(visible(section.sentence)), (0, 0, 0, 2)))
    table = Table(box=None, pad_edge=True, padding=(0, 2), header_style="dim")
    for at, column in enumerate(section.columns):
        table.add_column(column, justify="right" if at else "left")
    for row in section.rows[:most_rows]:
        table.add_row(*(Text(visible(cell)) for cell in row))
    console.print(table)
    if len(section.rows) > most_rows:
        left = len(section.rows) - most_rows
        console.print(Text(f"    and {left} more with -o json or html", style="dim"))
    console.print()


def _line(label: str, text: str, console: Console) -> None:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(f"  {label}", style="dim"), Text(visible(text)))
    console.print(grid)
