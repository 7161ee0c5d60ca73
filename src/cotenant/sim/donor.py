"""Whose usage stands in for a task that nobody has seen yet."""

from collections.abc import Sequence

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray


def donor(
    task: int,
    known: BoolArray,
    labels: Sequence[str | None],
    requests: FloatArray | Sequence[float],
    random: np.random.Generator,
) -> int:
    """Return a known task that is as like a new one as can be told in advance.

    One of the same label; else, of those whose request is nearest by ratio, one at
    random; else any at random.

    Parameters
    ----------
    known
        `(tasks,)` at least one.
    labels, requests
        By task; None or NaN where unknown, empty where nobody has one.
    """
    able = np.flatnonzero(known)
    if len(labels) and labels[task] is not None:
        alike = [label == labels[task] for label in labels]
        able = able[np.array(alike)[able]] if (known & alike).any() else able
    if len(requests) and requests[task] > 0:
        able = _nearest(able, np.asarray(requests), float(requests[task]))
    return int(random.choice(able))


def _nearest(able: IntArray, requests: FloatArray, request: float) -> IntArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.abs(np.log(requests[able] / request))
    apart[~np.isfinite(apart)] = np.inf
    return np.asarray(able[apart <= apart.min() + 1e-9])
