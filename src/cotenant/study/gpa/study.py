"""The study of the paper: which parts, on which pools, and what they come to."""

import json
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from cotenant.errors import InvalidInput
from cotenant.planning.results import API_VERSION, Json
from cotenant.study.cells import Advance, Kept, Value, run_cells
from cotenant.study.gpa.pools import REAL, find_pools
from cotenant.study.gpa.trace import run_trace, trace_text
from cotenant.study.grid import make_grid
from cotenant.study.grid_cells import run_cell
from cotenant.study.grid_result import GridResult, cells_of, summed
from cotenant.workers import Where

TRACE = "trace"
EVERY = ("matched", *REAL)
# Parts beside the trace, and the pools they are run on where these are at hand.
PARTS: dict[str, tuple[str, ...]] = {
    "base": EVERY,
    "rules": ("matched",),
    "clairvoyance": ("matched",),
    "averages": ("matched",),
    "capacities": ("matched",),
    "rebalancing": ("matched",),
    "calibration": EVERY,
    "grouping": ("matched", "planetlab"),
    "grouping-online": ("matched", "planetlab"),
}


@dataclass(frozen=True, slots=True)
class GpaStudy:
    """All that was run.

    Parameters
    ----------
    grids
        By part and pool.
    traces
        What `run_trace` returned, by pool.
    missing
        Real pools that were not at hand.
    """

    settings: Mapping[str, Any]
    grids: Mapping[tuple[str, str], GridResult]
    traces: Mapping[str, Value]
    missing: tuple[str, ...]

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        from cotenant.study.gpa.beside import beside

        parts = [
            {"part": part, "pool": pool, **_without_head(grid.to_dict())}
            for (part, pool), grid in self.grids.items()
        ]
        return {
            "apiVersion": API_VERSION,
            "kind": "StudyGpa",
            "settings": dict(self.settings),
            "published": [row.to_dict() for row in beside(self)],
            "parts": parts,
            "traces": [{"pool": name, **told} for name, told in self.traces.items()],
            "missing": list(self.missing),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one line a part, pool and run."""
        frames = [
            grid.to_frame().select(
                pl.lit(part).alias("part"), pl.lit(pool).alias("pool"), "*"
            )
            for (part, pool), grid in self.grids.items()
        ]
        return pl.concat(frames, how="vertical_relaxed") if frames else pl.DataFrame()


def _without_head(told: Json) -> Json:
    return {k: v for k, v in told.items() if k not in ("apiVersion", "kind")}


def study_gpa(
    folder: str | None = None,
    parts: Sequence[str] = (),
    problems: int | None = None,
    seed: int = 0,
    workers: Where = 1,
    keep: str | None = None,
    advance: Advance = lambda what, done, total: None,
) -> GpaStudy:
    """Run the parts asked for, and put them together.

    Parameters
    ----------
    folder
        Where the files of `REAL` lie; None for the synthetic pool alone.
    parts
        `trace` and names in `PARTS`; all where none is given.
    problems
        Problems of each part, in place of its own number.
    workers
        Who runs them, see `open_workers`.
    keep
        File of JSON lines with the cells that are done; None to keep none.

    Raises
    ------
    InvalidInput
        If a part is unknown or a number is not positive.
    """
    wanted = tuple(parts) or (TRACE, *PARTS)
    for part in wanted:
        if part not in (TRACE, *PARTS):
            known = ", ".join((TRACE, *PARTS))
            raise InvalidInput(f"part is {part!r}; expected one of {known}")
    pools = find_pools(folder)
    tables = {
        (part, pool): _tables(part, pools.tables[pool], problems, seed)
        for part in wanted
        if part != TRACE
        for pool in PARTS[part]
        if pool in pools.tables
    }
    looked_at = pools.tables if TRACE in wanted else {}
    traces = {name: trace_text(table, seed) for name, table in looked_at.items()}
    cells = {key: cells_of(one) for key, one in tables.items()}
    texts = [*traces.values(), *(text for some in cells.values() for text in some)]
    kept = Kept(None if keep is None else Path(keep))
    real = [pools.tables[name]["source"] for name in REAL if name in pools.tables]
    files = {name: [Path(name)] for source in real for name in source}
    values = run_cells(run_any, texts, kept, workers, advance, files)
    settings = {
        "command": _command(folder, parts, problems, seed),
        "parts": list(wanted),
        "pools": list(pools.tables),
        "folder": folder,
        "problems": problems,
        "seed": seed,
    }
    return GpaStudy(
        settings,
        {
            key: summed(make_grid(one), [values[text] for text in cells[key]])
            for key, one in tables.items()
        },
        {name: values[text] for name, text in traces.items()},
        pools.missing,
    )


def _command(
    folder: str | None, parts: Sequence[str], problems: int | None, seed: int
) -> str:
    """Return what to type to have the same again."""
    words = ["cotenant study gpa", *([shlex.quote(folder)] if folder else [])]
    words += [f"--part {part}" for part in parts]
    words += [] if problems is None else [f"--problems {problems}"]
    return " ".join([*words, f"--seed {seed}"])


def run_any(text: str) -> dict[str, Any]:
    """Run a cell of the study: the profile of a pool, or a problem of a grid."""
    cell = json.loads(text)
    return run_trace(cell) if "trace" in cell else run_cell(text)


def _tables(
    part: str, pool: Mapping[str, Any], problems: int | None, seed: int
) -> dict[str, Any]:
    """Return the grid of a part with its pool, problems and seed put in."""
    file = files("cotenant.study.gpa") / f"{part}.toml"
    tables = {
        **tomllib.loads(file.read_text("utf-8")),
        "pool": dict(pool),
        "seed": seed,
    }
    return tables if problems is None else {**tables, "problems": problems}
