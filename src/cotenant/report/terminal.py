"""Results on a terminal: the answer first, its reasons, the next command."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cotenant.planning.results import Comparison, MachineReplay, Plan, Replay, Unplaced
from cotenant.planning.saved import Explanation
from cotenant.report import told
from cotenant.report.comparison_lines import comparison_lines
from cotenant.report.verdict import reference_of, with_own_row
from cotenant.report.words import counted, digits_of, figure, percent, shorten, visible
from cotenant.traces.export import Imported

_FIRST_FEW = 5
_NEXT_PLAN = (
    "cotenant plan ... --report plan.html -o json --out plan.json",
    "cotenant explain plan.json --task NAME",
    "cotenant replay plan.json tomorrow.parquet",
)


def show_plan(plan: Plan, console: Console) -> None:
    """Print a plan: assumptions, answer, comparison, exceptions, what to do next."""
    _listed("assumed", plan.assumptions, console)
    _headline(*told.plan_answer(plan), console)
    rows, rho = with_own_row(plan), float(plan.settings["rho"])
    for line in comparison_lines(rows, rows[0], rho, console.width, own=rows[0]):
        console.print(line)
    console.print()
    _listed("measured", told.measured(plan.overload), console)
    _unplaced(plan.unplaced, console)
    _listed("set aside", told.set_aside(plan.cleaning), console)
    _warnings(plan.warnings, console)
    console.print()
    _next(console)


def show_comparison(comparison: Comparison, console: Console) -> None:
    """Print methods and rules side by side."""
    _listed("assumed", comparison.assumptions, console)
    _headline(*told.comparison_answer(comparison), console)
    reference, rho = reference_of(comparison), float(comparison.settings["rho"])
    for line in comparison_lines(comparison.rows, reference, rho, console.width):
        console.print(line)
    console.print()
    _listed("set aside", told.set_aside(comparison.cleaning), console)
    _warnings(comparison.warnings, console)


def show_replay(replay: Replay, console: Console) -> None:
    """Print whether the promise was kept on samples that the plan had not seen."""
    _headline(*told.replay_answer(replay), console)
    worst = sorted(replay.machines, key=lambda m: -m.overload)[:_FIRST_FEW]
    if any(m.overloaded for m in worst):
        console.print(_worst_machines(worst, digits_of(replay.overload)))
        console.print()
    _listed("calibrated", told.calibrated(replay), console)
    _listed("tasks", told.changed_tasks(replay), console)
    _listed("set aside", told.set_aside(replay.cleaning), console)
    _warnings(replay.warnings, console)


def show_explanation(explanation: Explanation, console: Console) -> None:
    """Print the sentences, one a line."""
    for sentence in explanation.sentences:
        console.print(Text(visible(sentence)))


def show_import(imported: Imported, console: Console) -> None:
    """Print what was written, and every reason something was not."""
    many = f"{counted(imported.tasks, 'task')}, {counted(imported.samples, 'sample')}"
    unit = "cores" if imported.unit == "cores" else "machine fractions"
    _headline(visible(imported.file), f"{many}, CPU in {unit}", console)
    _listed("cleaning", told.set_aside(imported.cleaning), console)


def _headline(answer: str, sentence: str, console: Console) -> None:
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    grid.add_row(Text(f"  {answer}", style="bold"), Text(sentence))
    console.print(grid)
    console.print()


def _listed(label: str, parts: Iterable[str], console: Console) -> None:
    texts = [visible(part) for part in parts]
    if texts:
        grid = _labelled()
        grid.add_row(Text(label, style="dim"), Text(" · ".join(texts)))
        console.print(grid)


def _warnings(warnings: Iterable[str], console: Console) -> None:
    grid = _labelled()
    for warning in warnings:
        grid.add_row(Text("warning", style="yellow"), Text(visible(warning)))
    if grid.row_count:
        console.print(grid)


def _unplaced(unplaced: Sequence[Unplaced], console: Console) -> None:
    if not unplaced:
        return
    grid = _labelled()
    many = counted(len(unplaced), "task")
    grid.add_row(Text("unplaced", style="red"), Text(f"{many} could not be placed"))
    room = max(12, console.width // 3)
    for one in unplaced[:_FIRST_FEW]:
        name = Text(shorten(visible(one.task), room), style="bold")
        grid.add_row(Text(), name.append(f"  {visible(one.reason)}", style="not bold"))
    if len(unplaced) > _FIRST_FEW:
        grid.add_row(Text(), Text(f"and {len(unplaced) - _FIRST_FEW:,} more"))
    console.print(grid)


def _next(console: Console) -> None:
    grid = _labelled()
    for at, command in enumerate(_NEXT_PLAN):
        grid.add_row(Text("" if at else "next", style="dim"), Text(command))
    console.print(grid)


def _labelled() -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, min_width=9)
    grid.add_column(overflow="fold")
    return grid


def _worst_machines(machines: Sequence[MachineReplay], digits: int) -> Table:
    table = Table(box=None, pad_edge=True, padding=(0, 2), header_style="dim")
    table.add_column("worst machines")
    for title in ("promised", "measured", "moments", "peak / capacity"):
        table.add_column(title, justify="right")
    for m in machines:
        table.add_row(
            Text(shorten(visible(m.machine), 24)),
            percent(m.promised),
            percent(m.overload, digits),
            f"{m.overloaded:,} of {m.moments:,}",
            f"{figure(m.peak)} / {figure(m.capacity)}",
        )
    return table
