"""What pods are expected to use: as annotated, else as learned, else as requested."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput, UnknownTask
from cotenant.service.answers import TaskView
from cotenant.service.asked import RESOURCES, Measured, Moments, TaskSpec
from cotenant.service.core import Placement
from cotenant.service.pod import DEFAULTS, Pod, read_amount

MOST_PODS = 200_000
MOST_OWNERS = 20_000
LONGEST_PAST = 10_000
"""Samples that replicas which have ended count for at most: a month of 5 minutes."""


@dataclass(frozen=True, slots=True)
class Learned:
    """Usage of one resource over the replicas of a workload.

    Parameters
    ----------
    observations
        Samples it rests on.
    """

    mean: float
    variance: float
    observations: float


class Pods:
    """The pods that were heard of, and what their workloads were measured to use.

    Holds no promise, only what can be heard again: after a restart the watch tells
    which pod belongs to which workload, and the ledger what each was measured to use.
    """

    def __init__(self, placement: Placement) -> None:
        self._placement = placement
        self._pods: OrderedDict[str, Pod] = OrderedDict()
        self._replicas: dict[str, dict[str, None]] = {}
        self._past: OrderedDict[str, dict[str, Learned]] = OrderedDict()

    def note(self, pod: Pod) -> None:
        """Remember a pod."""
        self._pods[pod.uid] = pod
        self._pods.move_to_end(pod.uid)
        if pod.owner is not None:
            self._replicas.setdefault(pod.owner, {})[pod.task] = None
        if len(self._pods) > MOST_PODS:
            self._drop(next(iter(self._pods)))

    def forget(self, pod: Pod) -> None:
        """Let go of a pod that ended, but not of what was learned from it."""
        if pod.owner is not None and pod.uid in self._pods:
            found = merge(self._measured([pod.task]), self._past.pop(pod.owner, {}))
            if found:
                self._past[pod.owner] = found
            if len(self._past) > MOST_OWNERS:
                self._past.popitem(last=False)
        self._drop(pod.uid)

    def task_of(self, uid: str) -> str | None:
        """Return the task of a pod."""
        pod = self._pods.get(uid)
        return None if pod is None else pod.task

    def demand_of(self, pod: Pod) -> TaskSpec:
        """Return what a pod is expected to use.

        Each resource by itself: as annotated, else as learned from replicas that were
        measured, else as requested, else a small default that is never zero.

        Raises
        ------
        InvalidInput
            If an annotation cannot be right.
        """
        if "sla" in pod.annotations:
            return TaskSpec(pod.task, sla=Sla.parse(pod.annotations["sla"]))
        learned = {} if pod.owner is None else self.learned(pod.owner)
        usage: dict[str, Measured] = {}
        for resource in RESOURCES:
            known = learned.get(resource)
            given = _annotated(pod.annotations, resource)
            if given is None and known is not None:
                given = Moments(known.mean, known.variance)
            if given is None:
                given = Moments(pod.requests.get(resource, DEFAULTS[resource]))
            usage[resource] = given
        return TaskSpec(pod.task, usage)

    def learned(self, owner: str) -> Mapping[str, Learned]:
        """Return what the replicas of a workload were measured to use, by resource."""
        replicas = self._replicas.get(owner, ())
        return merge(self._measured(replicas), self._past.get(owner, {}))

    def _measured(self, tasks: Iterable[str]) -> Iterator[TaskView]:
        for task in tasks:
            try:
                view = self._placement.task(task)
            except UnknownTask:
                continue
            if view.measured_at is not None:
                yield view

    def _drop(self, uid: str) -> None:
        pod = self._pods.pop(uid, None)
        if pod is not None and pod.owner is not None:
            replicas = self._replicas.get(pod.owner, {})
            replicas.pop(pod.task, None)
            if not replicas:
                self._replicas.pop(pod.owner, None)


def merge(views: Iterable[TaskView], past: Mapping[str, Learned]) -> dict[str, Learned]:
    """Merge the usage of tasks, each weighed by its number of samples, into the past.

    What differs between replicas is part of the variance, so a workload with one busy
    replica is not taken for a calm one. The past counts for a bounded number of samples
    and so fades.
    """
    found = {
        resource: replace(known, observations=min(known.observations, LONGEST_PAST))
        for resource, known in past.items()
    }
    for view in views:
        for resource, usage in view.usage.items():
            fresh = Learned(usage["mean"], usage["variance"], usage["observations"])
            known = found.get(resource)
            found[resource] = fresh if known is None else _together(known, fresh)
    return found


def _together(one: Learned, other: Learned) -> Learned:
    count = one.observations + other.observations
    share = one.observations / count
    between = share * (1.0 - share) * (one.mean - other.mean) ** 2
    return Learned(
        share * one.mean + (1.0 - share) * other.mean,
        share * one.variance + (1.0 - share) * other.variance + between,
        count,
    )


def _annotated(annotations: Mapping[str, str], resource: str) -> Measured | None:
    if f"{resource}-mean" not in annotations:
        return None
    try:
        mean = read_amount(annotations[f"{resource}-mean"])
        deviation = read_amount(annotations.get(f"{resource}-deviation", "0"))
        variance = read_amount(deviation**2)
        if mean == 0.0 and variance > 0.0:
            raise InvalidInput("usage that varies has a mean above 0")
        return Moments(mean, variance)
    except InvalidInput as error:
        raise InvalidInput(f"annotations cotenant/{resource}-*: {error}") from None
