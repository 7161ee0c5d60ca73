"""The MorphoSys study: what was run, and what it comes to."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from cotenant.errors import InvalidInput, SourceNotFound
from cotenant.planning.results import API_VERSION, Json
from cotenant.planning.sla.churn import interval
from cotenant.planning.sla.churn_results import Interval
from cotenant.planning.sla.strategies import BASELINE
from cotenant.study.cells import Advance, Kept, Value, run_cells
from cotenant.study.morphosys.cells import FILES, PARTS, cells_of, run_cell
from cotenant.workers import Where


@dataclass(frozen=True, slots=True)
class PointRow:
    """One strategy at one point of a figure.

    Parameters
    ----------
    at
        The value on the axis.
    load
        What differs from the usual requests.
    efficiency
        1 - wasted / wasted of Liu-Layland first fit, with its 95 % interval; None
        where nothing is measured over time.
    machines
        Mean in use.
    rewrites_per_arrival
        The paper's k.
    """

    part: str
    at: float
    load: str
    strategy: str
    efficiency: Interval | None
    machines: float
    rewrites_per_arrival: float


@dataclass(frozen=True, slots=True)
class MorphosysStudy:
    """All points, and the options they were run with."""

    settings: Mapping[str, Any]
    rows: tuple[PointRow, ...]

    def part(self, name: str) -> list[PointRow]:
        """Return the points of a part."""
        return [row for row in self.rows if row.part == name]

    def efficiencies(self, part: str, strategy: str) -> list[float]:
        """Return the efficiency of a strategy along the axis of a part."""
        rows = [r for r in self.part(part) if r.strategy == strategy and r.efficiency]
        return [row.efficiency.mean for row in rows if row.efficiency is not None]

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        return {
            "apiVersion": API_VERSION,
            "kind": "StudyMorphosys",
            "settings": dict(self.settings),
            "rows": [asdict(row) for row in self.rows],
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one line a point and strategy."""
        lines = []
        for row in self.rows:
            line = asdict(row)
            found = line.pop("efficiency") or dict.fromkeys(("mean", "low", "high"))
            line |= {f"efficiency_{name}": value for name, value in found.items()}
            lines.append(line)
        return pl.DataFrame(lines, infer_schema_length=None)


def study_morphosys(
    folder: str,
    parts: Sequence[str] = PARTS,
    replicas: int = 5,
    workers: Where = 1,
    keep: str | None = None,
    advance: Advance = lambda what, done, total: None,
) -> MorphosysStudy:
    """Run the cells that are not kept yet, and put all of them together.

    Parameters
    ----------
    folder
        Where the traces of `FILES` lie.
    replicas
        Of each point; the part `scale` takes one.
    workers
        Who runs them, see `open_workers`.
    keep
        File of JSON lines with the cells that are done; None to keep none.

    Raises
    ------
    InvalidInput
        If a part is unknown or a number is not positive.
    SourceNotFound
        If a trace is missing.
    """
    for part in parts:
        if part not in PARTS:
            raise InvalidInput(f"part is {part!r}; expected one of {', '.join(PARTS)}")
    if replicas < 1:
        raise InvalidInput(f"replicas is {replicas}; expected 1 or more")
    for file in FILES:
        if not (Path(folder) / file).is_file():
            raise SourceNotFound(f"there is no {file} in {folder}")
    cells = list(cells_of(parts, folder, replicas))
    kept = Kept(None if keep is None else Path(keep))
    texts = [cell.text() for cell in cells]
    files = {folder: [Path(folder) / file for file in FILES]}
    values = run_cells(run_cell, texts, kept, workers, advance, files)
    points: dict[str, list[Value]] = defaultdict(list)
    for cell, text in zip(cells, texts, strict=True):
        points[json.dumps([cell.part, cell.at, cell.load])].append(values[text])
    rows = [row for point, found in points.items() for row in _rows(point, found)]
    settings = {"folder": folder, "parts": list(parts), "replicas": replicas}
    return MorphosysStudy(settings, tuple(rows))


def _rows(point: str, values: Sequence[Value]) -> list[PointRow]:
    part, at, load = json.loads(point)
    told = ", ".join(f"{k.replace('_', ' ')} {v:g}" for k, v in load.items())
    return [_row(part, at, told, name, values) for name in values[0]]


def _row(
    part: str, at: float, load: str, name: str, values: Sequence[Value]
) -> PointRow:
    runs = [value[name] for value in values]
    gains = [
        1.0 - value[name]["wasted"] / value[BASELINE]["wasted"]
        for value in values
        if BASELINE in value
    ]
    return PointRow(
        part=part,
        at=at,
        load=load or "as usual",
        strategy=name,
        efficiency=interval(gains) if gains else None,
        machines=sum(run["machines"] for run in runs) / len(runs),
        rewrites_per_arrival=sum(run["tried"] for run in runs)
        / max(1, sum(run["arrivals"] for run in runs)),
    )
