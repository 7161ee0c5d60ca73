"""Usage on a grid: into how many cells a capacity is cut, and tasks cut into them."""

import math
from collections.abc import Sequence

import numpy as np

from cotenant.demand.usage import Hours, Usage
from cotenant.errors import InvalidInput
from cotenant.kernels import exact as kernel
from cotenant.kernels.exact_index import Asked

CELLS = 500


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
    if not all(len(usage.values) for usage in usages):
        raise InvalidInput(
            "method exact needs the samples of a task, not its moments alone; "
            "use --method gaussian"
        )
    hours = [usage.by_hour(slots) for usage in usages] if slots > 1 else []
    laid: Sequence[Usage | Hours] = hours or usages
    ends = bounds = np.cumsum([0, *(len(one.values) for one in laid)])
    if hours:
        starts = [one.offsets[:-1] + end for one, end in zip(hours, ends, strict=False)]
        bounds = np.concatenate([*starts, ends[-1:]])
    values = np.concatenate([one.values for one in laid])
    weights = np.concatenate([one.weights for one in laid])
    return Asked(
        *kernel.to_cells(bounds, values, weights, capacity / cells),
        kernel.overloads_alone(bounds, values, weights, capacity, slots),
        np.array([usage.mean for usage in usages]),
        np.array([usage.values[-1] for usage in usages]),
    )
