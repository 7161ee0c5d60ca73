"""A stream of jobs made denser, or shaken: the same jobs at other moments."""

from collections.abc import Iterable, Iterator

import numpy as np

from cotenant.demand.job import Jobs
from cotenant.errors import InvalidInput
from cotenant.fleet import Cluster


def offered_load(jobs: Jobs, clusters: Iterable[Cluster]) -> float:
    """Return the share of the clusters that the jobs ask for, 1 being all of it.

    It is the work of all jobs over what the clusters could do from the first submission
    to the last; infinite where all jobs are submitted at once.
    """
    speed = sum(cluster.processors * cluster.speed for cluster in clusters)
    able = jobs.span_s * speed
    return jobs.work / able if able else float("inf")


def scaled_to_load(jobs: Jobs, clusters: Iterable[Cluster], load: float) -> Jobs:
    """Return the jobs with submissions multiplied by one factor, to offer `load`.

    Run times stay, and so does the order of jobs. Reject jobs that fit no cluster
    first: they count as load here.

    Raises
    ------
    InvalidInput
        If `load` is not above 0, or all jobs are submitted at once.
    """
    if not 0 < load < float("inf"):
        raise InvalidInput(f"load is {load}; expected a number above 0, such as 0.7")
    now = offered_load(jobs, clusters)
    if now == float("inf"):
        raise InvalidInput(
            "all jobs are submitted at one moment, so no factor gives a load"
        )
    return jobs.submitted_at(jobs.submit_s * (now / load))


def shaken(jobs: Jobs, seconds: float, rng: np.random.Generator) -> Jobs:
    """Return the jobs with every submission moved by its own chance, to either side.

    The shift is uniform in [-seconds, seconds]; nothing is submitted before second 0.
    Jobs may overtake one another, and ties stay in the order of the log (D. Tsafrir and
    D. Feitelson, "Instability in parallel job scheduling simulation", IPDPS 2006, use
    such shaking to tell an effect from an accident of one log).

    Raises
    ------
    InvalidInput
        If `seconds` is negative or not finite.
    """
    if not 0 <= seconds < float("inf"):
        raise InvalidInput(f"shake is {seconds}; expected 0 seconds or more")
    shift = rng.uniform(-seconds, seconds, len(jobs))
    return jobs.submitted_at(np.maximum(jobs.submit_s + shift, 0.0))


def replicas(jobs: Jobs, seconds: float, count: int, seed: int = 0) -> Iterator[Jobs]:
    """Yield shaken copies; each has a random stream of its own, whatever their number.

    Raises
    ------
    InvalidInput
        If `count` is below 1 or `seed` below 0, or `seconds` as `shaken` has it.
    """
    if count < 1:
        raise InvalidInput(f"replicas is {count}; expected 1 or more")
    if seed < 0:
        raise InvalidInput(f"seed is {seed}; expected 0 or more")
    for stream in np.random.SeedSequence(seed).spawn(count):
        yield shaken(jobs, seconds, np.random.default_rng(stream))
