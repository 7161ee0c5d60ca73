"""The look-ahead study: what was run, and what it comes to."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cotenant import __version__
from cotenant.arrays import FloatArray
from cotenant.errors import InvalidInput, SourceNotFound
from cotenant.planning.results import API_VERSION, Json
from cotenant.queueing.lookahead import LookAhead
from cotenant.queueing.metrics import UNSTABLE
from cotenant.study.cells import Advance, Kept, Value, check_parts, run_cells
from cotenant.study.look_ahead_cells import LOGS, Cell, cells_of, run_cell
from cotenant.workers import Where

PARTS = ("headline", "table", "shaken", "estimates")
GREEDY = ("best-fit", "fastest-first")
JUDGED = ("tla", "look-ahead")
# Worse by no more than this is called even.
EVEN = 0.01


@dataclass(frozen=True, slots=True)
class CaseRow:
    """Average turnaround of one log, load, system and kind of estimates.

    Gains are reductions of average turnaround, as fractions of the other's.

    Parameters
    ----------
    average_turnaround_s
        By allocator; the mean over the replicas where there are several.
    better
        The greedy allocator that fared better, by that mean.
    gain
        By judging allocator, over the better greedy one.
    gain_error
        Its standard error, replica by replica; empty with a single run.
    over_tla, over_tla_error
        The gain of look-ahead over the method of the paper, and its standard error.
    gain_over_worse
        By judging allocator, over the worse greedy one.
    stable
        Whether the better greedy allocator is, by the halves of the log.
    """

    part: str
    log: str
    system: str
    load: float
    estimates: str
    replicas: int
    average_turnaround_s: Mapping[str, float]
    better: str
    gain: Mapping[str, float]
    gain_error: Mapping[str, float]
    over_tla: float
    over_tla_error: float | None
    gain_over_worse: Mapping[str, float]
    stable: bool

    def loses(self, name: str) -> bool:
        """Whether it is worse than the better greedy one beyond two errors.

        Of a single run, whether it is worse by more than 1 %.
        """
        return self.gain[name] < -2 * self.gain_error.get(name, EVEN / 2)

    @property
    def loses_to_tla(self) -> bool:
        """Whether look-ahead is worse than the paper's method beyond two errors."""
        error = EVEN / 2 if self.over_tla_error is None else self.over_tla_error
        return self.over_tla < -2 * error


