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
from cotenant.study.cells import Advance, Kept, Value, check_parts, run_cells
from cotenant.study.morphosys.cells import FILES, PARTS, cells_of, run_cell
from cotenant.workers import Where

PLAIN = "response-time"


@dataclass(frozen=True, slots=True)
class PointRow:
    """One strategy at one point of a figure.

    Parameters
    ----------
    at
        The value on the axis.
    load
        What differs from the usual requests.
    replicas
        Independent runs.
    efficiency, efficiency_given
        1 - wasted / wasted of Liu-Layland first fit, with its 95 % interval, against
        what tasks asked, and against what they are given; None where nothing is
        measured over time.
    over_response_time
        The efficiency less that of response times without rewriting on the same
        requests; None where those are not in the part.
    machines
        Mean in use.
    rewrites_per_arrival
        The paper's k.
    """

    part: str
    at: float
    load: str
    strategy: str
    replicas: int
    efficiency: Interval | None
    efficiency_given: Interval | None
    over_response_time: Interval | None
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

    def along(
        self, part: str, strategy: str, what: str = "efficiency"
    ) -> list[Interval]:
        """Return an interval of a strategy along the axis of a part."""
        rows = [row for row in self.part(part) if row.strategy == strategy]
        found = [getattr(row, what) for row in rows]
        return [value for value in found if value is not None]

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
            for what in ("efficiency", "efficiency_given", "over_response_time"):
                found = line.pop(what) or dict.fromkeys(("mean", "low", "high"))
                line |= {f"{what}_{name}": value for name, value in found.items()}
            lines.append(line)
        return pl.DataFrame(lines, infer_schema_length=None)


def study_morphosys(
    folder: str,
    parts: Sequence[str] = PARTS,
    replicas: int | None = None,
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
        Of each point; None for 5 to 30, more where fleets are small.
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
    check_parts(parts, PARTS)
    if replicas is not None and replicas < 1:
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
    timed = all(BASELINE in value for value in values)
    gains = [_gain(value, name) for value in values] if timed else []
    plain = timed and all(PLAIN in value for value in values)
    more = [_gain(value, name) - _gain(value, PLAIN) for value in values if plain]
    given = [_gain(value, name, "wasted_given") for value in values if timed]
    return PointRow(
        part=part,
        at=at,
        load=load or "as usual",
        strategy=name,
        replicas=len(values),
        efficiency=interval(gains) if gains else None,
        efficiency_given=interval(given) if given else None,
        over_response_time=interval(more) if more else None,
        machines=sum(run["machines"] for run in runs) / len(runs),
        rewrites_per_arrival=sum(run["tried"] for run in runs)
        / max(1, sum(run["arrivals"] for run in runs)),
    )


def _gain(value: Value, name: str, what: str = "wasted") -> float:
    return 1.0 - float(value[name][what]) / float(value[BASELINE][what])
