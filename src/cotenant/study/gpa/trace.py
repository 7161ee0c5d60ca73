"""The paper's section 3 on a pool: its profile, as a cell of the study."""

import json
from collections.abc import Mapping
from typing import Any

from cotenant.planning.problem import Selection, select
from cotenant.study.grid import make_grid
from cotenant.study.grid_pool import stamp_of
from cotenant.study.profile.bias import Bias, BiasRow
from cotenant.study.profile.parts import Absent, Part, Quantiles
from cotenant.study.profile.percentiles import PercentileError, PercentileRow
from cotenant.study.profile.profile import profile
from cotenant.study.profile.shapes import ClusterRow, Shapes
from cotenant.study.profile.sums import Normality, NormalityRow
from cotenant.study.profile.tasks import Spread, SpreadRow
from cotenant.study.profile.windows import Stationarity, StationarityRow
from cotenant.traces.collect import from_frame, read_usage
from cotenant.traces.synthetic import matched

# Tasks of the synthetic pool that are looked at.
MADE = 20_000
Shown = Mapping[str, Part[Any] | Absent]

# In the order of the paper's figures: 1, 2 and 3, 4, 5, table 1, 6.
PARTS: dict[str, tuple[type[Part[Any]], type[Any]]] = {
    "bias": (Bias, BiasRow),
    "spread": (Spread, SpreadRow),
    "stationarity": (Stationarity, StationarityRow),
    "shapes": (Shapes, ClusterRow),
    "normality": (Normality, NormalityRow),
    "percentile_error": (PercentileError, PercentileRow),
}


def trace_text(pool: Mapping[str, Any], seed: int, tasks: int = MADE) -> str:
    """Return the profile of a pool as a cell."""
    stamp = stamp_of(make_grid({"pool": pool, "runs": [{"method": "max"}]}).pool)
    cell = {"trace": dict(pool), "seed": seed, "tasks": tasks, "stamp": stamp}
    return json.dumps(cell, sort_keys=True)


def run_trace(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Profile a pool; return the parts that the paper shows, and counts of tasks."""
    pool, seed = cell["trace"], cell["seed"]
    if pool["source"] == "matched":
        made = matched(cell["tasks"], seed, averages=True)
        trace = from_frame(made, "fraction")
    else:
        # Failing tasks are not looked at; idle and short ones the profile counts.
        trace = select(read_usage(pool["source"]), Selection())
    found = profile(trace, seed=seed)
    summary = found.summary
    told = {name: getattr(found, name).to_dict() for name in PARTS}
    counts = {"tasks": summary.tasks, "zero": summary.zero, "short": summary.short}
    return {**told, "counts": counts, "timed": summary.step_s is not None}


def shown(value: Mapping[str, Any]) -> dict[str, Part[Any] | Absent]:
    """Rebuild the parts of what `run_trace` returned."""
    parts: dict[str, Part[Any] | Absent] = {}
    for name, (part, row) in PARTS.items():
        told = value[name]
        if "absent" in told:
            parts[name] = Absent(told["absent"])
            continue
        rows = tuple(row(**_fields(fields)) for fields in told["rows"])
        parts[name] = part(**{**told, "rows": rows})
    return parts


def _fields(told: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: Quantiles(**value)
        if isinstance(value, dict)
        else tuple(value)
        if isinstance(value, list)
        else value
        for name, value in told.items()
    }
