"""What a grid comes to: one row a run, over its problems."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cotenant.metrics import mean, normalized_machines, poisson_interval
from cotenant.planning.results import API_VERSION, Json
from cotenant.study.cells import Advance, Kept, Value, run_cells
from cotenant.study.grid import Grid, Run, as_text, make_grid
from cotenant.study.grid_cells import run_cell
from cotenant.study.grid_pool import pool_files, stamp_of
from cotenant.workers import Where

CERTAIN = 0.5  # width of the interval of a counted q, over q, that is good enough


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run over all problems.

    Parameters
    ----------
    machines, least, most
        Mean, least and most over problems.
    normalized
        Mean of machines over ceil(mean load / capacity).
    overload
        The paper's q: overload frequency, mean over machines, then over problems.
    deviation
        Standard deviation of q over problems; None of one problem.
    low, high
        95 % interval of the counted frequency. Realisations are shared by the machines
        of a problem but independent of each other, as are tasks.
    exact, worst_machine, machines_above_rho
        Computed overload on the pool's own distributions: mean, the worst machine of
        all problems, machines above rho in all; None where not asked for.
    unplaced
        Tasks that fit no machine alone, in all problems.
    """

    run: Run
    problems: int
    machines: float
    least: int
    most: int
    normalized: float | None
    overload: float
    deviation: float | None
    low: float
    high: float
    exact: float | None
    worst_machine: float | None
    machines_above_rho: int | None
    unplaced: int

    @property
    def frequency(self) -> float:
        """q: counted where enough was counted, else computed if it was."""
        sure = self.high - self.low <= CERTAIN * self.overload
        return self.overload if sure or self.exact is None else self.exact

    @property
    def error(self) -> float | None:
        """Computed overload over rho, less one; sampled where none was computed."""
        if self.run.rho is None:
            return None
        known = self.overload if self.exact is None else self.exact
        return known / self.run.rho - 1.0

    def to_dict(self) -> Json:
        """Return the run and its numbers, on one level."""
        fields = asdict(self)
        return {**fields.pop("run"), **fields, "error": self.error}


@dataclass(frozen=True, slots=True)
class GridResult:
    """A grid and its rows, in the order of the runs.

    Parameters
    ----------
    mean_load
        Machines of capacity 1 that the load of a problem would fill, on average.
    cleaning
        What was set aside when the pool was read.
    """

    grid: Grid
    mean_load: float
    rows: tuple[RunRow, ...]
    cleaning: Mapping[str, Any]

    def find(self, method: str, rho: float | None = None, **other: object) -> RunRow:
        """Return the row of a run; `other` names further fields of `Run`.

        Raises
        ------
        KeyError
            If there is none.
        """
        for row in self.rows:
            run = asdict(row.run)
            if (run["method"], run["rho"]) == (method, rho) and all(
                run[name] == value for name, value in other.items()
            ):
                return row
        raise KeyError(f"{method} {rho} {other}")

    @property
    def settings(self) -> Json:
        """What was run, without the runs."""
        fields = asdict(self.grid)
        fields.pop("runs")
        pool = fields.pop("pool")
        return {**fields, **{f"pool_{key}": value for key, value in pool.items()}}

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        return {
            "apiVersion": API_VERSION,
            "kind": "StudyGrid",
            "settings": self.settings,
            "mean_load": self.mean_load,
            "rows": [row.to_dict() for row in self.rows],
            "cleaning": dict(self.cleaning),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one line a run."""
        rows = [row.to_dict() for row in self.rows]
        return pl.DataFrame(rows, infer_schema_length=None)


def study_grid(
    tables: Mapping[str, Any],
    workers: Where = 1,
    keep: str | None = None,
    advance: Advance = lambda what, done, total: None,
) -> GridResult:
    """Run the problems of a grid that are not kept yet, and sum up all of them.

    Parameters
    ----------
    workers
        Who runs them, see `open_workers`.
    keep
        File of JSON lines with the problems that are done; None to keep none.

    Raises
    ------
    CotenantError
        If the grid is wrong, or its pool cannot be read.
    """
    kept = Kept(None if keep is None else Path(keep))
    texts = cells_of(tables)
    grid = make_grid(tables)
    files = pool_files(grid.pool)
    values = run_cells(run_cell, texts, kept, workers, advance, files)
    return summed(grid, [values[text] for text in texts])


def cells_of(tables: Mapping[str, Any]) -> list[str]:
    """Return the problems of a grid as texts of cells."""
    grid = make_grid(tables)
    stamp = stamp_of(grid.pool)
    return [as_text(tables, number, stamp) for number in range(grid.problems)]


def summed(grid: Grid, values: Sequence[Value]) -> GridResult:
    """Put the values of all problems of a grid together."""
    loads = [value["mean_load"] for value in values]
    rows = [
        _row(run, [value["runs"][at] for value in values], loads)
        for at, run in enumerate(grid.runs)
    ]
    cleaning = values[0].get("cleaning", {})
    return GridResult(grid, mean(loads), tuple(rows), cleaning)


def _row(run: Run, found: Sequence[Value], loads: Sequence[float]) -> RunRow:
    machines = [one["machines"] for one in found]
    least = [
        normalized_machines(many, load / run.capacity)
        for many, load in zip(machines, loads, strict=True)
    ]
    q = np.array([one["overloaded"] / max(one["moments"], 1) for one in found])
    counted, moments = (
        sum(one[name] for one in found) for name in ("overloaded", "moments")
    )
    low, high = poisson_interval(counted, max(moments, 1))
    exact = "mean" in found[0]
    rho = run.rho
    return RunRow(
        run=run,
        problems=len(found),
        machines=mean(machines),
        least=min(machines),
        most=max(machines),
        normalized=None if None in least else mean([n for n in least if n is not None]),
        overload=float(q.mean()),
        deviation=float(q.std(ddof=1)) if len(q) > 1 else None,
        low=low,
        high=high,
        exact=mean([one["mean"] for one in found]) if exact else None,
        worst_machine=max(one["worst_machine"] for one in found) if exact else None,
        machines_above_rho=(
            sum(one["machines_above_rho"] for one in found)
            if exact and rho is not None
            else None
        ),
        unplaced=sum(one["unplaced"] for one in found),
    )
