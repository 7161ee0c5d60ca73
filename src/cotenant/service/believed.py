"""What the service believes a task uses: declared at first, measured by and by."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from cotenant.demand.task import Task
from cotenant.demand.usage import Usage, usages
from cotenant.service.asked import Measured, Moments, TaskSpec
from cotenant.service.declared import from_moments


def believe(spec: TaskSpec) -> Task:
    """Return what a task is believed to use before it is measured.

    Samples are taken as they are; moments as a gamma distribution, see `from_moments`.
    """
    usage = {resource: _usage(m) for resource, m in spec.usage.items()}
    return Task(spec.name, usage, spec.label)


def sharpen(task: Task, samples: Mapping[str, Sequence[float]]) -> Task:
    """Return what a task is believed to use after more samples.

    The distributions are mixed by the number of samples each rests on, so that the
    order in which samples arrive matters for rounding only and a declaration fades as
    measurements accumulate. Resources without samples stay as they are.
    """
    usage = dict(task.usage)
    for resource, values in samples.items():
        fresh = Usage.from_samples(values)
        known = usage.get(resource)
        usage[resource] = fresh if known is None else merge(known, fresh)
    return replace(task, usage=usage)


def merge(one: Usage, other: Usage) -> Usage:
    """Return the usage of all samples of both, each side by its number of samples."""
    count = one.observations + other.observations
    share = one.observations / count
    values = np.concatenate([one.values, other.values])
    weights = np.concatenate([one.weights * share, other.weights * (1.0 - share)])
    order = np.argsort(values, kind="stable")
    offsets = np.array([0, len(values)], dtype=np.int64)
    merged = usages(offsets, values[order], weights[order])[0]
    # Moments are merged exactly; those of the values lose a little where they merge.
    mean = share * one.mean + (1.0 - share) * other.mean
    between = share * (1.0 - share) * (one.mean - other.mean) ** 2
    variance = share * one.variance + (1.0 - share) * other.variance + between
    return replace(merged, mean=mean, variance=variance, observations=count)


def _usage(measured: Measured) -> Usage:
    if isinstance(measured, Moments):
        return from_moments(measured.mean, measured.variance)
    return Usage.from_samples(measured)
