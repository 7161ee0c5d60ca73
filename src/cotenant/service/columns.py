"""Many tasks as columns and back, every float with all its bits."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.demand.sla import Sla
from cotenant.demand.task import Task
from cotenant.demand.usage import Usage
from cotenant.service.declared import (
    from_moments,
    is_declared,
    remember,
    shape_of,
    shaped,
    spread,
)
from cotenant.service.state import Held

AS_THEY_ARE = (
    *("name", "digest", "machine", "core", "overload", "placed_at"),
    *("measured_at", "feed_error", "expires"),
)


class Numbers:
    """Hands out numbers in the order they were written."""

    def __init__(self, numbers: FloatArray) -> None:
        self._numbers, self._at = numbers, 0

    def take(self, count: int) -> FloatArray:
        """Return the next ones."""
        own = slice(self._at, self._at + count)
        self._at += count
        return self._numbers[own]


def to_columns(
    held: Sequence[tuple[str, Held]], known: set[float]
) -> tuple[dict[str, Any], FloatArray]:
    """Return the columns of tasks: facts for JSON, and numbers.

    A usage that was declared is its moments; the shapes that moments follow are told
    once, before the first usage of theirs.

    Parameters
    ----------
    known
        Spreads whose shapes were told before; the fresh ones join them.
    """
    tasks = [h.demand if isinstance(h.demand, Task) else None for _, h in held]
    usages = [u for task in tasks if task is not None for u in task.usage.values()]
    told = [_facts(usage) for usage in usages]
    spreads = [one for one in told if isinstance(one, float)]
    fresh = {one: shape_of(one) for one in spreads if one not in known}
    known.update(fresh)
    facts = {
        **{name: [getattr(h, name) for _, h in held] for name in AS_THEY_ARE},
        "key": [key for key, _ in held],
        "asked": [None if h.asked is None else str(h.asked) for _, h in held],
        "granted": [h.granted for _, h in held],
        "label": [None if task is None else task.label for task in tasks],
        "resources": [None if task is None else list(task.usage) for task in tasks],
        "usages": told,
        "shapes": [[relative, len(shape[0])] for relative, shape in fresh.items()],
    }
    moments = [[u.mean for u in usages], [u.variance for u in usages]]
    shapes = [part for shape in fresh.values() for part in shape]
    full = [u for u, one in zip(usages, told, strict=True) if isinstance(one, list)]
    samples = [part for u in full for part in (u.values, u.weights)]
    return facts, np.concatenate([*moments, *shapes, *samples])


def from_columns(facts: dict[str, Any], numbers: Numbers) -> Iterator[tuple[str, Held]]:
    """Return what `to_columns` was given."""
    usages = _usages(facts, numbers)
    demands = zip(
        *(facts[name] for name in ("asked", "granted", "label", "resources")),
        strict=True,
    )
    for key, name, digest, *rest in zip(
        facts["key"], *(facts[name] for name in AS_THEY_ARE), strict=True
    ):
        asked, granted, label, resources = next(demands)
        if resources is None:
            yield key, Held(name, digest, Sla.parse(asked), Sla.parse(granted), *rest)
        else:
            usage = {resource: next(usages) for resource in resources}
            yield key, Held(name, digest, None, Task(name, usage, label), *rest)


def _facts(usage: Usage) -> list[Any] | float | None:
    """Return what makes a usage of its moments and numbers.

    The spread of one that was declared, None if that never varies; of any other how
    many values it has, and its facts.
    """
    if is_declared(usage):
        varies = usage.mean and usage.variance
        return spread(usage.mean, usage.variance) if varies else None
    cumulants = usage.third, usage.fourth, usage.shared
    return [len(usage.values), usage.observations, usage.request, *cumulants]


def _usages(facts: dict[str, Any], numbers: Numbers) -> Iterator[Usage]:
    told = facts["usages"]
    means, variances = (numbers.take(len(told)).tolist() for _ in range(2))
    shapes = {
        relative: (numbers.take(count), numbers.take(count))
        for relative, count in facts["shapes"]
    }
    remember(shapes)
    for mean, variance, one in zip(means, variances, told, strict=True):
        if one is None:
            yield from_moments(mean, variance)
        elif isinstance(one, float):
            yield shaped(mean, variance, one)
        else:
            count, *rest = one
            values, weights = numbers.take(count), numbers.take(count)
            yield Usage(mean, variance, values, weights, *rest)
