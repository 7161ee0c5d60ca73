"""Small series for the tests of profiles."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from cotenant.traces.trace import Series


def series_of(
    samples: Sequence[ArrayLike], times: Sequence[ArrayLike] | None = None
) -> Series:
    """Put the samples of each task back to back; without times, there is no time."""
    arrays = [np.asarray(s, dtype=np.float64) for s in samples]
    values = np.concatenate([np.empty(0), *arrays])
    time = np.full(len(values), np.nan)
    if times is not None:
        time = np.concatenate([np.asarray(t, dtype=np.float64) for t in times])
    return Series(
        codes=np.arange(len(arrays)),
        offsets=np.cumsum([0, *(len(a) for a in arrays)]).astype(np.int64),
        time=time,
        values=values,
    )


def every(step: float, samples: Sequence[ArrayLike], start: float = 0.0) -> Series:
    """The same with a sample every `step` seconds."""
    times = [start + step * np.arange(len(np.asarray(s))) for s in samples]
    return series_of(samples, times)
