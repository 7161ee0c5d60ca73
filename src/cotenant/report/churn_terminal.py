"""A comparison of strategies under churn on a terminal."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cotenant.planning.sla.churn_results import Churn, Interval
from cotenant.planning.sla.strategies import BASELINE
from cotenant.report.words import figure


def show_churn(result: Churn, console: Console) -> None:
    """Print strategies, the most efficient marked, and what was assumed."""
    best = max(result.rows, key=lambda row: row.efficiency.mean)
    if best.strategy == BASELINE:
        answer = "nothing beats Liu-Layland first fit"
        console.print(Text(f"  {answer}", style="bold"))
    else:
        answer = f"  {best.strategy} wastes {_share(best.efficiency)} less"
        console.print(
            Text(answer, style="bold").append(
                " than Liu-Layland first fit", style="not bold"
            )
        )
    console.print()
    table = Table(box=None, pad_edge=True, padding=(0, 2), header_style="dim")
    table.add_column("strategy")
    for title in ("efficiency", "as given", "machines", "wasted", "tried", "changed"):
        table.add_column(title, justify="right")
    for row in result.rows:
        table.add_row(
            row.strategy,
            _share(row.efficiency),
            _share(row.efficiency_given),
            figure(row.machines.mean),
            figure(row.wasted.mean),
            figure(row.rewrites_per_arrival, 2),
            figure(row.changes_per_arrival, 2),
        )
    console.print(table)
    console.print()
    told = result.settings
    assumed = (
        f"{figure(told['arrival_rate'])} requests a minute · sessions of "
        f"{figure(told['session_min'])} min · {told['replicas']} replicas · efficiency "
        "with 95 % intervals · tried and changed are a request"
    )
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_row(Text("assumed", style="dim"), Text(assumed))
    console.print(grid)


def _share(value: Interval) -> str:
    mean = f"{value.mean * 100:.0f}"
    if value.low is None or value.high is None:
        return f"{mean} %"
    return f"{mean} ± {(value.high - value.mean) * 100:.0f} %"
