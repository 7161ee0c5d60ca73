"""Which shapes the distributions of tasks have: histograms, clustered."""

from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.study.profile.parts import Absent, Part
from cotenant.traces.trace import Series

BINS = 100
CLUSTERS = 16
MOST_TASKS = 20_000
_STARTS = 4


@dataclass(frozen=True, slots=True)
class ClusterRow:
    """A group of tasks of similar shape.

    Parameters
    ----------
    cluster
        From 1, the largest group first.
    share
        Of all clustered tasks.
    mean
        Mean usage over largest usage, averaged over the group.
    histogram
        Average share of samples in each bin, from 0 to the task's largest usage.
    """

    cluster: int
    tasks: int
    share: float
    mean: float
    histogram: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Shapes(Part[ClusterRow]):
    """Shapes of usage distributions, clustered; `tasks` were looked at."""

    tasks: int


def shapes(
    series: Series, clusters: int = CLUSTERS, bins: int = BINS, seed: int = 0
) -> Shapes | Absent:
    """Cluster tasks by the histogram of their usage relative to their own maximum.

    k-means on histograms of equal bins from 0 to the task's largest usage, so that
    tasks of different size but equal shape fall together. The best of 4 random starts
    counts. More than 20,000 tasks are represented by that many, drawn at random.
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    table = histograms(series, bins)
    if len(np.unique(table, axis=0)) < 2 * clusters:
        return Absent(
            f"fewer than {2 * clusters} tasks of different shape are left for "
            f"{clusters} clusters"
        )
    if len(table) > MOST_TASKS:
        rng = np.random.default_rng([seed, 3])
        table = table[np.sort(rng.permutation(len(table))[:MOST_TASKS])]
    # Several threads would add in an order of their own, and the last digits with it.
    with threadpool_limits(1):
        model = KMeans(clusters, n_init=_STARTS, random_state=seed).fit(table)
    sizes = np.bincount(model.labels_, minlength=clusters)
    middle = (np.arange(bins) + 0.5) / bins
    rows = tuple(
        ClusterRow(
            number,
            int(sizes[label]),
            float(sizes[label] / len(table)),
            float(table[model.labels_ == label].mean(axis=0) @ middle),
            tuple(table[model.labels_ == label].mean(axis=0).tolist()),
        )
        for number, label in enumerate(np.argsort(-sizes, kind="stable"), 1)
    )
    return Shapes(rows, len(table))


def histograms(series: Series, bins: int = BINS) -> FloatArray:
    """Return the share of samples in each bin, `(tasks, bins)`; each row adds to 1.

    Bins are of equal width from 0 to the task's largest usage; that one falls in the
    last. A task that is 0 throughout has everything in the first.
    """
    if not len(series.codes):
        return np.empty((0, bins))
    tasks, sizes = len(series.codes), np.diff(series.offsets)
    largest = np.maximum.reduceat(series.values, series.offsets[:-1])
    owner = np.repeat(np.arange(tasks), sizes)
    relative = series.values / np.where(largest > 0, largest, 1.0)[owner]
    number = np.minimum((relative * bins).astype(np.int64), bins - 1)
    table = np.bincount(owner * bins + number, minlength=tasks * bins)
    return table.reshape(tasks, bins) / sizes[:, None]
