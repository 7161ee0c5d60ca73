"""What the scheduler believes of run times; what happens is another matter."""

from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.demand.job import Jobs
from cotenant.errors import InvalidInput


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Beliefs on the run times of jobs, at speed 1.

    Parameters
    ----------
    believed_s
        `(jobs,)` what is believed when a job arrives.
    request_s
        `(jobs,)` a prediction is at most this; infinite where unknown.
    predict
        Whether the mean of the last two completed jobs of its user, as far as there
        are any, replaces what is believed of an arriving job.
    """

    believed_s: FloatArray
    request_s: FloatArray
    predict: bool = False


def exact(jobs: Jobs, seed: int = 0) -> Estimates:
    """Believe what will happen."""
    return Estimates(jobs.runtime_s.copy(), np.full(len(jobs), np.inf))


def user(jobs: Jobs, seed: int = 0) -> Estimates:
    """Believe what the user asked for, or the run time where it is longer or unknown.

    A job that outlives its request is thus believed exactly: without killing at the
    limit, a site has to extend it, and the log does not say when that was known.
    """
    asked = np.where(np.isnan(jobs.estimate_s), 0.0, jobs.estimate_s)
    return Estimates(np.maximum(asked, jobs.runtime_s), np.full(len(jobs), np.inf))


def last_two(jobs: Jobs, seed: int = 0) -> Estimates:
    """Predict the mean of the user's last two completed run times, at most the request.

    A user's first jobs are believed as in `user`. The prediction is made when the job
    arrives; one that a running job outlives is raised in steps of 1, 5, 15, 30 minutes,
    1, 2, 5, 10, 20, 50 and 100 hours (D. Tsafrir, Y. Etsion and D. Feitelson,
    "Backfilling using system-generated predictions rather than user runtime estimates",
    IEEE TPDS 18(6), 2007).
    """
    request = np.where(np.isnan(jobs.estimate_s), np.inf, jobs.estimate_s)
    return Estimates(user(jobs).believed_s, request, predict=True)


def uniform(jobs: Jobs, seed: int = 0, factor: float = 3.0) -> Estimates:
    """Believe the run time times a number drawn from [1, `factor`), one a job.

    Raises
    ------
    InvalidInput
        If `factor` is below 1.
    """
    if not 1 <= factor < float("inf"):
        raise InvalidInput(f"uniform:{factor:g} is below 1; expected such as uniform:3")
    drawn = np.random.default_rng([seed, 2]).uniform(1.0, factor, len(jobs))
    return Estimates(jobs.runtime_s * drawn, np.full(len(jobs), np.inf))
