"""The printed numbers and ours, side by side."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cotenant.metrics import mean
from cotenant.planning.results import Json
from cotenant.study.gpa.pools import MEAN
from cotenant.study.gpa.study import GpaStudy
from cotenant.study.grid_result import GridResult, RunRow
from cotenant.study.published import GPA, Printed


@dataclass(frozen=True, slots=True)
class Beside:
    """A printed number and ours, by pool; a pool that cannot show it has None."""

    printed: Printed
    ours: Mapping[str, float | None]

    def to_dict(self) -> Json:
        """Return the keys and values of the JSON form."""
        return {**asdict(self.printed), "ours": dict(self.ours)}


def beside(study: GpaStudy) -> list[Beside]:
    """Return all printed numbers with what the parts that were run say of them."""
    pools = list(dict.fromkeys([pool for _, pool in study.grids] + [*study.traces]))
    return [
        Beside(one, {pool: _measure(study, one.key, pool) for pool in pools})
        for one in GPA
    ]


def _measure(study: GpaStudy, key: str, pool: str) -> float | None:
    measure = MEASURES.get(key)
    try:
        return measure(study, pool) if measure else _in_base(study, key, pool)
    except KeyError:
        return None


def _in_base(study: GpaStudy, key: str, pool: str) -> float:
    what, method, *rho = key.split()
    row = study.grids["base", pool].find(method, float(rho[0]) if rho else None)
    return row.machines if what == "machines" else row.frequency


def _row(study: GpaStudy, pool: str, part: str, **wanted: Any) -> Any:
    rows = study.traces[pool][part].get("rows", ())
    for row in rows:
        if all(row[name] == value for name, value in wanted.items()):
            return row
    raise KeyError(part)


def _spread(name: str, data: str) -> Callable[[GpaStudy, str], float]:
    def told(study: GpaStudy, pool: str) -> float:
        row = _row(study, pool, "spread", data=data)
        # Profiles of real pools are not scaled; a slope has no unit.
        scaled = name == "offset" and pool != "matched"
        return float(row[name]) * (MEAN / float(row["mean"]) if scaled else 1.0)

    return told


def _share(name: str) -> Callable[[GpaStudy, str], float | None]:
    def share(study: GpaStudy, pool: str) -> float | None:
        counts = study.traces[pool]["counts"]
        if pool == "matched":
            return None  # made without such tasks
        return float(
            counts[name] / (counts["tasks"] + counts["zero"] + counts["short"])
        )

    return share


def _differ(study: GpaStudy, pool: str) -> float:
    _row(study, pool, "stationarity")
    rows = study.traces[pool]["stationarity"]["rows"]
    return mean([float(row["rejected"]) for row in rows])


def _cluster(at: int) -> Callable[[GpaStudy, str], float]:
    def share(study: GpaStudy, pool: str) -> float:
        _row(study, pool, "shapes")
        return float(study.traces[pool]["shapes"]["rows"][at]["share"])

    return share


def _normality(tasks: int, name: str) -> Callable[[GpaStudy, str], float | None]:
    def told(study: GpaStudy, pool: str) -> float | None:
        if name == "mean_load" and pool != "matched":
            return None  # not scaled
        return float(_row(study, pool, "normality", tasks=tasks)[name])

    return told


def _averages(method: str, rho: float | None) -> Callable[[GpaStudy, str], float]:
    def ratio(study: GpaStudy, pool: str) -> float:
        seen = study.grids["averages", pool].find(method, rho).frequency
        return seen / study.grids["base", pool].find(method, rho).frequency

    return ratio


def _largest(capacity: float) -> Callable[[GpaStudy, str], float]:
    def told(study: GpaStudy, pool: str) -> float:
        grid = study.grids["capacities", pool]
        row = grid.find("percentile:100", data="averages", capacity=capacity)
        return row.frequency

    return told


def rebalanced(base: GridResult, plain: GridResult, row: RunRow) -> float | None:
    """Return by which share rebalancing changes the q of a run of the base case."""
    other = plain.find(row.run.method, row.run.rho)
    before, after = (
        one.overload if one.exact is None else one.exact for one in (other, row)
    )
    return after / before - 1.0 if before > 0 else None


def _rebalancing(study: GpaStudy, pool: str) -> float | None:
    base, plain = study.grids["base", pool], study.grids["rebalancing", pool]
    return rebalanced(base, plain, base.find("gaussian", 0.001))


MEASURES: dict[str, Callable[[GpaStudy, str], float | None]] = {
    "tasks zero": _share("zero"),
    "tasks short": _share("short"),
    "slope instantaneous": _spread("slope", "instantaneous"),
    "offset instantaneous": _spread("offset", "instantaneous"),
    "slope averages": _spread("slope", "averages"),
    "offset averages": _spread("offset", "averages"),
    "stationarity": _differ,
    "cluster smallest": _cluster(-1),
    "cluster largest": _cluster(0),
    "normality 50": _normality(50, "rejected"),
    "normality 500": _normality(500, "rejected"),
    "load 500": _normality(500, "mean_load"),
    "averages max 0.8": _largest(0.8),
    "averages max 1": _largest(1.0),
    "averages cantelli:1": _averages("cantelli:1", None),
    "averages gaussian": _averages("gaussian", 0.01),
    "rebalancing": _rebalancing,
}