@dataclass(frozen=True, slots=True)
class LookAheadStudy:
    """All cases, and the options they were run with."""

    settings: Mapping[str, Any]
    rows: tuple[CaseRow, ...]

    def part(self, name: str) -> list[CaseRow]:
        """Return the cases of a part."""
        return [row for row in self.rows if row.part == name]

    @property
    def summary(self) -> Json:
        """What the table and the headline come to, by the words of the paper."""
        told: Json = {}
        table = self.part("table")
        if table:
            told["table"] = {
                "cells": len(table),
                **{name: _counts(table, name) for name in JUDGED},
                "fastest_first_better": _greedy(table, "fastest-first"),
                "best_fit_better": _greedy(table, "best-fit"),
            }
        for row in self.part("headline"):
            key = "headline" if row.replicas == 1 else "headline_shaken"
            told[key] = {
                "gain": dict(row.gain),
                "gain_error": dict(row.gain_error),
                "gain_over_worse": dict(row.gain_over_worse),
            }
        for estimates in ("exact", "user", "last-two"):
            some = [r for r in self.part("shaken") if r.estimates == estimates]
            if some:
                told[f"shaken_{estimates}"] = {
                    "cases": len(some),
                    "tla_loses": sum(r.loses("tla") for r in some),
                    "look_ahead_loses": sum(r.loses("look-ahead") for r in some),
                    "look_ahead_loses_to_tla": sum(r.loses_to_tla for r in some),
                }
        return told

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        return {
            "apiVersion": API_VERSION,
            "kind": "StudyLookAhead",
            "settings": dict(self.settings),
            "summary": self.summary,
            "published": [asdict(one) for one in statements(self)],
            "rows": [asdict(row) for row in self.rows],
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one line a case."""
        lines = []
        for row in self.rows:
            line = {k: v for k, v in asdict(row).items() if not isinstance(v, Mapping)}
            for allocator, seconds in row.average_turnaround_s.items():
                line[f"{allocator}_turnaround_s"] = seconds
            for allocator in JUDGED:
                line[f"{allocator}_gain"] = row.gain[allocator]
                line[f"{allocator}_gain_error"] = row.gain_error.get(allocator)
            lines.append(line)
        return pl.DataFrame(lines, infer_schema_length=None)


@dataclass(frozen=True, slots=True)
class Statement:
    """What was printed, and what was measured here."""

    statement: str
    source: str
    measured: str


def statements(study: LookAheadStudy) -> list[Statement]:
    """Return the published statements that the parts that were run bear on."""
    told, made = study.summary, []
    if "headline" in told:
        gain = told["headline"]["gain"]["tla"]
        text = f"{gain:.1%} on the configuration that a search selected for it"
        if "headline_shaken" in told:
            shaken = told["headline_shaken"]
            text += (
                f"; {shaken['gain']['tla']:.1%} ± "
                f"{100 * shaken['gain_error']['tla']:.1f} over shaken replicas"
            )
        made.append(
            Statement(
                "Up to 87 % lower average turnaround than best fit and fastest first, "
                "with precise run times",
                "Shih, Huang, Lee, Chung, Chung, JPDC 73 (2013), abstract",
                text,
            )
        )
    if "table" in told:
        table = told["table"]
        largest = max(row.gain["tla"] for row in study.part("table"))
        made.append(
            Statement(
                "Neither best fit nor fastest first is the better one in general",
                "the same, introduction",
                f"fastest first is better in {table['fastest_first_better']} cells of "
                f"{table['cells']}, best fit in {table['best_fit_better']}",
            )
        )
        made.append(
            Statement(
                "Up to 32.75 % lower average turnaround, an earlier form of the method",
                "Shih, Huang, Lee, Chung, Chung, CCGrid 2011, pp. 614-615",
                f"{largest:.1%} at most over the better one of the two in the table",
            )
        )
    return made


def study_look_ahead(
    folder: str,
    parts: Sequence[str] = PARTS,
    copies: int = 8,
    workers: Where = 1,
    keep: str | None = None,
    advance: Advance = lambda what, done, total: None,
) -> LookAheadStudy:
    """Run the cells that are not kept yet, and put all of them together.

    Parameters
    ----------
    folder
        Where the logs of `LOGS` lie.
    copies
        Shaken replicas of each case of the part `shaken`; the headline has 15.
    workers
        Who runs them, see `open_workers`.
    keep
        File of JSON lines with the cells that are done; None to keep none.

    Raises
    ------
    InvalidInput
        If a part is unknown or a number is not positive.
    SourceNotFound
        If a log is missing.
    """
    check_parts(parts, PARTS)
    if copies < 1:
        raise InvalidInput(f"replicas is {copies}; expected 1 or more")
    cells = list(cells_of(parts, folder, copies))
    logs = [LOGS[name].file for name in dict.fromkeys(cell.log for cell in cells)]
    for file in logs:
        if not (Path(folder) / file).is_file():
            raise SourceNotFound(f"there is no {file} in {folder}")
    files = {folder: [Path(folder) / file for file in logs]}
    # Kept cells depend on what the defaults of look-ahead are.
    version = f"{__version__} {LookAhead()}"
    kept = Kept(None if keep is None else Path(keep), version)
    values = run_cells(
        run_cell, [cell.text() for cell in cells], kept, workers, advance, files
    )
    groups: dict[Cell, list[Value]] = defaultdict(list)
    for text, value in values.items():
        fields = json.loads(text)
        replica = fields.pop("replica")
        # Replicas of a case belong together; the log as it stands is a case of its own.
        groups[Cell(**fields, replica=None if replica is None else 0)].append(value)
    rows = tuple(_row(cell, each) for cell, each in groups.items())
    settings = {"folder": folder, "parts": list(parts), "replicas": copies}
    return LookAheadStudy(settings, rows)


def _row(cell: Cell, values: Sequence[Value]) -> CaseRow:
    runs: dict[str, FloatArray] = {
        name: np.array([value[name]["average_turnaround_s"] for value in values])
        for name in (*GREEDY, *JUDGED)
    }
    means = {name: float(run.mean()) for name, run in runs.items()}
    better = min(GREEDY, key=lambda name: means[name])
    worse = max(GREEDY, key=lambda name: means[name])
    growth = float(np.mean([value[better]["growth"] for value in values]))
    errors = {name: _error(runs[better] - runs[name], means[better]) for name in JUDGED}
    return CaseRow(
        part=cell.part,
        log=cell.log,
        system=cell.system,
        load=cell.load,
        estimates=cell.estimates,
        replicas=len(values),
        average_turnaround_s=means,
        better=better,
        gain={name: 1 - means[name] / means[better] for name in JUDGED},
        gain_error={n: e for n, e in errors.items() if e is not None},
        over_tla=1 - means["look-ahead"] / means["tla"],
        over_tla_error=_error(runs["tla"] - runs["look-ahead"], means["tla"]),
        gain_over_worse={name: 1 - means[name] / means[worse] for name in JUDGED},
        stable=growth <= UNSTABLE,
    )


def _error(difference: FloatArray, mean: float) -> float | None:
    if len(difference) < 2:
        return None
    return float(difference.std(ddof=1) / np.sqrt(len(difference)) / mean)


def _counts(table: Sequence[CaseRow], name: str) -> Json:
    gains = [row.gain[name] for row in table]
    return {
        "better_than_both": sum(gain > 0 for gain in gains),
        "worse_than_better_by_1_percent": sum(gain < -EVEN for gain in gains),
        "mean_gain": float(np.mean(gains)),
        "least_gain": min(gains),
        "largest_gain": max(gains),
        "mean_gain_over_worse": float(
            np.mean([row.gain_over_worse[name] for row in table])
        ),
    }


def _greedy(table: Sequence[CaseRow], name: str) -> int:
    other = GREEDY[1 - GREEDY.index(name)]
    return sum(
        row.average_turnaround_s[name] < row.average_turnaround_s[other]
        for row in table
    )
