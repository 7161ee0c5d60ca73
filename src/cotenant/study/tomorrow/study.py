"""The study of tomorrow: runs its cells and puts them together."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.errors import InvalidInput, SourceNotFound
from cotenant.planning.delivered import interval
from cotenant.study.cells import Advance, Kept, Value, check_parts, run_cells
from cotenant.study.tomorrow.cells import (
    PARTS,
    SCENARIO_SET,
    SHIFT_DAY,
    Cell,
    cells_of,
    run_cell,
)
from cotenant.study.tomorrow.result import MethodRow, TomorrowStudy
from cotenant.study.tomorrow.sets import SETS
from cotenant.workers import Where


def study_tomorrow(
    folder: str,
    parts: Sequence[str] = PARTS,
    orders: int = 3,
    seed: int = 0,
    workers: Where = 1,
    keep: str | None = None,
    advance: Advance = lambda what, done, total: None,
) -> TomorrowStudy:
    """Run the cells that are not kept yet, and put all of them together.

    Parameters
    ----------
    folder
        Where the traces of `SETS` lie.
    orders
        Random arrival orders a day, the same for all methods.
    workers
        Who runs the cells, see `open_workers`.
    keep
        File of JSON lines with the cells that are done; None to keep none.

    Raises
    ------
    InvalidInput
        If a part is unknown or a number is not positive.
    SourceNotFound
        If a trace is missing.
    """
    check_parts(parts, PARTS)
    if orders < 1:
        raise InvalidInput(f"orders is {orders}; expected 1 or more")
    cells = list(cells_of(parts, folder, orders, seed))
    files = _files(folder, {cell.name for cell in cells})
    kept = Kept(None if keep is None else Path(keep))
    texts = [cell.text() for cell in cells]
    values = run_cells(run_cell, texts, kept, workers, advance, {folder: files})
    rows = [row for cell in cells for row in _rows(cell, values[cell.text()])]
    settings = {
        **{"folder": folder, "parts": list(parts), "orders": orders, "seed": seed},
        **{"scenarios_on": SCENARIO_SET, "shift_day": SHIFT_DAY},
    }
    return TomorrowStudy(settings, tuple(rows))


def _files(folder: str, names: set[str]) -> list[Path]:
    found: list[Path] = []
    for source in sorted({s for name in names for s in SETS[name].sources}):
        place = Path(folder) / source
        if not place.exists():
            raise SourceNotFound(f"there is no {source} in {folder}")
        found += sorted(place.iterdir()) if place.is_dir() else [place]
    return found


def _rows(cell: Cell, value: Value) -> list[MethodRow]:
    return [
        _row(cell, method, days, value["hindsight"])
        for method, days in value["daily"].items()
    ]


def _row(
    cell: Cell, method: str, days: Sequence[Mapping[str, float]], hindsight: float
) -> MethodRow:
    def of(name: str) -> FloatArray:
        return np.array([day[name] for day in days])

    times = of("overload") / cell.rho
    low, high = interval(times, cell.seed)
    machines = float(of("machines").mean())
    return MethodRow(
        part=cell.part,
        name=cell.name,
        rho=cell.rho,
        method=method,
        days=len(days),
        overload_over_rho=float(times.mean()),
        low=low,
        high=high,
        by_day=tuple(times.tolist()),
        days_above_rho=float((times > 1.0).mean()),
        machine_days_above_rho=float(of("above").mean()),
        worst_machine_day=float(of("worst").max()),
        machines=machines,
        cost=machines / hindsight - 1.0,
        margin=float(of("margin").mean()),
    )
