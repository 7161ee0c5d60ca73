"""The arrays of a run before anything has happened."""

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.demand.job import Jobs
from cotenant.kernels import queue_state as kernel
from cotenant.kernels.profiles import Profiles
from cotenant.kernels.queue_state import Site, State, Work
from cotenant.queueing.clusters import Clusters
from cotenant.queueing.estimates import Estimates
from cotenant.queueing.order import Order
from cotenant.queueing.view import View


def opened(
    jobs: Jobs,
    clusters: Clusters,
    order: Order,
    estimates: Estimates,
    runtime_s: FloatArray,
    draw: FloatArray,
) -> View:
    """Return the view of a run at its start.

    Parameters
    ----------
    runtime_s
        `(jobs,)` how long each will run at speed 1.
    draw
        `(jobs,)` numbers in [0, 1) for the random allocator.
    """
    users, user = np.unique(jobs.user, return_inverse=True)
    work = Work(
        jobs.submit_s,
        jobs.processors,
        runtime_s,
        estimates.request_s,
        np.where(jobs.user >= 0, user, -1),
        draw,
    )
    state = _state(clusters, len(jobs), len(users), estimates.believed_s)
    promised = order is Order.CONSERVATIVE
    profiles = _profiles(clusters, len(jobs)) if promised else None
    site = Site(clusters.size, clusters.speed)
    return View(jobs, clusters, order, site, work, state, profiles)


def _state(clusters: Clusters, jobs: int, users: int, believed: FloatArray) -> State:
    most = int(min(jobs, clusters.size.sum())) + 1
    marks = np.zeros(kernel.MARKS, np.int64)
    marks[kernel.ANSWER], marks[kernel.LEAST] = kernel.NO_ANSWER, 1 << 40
    marks[kernel.RESERVED] = marks[kernel.HOLD] = -1
    return State(
        free=clusters.size.copy(),
        believed=believed.copy(),
        start=np.full(jobs, -1.0),
        finish=np.zeros(jobs),
        cluster=np.full(jobs, -1, dtype=np.int64),
        queue=np.zeros(jobs, dtype=np.int64),
        ends=np.zeros(most),
        ending=np.zeros(most, dtype=np.int64),
        history=np.zeros((users, 2)),
        seen=np.zeros(users, dtype=np.int64),
        raised=np.zeros(jobs, dtype=np.int64),
        clock=np.zeros(2),
        marks=marks,
        leaving=np.zeros(most),
        leavers=np.zeros(most, dtype=np.int64),
    )


def _profiles(clusters: Clusters, jobs: int) -> Profiles:
    # Rows are as long as they could ever get; what is never touched costs nothing.
    shape = (len(clusters), 2 * jobs + 4)
    level = np.zeros(shape, np.int64)
    level[:, 0] = clusters.size
    return Profiles(
        times=np.zeros(shape),
        level=level,
        steps=np.ones(len(clusters), np.int64),
        planned=np.zeros(jobs),
        until=np.zeros(jobs),
        soonest=np.zeros(len(clusters)),
    )
