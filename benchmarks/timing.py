"""Best of a few runs, and the rows of the table: ours beside something else."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One comparison of a run.

    Parameters
    ----------
    part
        The benchmark it belongs to; filled in by the run.
    ours, other
        In `unit`; `other` is None where the peer is not installed.
    gain
        How many times better ours is; of a limit, the share of it that is reached.
    """

    part: str
    what: str
    ours: float
    other: float | None
    unit: str
    against: str
    gain: float | None

    def line(self) -> str:
        """Return the row as text."""
        other = "-" if self.other is None else f"{self.other:.4g} {self.unit}"
        gain = "" if self.gain is None else f"{self.gain:.3g} x"
        ours = f"{self.ours:.4g} {self.unit}"
        return f"{self.what:<48} {ours:>14} {other:>14} {self.against:<26} {gain:>9}"


ROWS: list[Row] = []


def best(
    function: Callable[[], object],
    runs: int = 3,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Return the shortest of some runs, in seconds of a clock, after a warm-up."""
    function()
    times = []
    for _ in range(runs):
        started = clock()
        function()
        times.append(clock() - started)
    return min(times)


def ratio(what: str, ours: float, baseline: float, against: str) -> None:
    """Note two times in seconds, and how many times the baseline's speed ours has."""
    _note(Row("", what, ours, baseline, "s", against, baseline / ours))


def fewer(what: str, ours: float, other: float, unit: str, against: str) -> None:
    """Note two counts of which the smaller is better."""
    _note(Row("", what, ours, other, unit, against, other / ours))


def share(what: str, ours: float, limit: float, unit: str, against: str) -> None:
    """Note a rate beside the physical limit, measured in the same run."""
    _note(Row("", what, ours, limit, unit, against, ours / limit))


def absent(what: str, ours: float, peer: str) -> None:
    """Note a time in seconds whose peer is not installed."""
    _note(Row("", what, ours, None, "s", f"{peer}: not installed", None))


def _note(row: Row) -> None:
    ROWS.append(row)
    print(row.line(), flush=True)
