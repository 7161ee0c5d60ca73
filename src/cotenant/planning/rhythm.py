"""What tasks share in time: usage by time of day, and the common factor."""

from collections.abc import Mapping

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.demand.usage import Hours, Usage, usages
from cotenant.traces.shelf import Shelf
from cotenant.traces.trace import Series, Trace

DAY_S = 86_400.0
SLOTS = 24
COVERED = 0.9  # share of a day that a task must last to show its rhythm


def carries_a_day(trace: Trace) -> bool:
    """Say whether time-of-day slots make sense for a trace.

    They do when its samples carry time over at least a day, and tasks that carry half
    of the load were sampled through most of a day.
    """
    if trace.step_s is None or trace.step_s * SLOTS > DAY_S:
        return False
    start, end = (trace.facts[name].to_numpy() for name in ("start", "end"))
    load = trace.facts["mean"].to_numpy()
    lasting = end - start + trace.step_s >= COVERED * DAY_S
    whole = np.nanmax(end) - np.nanmin(start) + trace.step_s >= DAY_S - trace.step_s
    return bool(whole and load[lasting].sum() >= 0.5 * load.sum())


def add_hours(known: Mapping[str, Usage], trace: Trace, slots: int) -> dict[str, Hours]:
    """Return usage by time of day (UTC) for every task in `known`.

    A slot in which a task has no sample gets its usage of the whole day. Of a trace on
    disk, the values of every slot are on disk too.
    """
    shelf = Shelf() if trace.store.files else None
    found: dict[str, Hours] = {}
    for series in trace.series("cpu"):
        task = np.repeat(np.arange(len(series.codes)), np.diff(series.offsets))
        slot = np.floor(np.mod(series.time, DAY_S) / DAY_S * slots).astype(np.int64)
        cell = task * slots + np.minimum(slot, slots - 1)
        order = np.argsort(cell, kind="stable")
        counts = np.bincount(cell, minlength=len(series.codes) * slots)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        weights = trace.weights(series)[order]
        made = _by_slot(offsets, series.values[order], weights)
        for number, code in enumerate(series.codes):
            name = trace.store.names[code]
            if name in known:
                rows = slice(number * slots, (number + 1) * slots)
                found[name] = _join(made[rows], known[name], shelf)
    return found


def shared_deviations(trace: Trace) -> dict[str, float]:
    """Return the covariance of each task with the standardised total usage.

    The square of its sum over some tasks is the part of their variance that they owe to
    moving with everybody else.
    """
    step = trace.step_s or 1.0
    start = min(float(np.nanmin(s.time)) for s in trace.series("cpu"))
    end = max(float(np.nanmax(s.time)) for s in trace.series("cpu"))
    total = np.zeros(round((end - start) / step) + 1)
    for series in trace.series("cpu"):
        np.add.at(total, _moments(series, start, step), series.values)
    spread = total.std()
    if spread == 0.0:
        return {}
    standard = (total - total.mean()) / spread
    found = {}
    for series in trace.series("cpu"):
        factor = standard[_moments(series, start, step)]
        for number, code in enumerate(series.codes):
            rows = slice(series.offsets[number], series.offsets[number + 1])
            deviation = series.values[rows] - series.values[rows].mean()
            found[trace.store.names[code]] = float((deviation * factor[rows]).mean())
    return found


def _moments(series: Series, start: float, step: float) -> IntArray:
    return np.rint((series.time - start) / step).astype(np.int64)


def _by_slot(
    offsets: IntArray, samples: FloatArray, weights: FloatArray
) -> list[Usage | None]:
    filled = np.flatnonzero(np.diff(offsets))
    # Empty slots share their offset with the next one, so the filled ones are adjacent.
    made = usages(np.append(offsets[filled], offsets[-1]), samples, weights)
    result: list[Usage | None] = [None] * (len(offsets) - 1)
    for place, usage in zip(filled, made, strict=True):
        result[place] = usage
    return result


def _join(slots: list[Usage | None], whole: Usage, shelf: Shelf | None) -> Hours:
    parts = [slot or whole for slot in slots]
    lengths = [len(p.values) for p in parts]
    values = np.concatenate([p.values for p in parts])
    weights = np.concatenate([p.weights for p in parts])
    return Hours(
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        values=shelf.put(values) if shelf else values,
        weights=shelf.put(weights) if shelf else weights,
        mean=np.array([p.mean for p in parts]),
        variance=np.array([p.variance for p in parts]),
    )
