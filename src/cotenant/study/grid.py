"""An experiment as data: a pool of tasks, problems drawn from it, and a grid of runs.

The file form is TOML; `docs/studies/grid.md` explains every key.
"""

import itertools
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from cotenant.colocate.methods import parse_method
from cotenant.colocate.pack import Policy
from cotenant.errors import InvalidInput, SourceNotFound
from cotenant.traces.synthetic import POOLS

DISTRIBUTIONS = "distributions"
DATA = ("instantaneous", "averages", DISTRIBUTIONS)
# Methods that size a task without asking for rho; cantelli only with a number.
_WITHOUT_RHO = ("mean", "percentile", "max", "requests")
_ANY_RHO = 0.5


@dataclass(frozen=True, slots=True)
class PoolSpec:
    """Where the tasks come from.

    Parameters
    ----------
    source
        A name in `POOLS`, or usage sources as `read_usage` takes them.
    tasks
        Size of a synthetic pool.
    format
        Reader of the sources.
    min_samples
        Tasks with fewer samples are left out; so are idle and failing ones.
    mean
        Usage is scaled so that tasks use this share of a machine on average; None to
        leave it.
    by_day
        Whether each day of a task is a task of its own.
    """

    source: tuple[str, ...] = ("matched",)
    tasks: int = 100_000
    format: str = "auto"
    min_samples: int = 24
    mean: float | None = None
    by_day: bool = False

    def __post_init__(self) -> None:
        if not self.source:
            raise InvalidInput("pool source is empty; expected a name or files")
        for name in ("tasks", "min_samples"):
            _positive(name, getattr(self, name))
        if self.mean is not None and not 0 < self.mean < 1:
            raise InvalidInput(f"pool mean is {self.mean}; expected between 0 and 1")
        if self.mean is not None and self.synthetic:
            raise InvalidInput(f"pool {self.source[0]} has a mean of its own; drop it")

    @property
    def synthetic(self) -> bool:
        """Whether the pool is made, not read."""
        return len(self.source) == 1 and self.source[0] in POOLS


@dataclass(frozen=True, slots=True)
class Run:
    """One way to pack every problem.

    Parameters
    ----------
    method, rule, rho, order, rebalance, groups
        As in `Policy`; `rho` is None where the method does not ask for it.
    capacity
        Of every machine.
    data
        What packing sees: realisations of `instantaneous` samples or of `averages`, or
        the `distributions` of instantaneous samples that realisations are drawn from.
        Overload is always judged on instantaneous ones.
    clairvoyance
        Share of the realisations that packing sees; the others judge. With 1 all do
        both.
    """

    method: str
    rho: float | None = None
    rule: str = "best-fit"
    capacity: float = 1.0
    data: str = "instantaneous"
    clairvoyance: float = 1.0
    rebalance: bool = False
    order: str = "arrival"
    groups: int = 1

    def __post_init__(self) -> None:
        if self.rho is not None and not asks_rho(self.method):
            raise InvalidInput(f"method {self.method} does not ask for rho")
        if self.rho is None and asks_rho(self.method):
            raise InvalidInput(f"method {self.method} asks for rho, and none is given")
        self.policy(0)  # refuses what it does not know
        if self.data not in DATA:
            known = ", ".join(DATA)
            raise InvalidInput(f"data is {self.data!r}; expected one of {known}")
        if self.data == DISTRIBUTIONS and self.clairvoyance < 1:
            raise InvalidInput("data is distributions, which clairvoyance cannot cut")
        if not 0 < self.clairvoyance <= 1:
            raise InvalidInput(
                f"clairvoyance is {self.clairvoyance}; expected above 0, 1 at most"
            )
        if not 0 < self.capacity < float("inf"):
            raise InvalidInput(f"capacity is {self.capacity}; expected above 0")

    def policy(self, seed: int) -> Policy:
        """Return how to pack."""
        return Policy(
            method=self.method,
            rule=self.rule,
            rho=_ANY_RHO if self.rho is None else self.rho,
            order=self.order,
            rebalance=self.rebalance,
            seed=seed,
            groups=self.groups,
        )


