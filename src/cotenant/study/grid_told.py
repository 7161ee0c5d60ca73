"""A grid in words: one table, one picture."""

from cotenant.report.charts import Chart
from cotenant.report.sections import Section, Told
from cotenant.report.study_charts import Dots, dots_chart
from cotenant.report.words import counted
from cotenant.study.gpa.names import interval, scientific
from cotenant.study.grid import Grid, Run
from cotenant.study.grid_result import GridResult

_DRAWN = 60  # runs in a picture


def tell(result: GridResult) -> Told:
    """Put a grid into words, a table and a picture."""
    grid = result.grid
    varied = _varied(grid)
    unplaced = sum(row.unplaced for row in result.rows)
    section = Section(
        "Runs",
        f"{counted(len(result.rows), 'run')} of {counted(grid.problems, 'problem')} of "
        f"{counted(grid.tasks, 'task')}, {result.mean_load:.1f} machines' worth of "
        "load on average",
        "q: overload frequency over machines and problems; counted with its 95 % "
        "Poisson interval, and computed by convolution where asked for",
        (*varied, "machines", "norm.", "q counted", "95 %", "computed", "worst"),
        tuple(
            (
                *_fields(row.run, varied),
                f"{row.machines:.1f}",
                "-" if row.normalized is None else f"{row.normalized:.3f}",
                scientific(row.overload),
                interval(row),
                scientific(row.exact),
                scientific(row.worst_machine),
            )
            for row in result.rows
        ),
        _chart(result, varied),
    )  # fmt: skip
    return Told(
        kind="cotenant study",
        answer=grid.title,
        sentence=section.sentence,
        findings=(_left(unplaced),) if unplaced else (),
        sections=(section,),
        absent=(),
        settings=result.settings,
        cleaning=result.cleaning,
    )


def _left(unplaced: int) -> str:
    tasks = counted(unplaced, "task")
    return (
        f"{tasks} fit no machine alone and were left out, over all runs and problems."
    )


def _varied(grid: Grid) -> tuple[str, ...]:
    """Return the fields of runs that differ, the method first."""
    names = ("rho", *(n for n in Run.__slots__ if n not in ("method", "rho")))
    differ = [n for n in names if len({getattr(r, n) for r in grid.runs}) > 1]
    return ("method", *differ)


def _fields(run: Run, names: tuple[str, ...]) -> list[str]:
    values = [getattr(run, name) for name in names]
    shown = {True: "yes", False: "no", None: "-"}
    return [
        f"{value:g}"
        if isinstance(value, int | float) and not isinstance(value, bool)
        else shown[value]
        if value is None or isinstance(value, bool)
        else str(value)
        for value in values
    ]


def _chart(result: GridResult, varied: tuple[str, ...]) -> tuple[Chart, ...]:
    rows = result.rows[:_DRAWN]
    names = [" ".join(_fields(row.run, varied)) for row in rows]
    drawn = dots_chart(names, [Dots("q", [row.frequency for row in rows])], "q", True)
    cut = "" if len(rows) == len(result.rows) else f" The first {_DRAWN} runs."
    said = "Counted, or computed where too little was counted." + cut
    return (Chart("runs", "Overload frequency of each run", said, drawn),)
