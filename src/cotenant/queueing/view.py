"""What an allocator sees of a run when it is asked where a job starts."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.demand.job import Jobs
from cotenant.kernels import queue_state as kernel
from cotenant.kernels.profiles import Profiles, slot
from cotenant.kernels.queue_state import Site, State, Work
from cotenant.queueing.clusters import Clusters
from cotenant.queueing.order import Order


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A run, as it stands; the same object shows every moment of one run.

    Jobs are known by their position in order of submission. Arrays are the run's own:
    look, do not write.

    Parameters
    ----------
    jobs, clusters
        All jobs, of which those before `arrived` are known, and where they may run.
    order
        The order of the queue.
    site, work, state
        The arrays that the kernels work on.
    profiles
        Promises under conservative backfilling; None under other orders.
    """

    jobs: Jobs
    clusters: Clusters
    order: Order
    site: Site
    work: Work
    state: State
    profiles: Profiles | None = None
    _weights: dict[Callable[[Jobs], FloatArray], FloatArray] = field(
        default_factory=dict
    )

    @property
    def now(self) -> float:
        """The moment, in seconds."""
        return float(self.state.clock[kernel.NOW])

    @property
    def job(self) -> int:
        """The job that is asked about."""
        return int(self.state.marks[kernel.JOB])

    @property
    def need(self) -> int:
        """How many processors it holds."""
        return int(self.work.processors[self.job])

    @property
    def is_head(self) -> bool:
        """Whether it is the head of the queue."""
        return bool(self.state.marks[kernel.PHASE] == kernel.HEAD)

    @property
    def arrived(self) -> int:
        """How many jobs have been submitted so far."""
        return int(self.state.marks[kernel.ARRIVED])

    @property
    def waiting(self) -> IntArray:
        """Jobs that wait, in order of the queue; the one asked about is among them."""
        marks = self.state.marks
        queue = self.state.queue[marks[kernel.FIRST] : marks[kernel.LAST]]
        # Within a pass of backfilling, jobs that have just started are still in line.
        return queue[self.state.start[queue] < 0]

    @property
    def running(self) -> IntArray:
        """Jobs that run, in no particular order."""
        return self.state.ending[: self.state.marks[kernel.RUNNING]]

    @property
    def room(self) -> IntArray:
        """Clusters where the job may start now, ascending.

        Under EASY, the promised cluster only if the promise is kept. Under conservative
        backfilling, the clusters with the earliest slot, be it now or later.
        """
        if self.profiles is not None:
            return np.flatnonzero(self.soonest_s == self.soonest_s.min())
        fits = self.state.free >= self.need
        marks, promised = self.state.marks, int(self.state.marks[kernel.RESERVED])
        if not self.is_head and fits[promised] and self.need > marks[kernel.EXTRA]:
            end = self.now + self.believed_s / self.site.speed[promised]
            fits[promised] = end <= self.state.clock[kernel.SHADOW]
        return np.flatnonzero(fits)

    @property
    def large(self) -> IntArray:
        """Clusters that have as many processors as the job needs, ascending."""
        return np.flatnonzero(self.site.size >= self.need)

    @property
    def soonest_s(self) -> FloatArray:
        """Start of the earliest slot on each cluster, under conservative backfilling.

        Infinite where the job does not fit.
        """
        if self.profiles is None:
            raise ValueError("slots are promised under conservative backfilling only")
        return self.profiles.soonest

    def left(self, cluster: int) -> int:
        """Return how many processors a cluster has left when the job has started."""
        if self.profiles is None:
            return int(self.state.free[cluster]) - self.need
        _, level = slot(
            self.profiles.times[cluster],
            self.profiles.level[cluster],
            int(self.profiles.steps[cluster]),
            self.now,
            self.believed_s / float(self.site.speed[cluster]),
            self.need,
        )
        return int(level) - self.need

    @property
    def believed_s(self) -> float:
        """Run time of the job at speed 1, as far as the scheduler knows."""
        return float(self.state.believed[self.job])

    def weights(self, metric: Callable[[Jobs], FloatArray]) -> FloatArray:
        """Return what `metric` says of the jobs, asked once a run."""
        if metric not in self._weights:
            self._weights[metric] = np.asarray(metric(self.jobs), dtype=np.float64)
        return self._weights[metric]