@dataclass(frozen=True, slots=True)
class Grid:
    """A pool, the problems drawn from it, and how they are packed.

    Parameters
    ----------
    problems, tasks
        So many problems of so many tasks, drawn without replacement from the pool
        where it is large enough, else with.
    realisations
        Moments drawn of every task.
    seed
        Fixes the pool, the problems and their realisations.
    exact
        Whether overload is computed by convolution too.
    """

    title: str
    runs: tuple[Run, ...]
    pool: PoolSpec = field(default_factory=PoolSpec)
    problems: int = 50
    tasks: int = 1_000
    realisations: int = 10_000
    seed: int = 0
    exact: bool = True

    def __post_init__(self) -> None:
        for name in ("problems", "tasks", "realisations"):
            _positive(name, getattr(self, name))
        if self.seed < 0:
            raise InvalidInput(f"seed is {self.seed}; expected 0 or more")
        if not self.runs:
            raise InvalidInput("the grid has no [[runs]]; expected at least one")
        for run in self.runs:
            if run.clairvoyance < 1 and self.observed(run) >= self.realisations:
                raise InvalidInput(
                    f"clairvoyance {run.clairvoyance} of {self.realisations} "
                    "realisations leaves none to judge on"
                )

    def observed(self, run: Run) -> int:
        """Return how many realisations packing sees."""
        return max(1, round(run.clairvoyance * self.realisations))

    def judged_from(self, run: Run) -> int:
        """Return the first realisation that judges."""
        return self.observed(run) if run.clairvoyance < 1 else 0


def asks_rho(method: str) -> bool:
    """Say whether a method by name asks for rho."""
    _, number = parse_method(method)
    name = method.partition(":")[0]
    return name not in _WITHOUT_RHO and not (name == "cantelli" and number is not None)


def read_grid(file: str) -> Mapping[str, Any]:
    """Read a grid file, as tables.

    Raises
    ------
    SourceNotFound
        If there is no such file.
    InvalidInput
        If it is not TOML, or no grid.
    """
    path = Path(file)
    if not path.is_file():
        raise SourceNotFound(f"there is no grid file {file}")
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} is not TOML: {error}") from error
    try:
        make_grid(tables)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from error
    return tables


def make_grid(tables: Mapping[str, Any]) -> Grid:
    """Make a grid of its tables: every list of a run is expanded.

    Raises
    ------
    InvalidInput
        If a key is unknown or missing, or a value out of range.
    """
    known = {f.name for f in fields(Grid)}
    _check_keys(tables, known, "grid")
    pool = dict(tables.get("pool", {}))
    _check_keys(pool, {f.name for f in fields(PoolSpec)}, "pool")
    source = pool.get("source", "matched")
    pool["source"] = (source,) if isinstance(source, str) else tuple(source)
    runs: dict[Run, None] = {}
    for table in tables.get("runs", ()):
        runs |= dict.fromkeys(_expanded(table))
    rest = {k: v for k, v in tables.items() if k not in ("pool", "runs")}
    try:
        return Grid(**{"title": "grid", **rest}, pool=PoolSpec(**pool), runs=(*runs,))
    except TypeError as error:
        raise InvalidInput(f"a value of the grid has a wrong type: {error}") from error


def _expanded(table: Mapping[str, Any]) -> Iterator[Run]:
    _check_keys(table, {f.name for f in fields(Run)}, "runs")
    if "method" not in table:
        raise InvalidInput("a [[runs]] table has no method")
    # In one order, whatever that of the keys: values of runs are found by their place.
    names = [f.name for f in fields(Run) if f.name in table]
    lists = {n: v if isinstance(v := table[n], list) else [v] for n in names}
    for values in itertools.product(*lists.values()):
        chosen = dict(zip(lists, values, strict=True))
        if not asks_rho(chosen["method"]):
            chosen.pop("rho", None)
        try:
            run = Run(**chosen)
        except TypeError as error:
            raise InvalidInput(f"a value of [[runs]] is wrong: {error}") from error
        yield replace(run, capacity=float(run.capacity))


def _check_keys(table: Mapping[str, Any], known: set[str], where: str) -> None:
    for key in table:
        if key not in known:
            expected = ", ".join(sorted(known))
            raise InvalidInput(f"{where} has a key {key!r}; expected {expected}")


def _positive(name: str, value: int) -> None:
    if not isinstance(value, int) or value < 1:
        raise InvalidInput(f"{name} is {value}; expected a whole number from 1")


def as_text(tables: Mapping[str, Any], problem: int, stamp: str) -> str:
    """Return one problem of a grid as text, to send and to find it again."""
    cell = {"grid": dict(tables), "problem": problem, "stamp": stamp}
    return json.dumps(cell, sort_keys=True)
