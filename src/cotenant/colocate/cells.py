"""Usage on a grid: into how many cells a capacity is cut, and tasks cut into them."""

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from cotenant.demand.usage import Hours, Usage
from cotenant.errors import InvalidInput
from cotenant.kernels import cells as kernel
from cotenant.kernels.exact_index import Asked

CELLS = 500
PART = 8_192  # tasks cut at a time: samples of more would not stay in the cache


def grid(capacity: float, least: int = CELLS) -> int:
    """Return into how many cells to cut a capacity: at least `least`.

    A round cell width (1, 2 or 5 times a power of ten) is taken where it divides the
    capacity, since traces print round decimals: their values then lie on cells and
    need no splitting. Otherwise exactly `least`.

    >>> grid(1.0), grid(4.0), grid(64.0), grid(1 / 3)
    (500, 800, 640, 500)
    """
    power = math.floor(math.log10(capacity / least))
    for factor in (5.0, 2.0, 1.0):
        width = factor * 10.0**power
        cells = round(capacity / width)
        if cells >= least and math.isclose(cells * width, capacity, rel_tol=1e-9):
            return cells
    return least


def cut(usages: Sequence[Usage], capacity: float, cells: int, slots: int = 1) -> Asked:
    """Cut tasks into cells for machines of a capacity.

    Raises
    ------
    InvalidInput
        If a usage has no samples, or is not known in so many time-of-day slots.
    """
    parts = [
        _cut(usages[first : first + PART], capacity, capacity / cells, slots)
        for first in range(0, len(usages), PART)
    ]
    return parts[0] if len(parts) == 1 else _joined(parts)


def _cut(usages: Sequence[Usage], capacity: float, width: float, slots: int) -> Asked:
    known = [usage.values for usage in usages]
    lengths = list(map(len, known))
    if not all(lengths):
        raise InvalidInput(
            "method exact needs the samples of a task, not its moments alone; "
            "use --method gaussian"
        )
    laid: Sequence[Usage | Hours] = usages
    bounds = np.array(list(accumulate(lengths, initial=0)))
    if slots > 1:
        laid = hours = [usage.by_hour(slots) for usage in usages]
        known = [hour.values for hour in hours]
        ends = list(accumulate(map(len, known), initial=0))
        starts = [
            hour.offsets[:-1] + end for hour, end in zip(hours, ends, strict=False)
        ]
        bounds = np.concatenate([*starts, ends[-1:]])
    values = np.concatenate(known)
    weights = np.concatenate([one.weights for one in laid])
    return Asked(
        *kernel.to_cells(bounds, values, weights, width, slots),
        kernel.overloads_alone(bounds, values, weights, capacity, slots),
        np.array([usage.mean for usage in usages]),
        np.maximum.reduceat(values, bounds[:-1:slots]),
    )


def _joined(parts: Sequence[Asked]) -> Asked:
    ends = accumulate((len(part.cells) for part in parts), initial=0)
    starts, *columns = zip(*parts, strict=True)
    moved = [own + end for own, end in zip(starts, ends, strict=False)]
    return Asked(*map(np.concatenate, (moved, *columns)))
