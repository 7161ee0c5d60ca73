"""Placements of periodic SLAs on a terminal: the answer, its worth, the next step."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cotenant.planning.sla.results import (
    SlaBaseline,
    SlaFit,
    SlaMove,
    SlaPlacement,
)
from cotenant.planning.sla.video import SlaFromVideo
from cotenant.report.words import counted, figure, shorten, visible

_FIRST_FEW = 5
_NAMES = {
    "liu-layland": "Liu-Layland first fit",
    "response-time": "response times, as asked",
    "edf": "earliest deadline first, as asked",
}


def show_sla_placement(placement: SlaPlacement, console: Console) -> None:
    """Print machines, what rewriting was worth, moves and what to do next."""
    summary, used = placement.summary, placement.settings["strategy_used"]
    machines = counted(summary.machines, "machine")
    asks = f"for {figure(summary.utilization)} machines' worth of promises"
    console.print(Text(f"  {machines}   ", style="bold").append(asks, style="not bold"))
    console.print()
    console.print(_comparison(placement, str(used)))
    console.print()
    _line(console, "rewritten", f"{summary.rewritten:,} of {summary.tasks:,} tasks")
    if placement.moves:
        _line(console, "moved", f"{summary.migrated:,} tasks to another host")
        for move in placement.moves[:_FIRST_FEW]:
            _line(console, "", _move(move))
        _more(console, len(placement.moves), "changes")
    for note in placement.notes:
        _line(console, "note", note, "yellow")
    _line(console, "next", "cotenant sla place ... -o csv --out placement.csv")
    if used == "in-order" and placement.settings["strategy"] == "in-order":
        _line(console, "", "cotenant sla place ... --strategy portfolio")


def show_sla_fit(fit: SlaFit, console: Console) -> None:
    """Print every test's verdict and the response times."""
    answer = "they share one host" if fit.fits else "they do not share one host"
    told = f"by {fit.test}, utilization {figure(fit.utilization)}"
    console.print(Text(f"  {answer}   ", style="bold").append(told, style="not bold"))
    console.print()
    tests = _table("test", "verdict")
    for name, verdict in fit.tests.items():
        tests.add_row(name, "fits" if verdict else "refuses")
    console.print(tests)
    console.print()
    times = _table("SLA", "response time")
    for sla, time in zip(fit.slas, fit.response_times, strict=True):
        late = "after its period" if time is None else f"{time:,}"
        times.add_row(Text(visible(sla)), late)
    console.print(times)


def show_sla_videos(result: SlaFromVideo, console: Console) -> None:
    """Print one line a video."""
    table = _table("task", "SLA", "share of disk", "frames", "a group", "frames/s")
    for video in result.videos:
        table.add_row(
            Text(shorten(visible(video.task), 30)),
            video.sla,
            figure(video.utilization),
            f"{video.frames:,}",
            f"{video.group}",
            figure(video.frame_rate),
        )
    console.print(table)
    console.print()
    tick = f"{figure(result.tick_ms)} ms a tick; largest run of each video, rounded up"
    _line(console, "assumed", tick)
    _line(console, "next", "cotenant sla from-video ... -o csv --out slas.csv")
    _line(console, "", "cotenant sla place slas.csv")


def _comparison(placement: SlaPlacement, used: str) -> Table:
    table = _table("", "machines", "wasted", "efficiency")
    own = placement.summary
    rows = [
        (f"{used} (yours)", own.machines, own.wasted, own.efficiency_over_first_fit),
        *map(_baseline, placement.baselines),
    ]
    for name, machines, wasted, efficiency in rows:
        table.add_row(name, f"{machines:,}", figure(wasted), figure(efficiency))
    return table


def _baseline(row: SlaBaseline) -> tuple[str, int, float, float | None]:
    return _NAMES.get(row.test, row.test), row.machines, row.wasted, row.efficiency


def _move(move: SlaMove) -> str:
    path = move.source if move.source == move.target else f"{move.source} to "
    path += "" if move.source == move.target else move.target
    given = "" if move.before == move.after else f", {move.before} becomes {move.after}"
    return f"{shorten(visible(move.task), 24)}: {path}{given} ({visible(move.reason)})"


def _more(console: Console, many: int, what: str) -> None:
    if many > _FIRST_FEW:
        _line(console, "", f"and {many - _FIRST_FEW:,} more {what}")


def _line(console: Console, label: str, text: str, style: str = "dim") -> None:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, min_width=9)
    grid.add_column(overflow="fold")
    grid.add_row(Text(label, style=style), Text(text))
    console.print(grid)


def _table(first: str, *rest: str) -> Table:
    table = Table(box=None, pad_edge=True, padding=(0, 2), header_style="dim")
    table.add_column(first)
    for title in rest:
        table.add_column(title, justify="right")
    return table
