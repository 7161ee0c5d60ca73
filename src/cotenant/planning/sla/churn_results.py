"""What a comparison under churn answers: frozen values with JSON and table."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from cotenant.planning.results import API_VERSION


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over replicas with its 95 % interval; None from a single replica."""

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class ChurnRow:
    """One strategy.

    Parameters
    ----------
    efficiency, efficiency_given
        1 - wasted / wasted of Liu-Layland first fit on the same requests, against what
        tasks asked, and against what they are given.
    machines, wasted
        Means over time; `wasted` in unit hosts.
    peak
        Most machines in use in any replica.
    arrivals
        A replica, after the warm-up.
    rewrites_per_arrival
        Stand-ins tried: the paper's k.
    changes_per_arrival
        Rewrites and migrations by repacking.
    """

    strategy: str
    efficiency: Interval
    efficiency_given: Interval
    machines: Interval
    wasted: Interval
    peak: int
    arrivals: float
    rewrites_per_arrival: float
    changes_per_arrival: float


@dataclass(frozen=True, slots=True)
class Churn:
    """Strategies on the same requests."""

    settings: Mapping[str, Any]
    rows: tuple[ChurnRow, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the keys and values of the JSON form."""
        rows = [asdict(row) for row in self.rows]
        return {
            "apiVersion": API_VERSION,
            "kind": "Churn",
            "settings": dict(self.settings),
            "rows": rows,
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row a strategy; intervals as ``_low`` and ``_high`` columns."""
        flat = []
        for row in self.rows:
            cells: dict[str, Any] = {}
            for name, value in asdict(row).items():
                if isinstance(value, dict):
                    cells[name] = value["mean"]
                    cells[f"{name}_low"] = value["low"]
                    cells[f"{name}_high"] = value["high"]
                else:
                    cells[name] = value
            flat.append(cells)
        return pl.DataFrame(flat, infer_schema_length=None)
