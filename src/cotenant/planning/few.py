"""Tasks seen only a few times: the shape of their usage is borrowed from the many.

What is lent is the distribution of usage over mean among well-known tasks of like mean;
it counts as 30 samples beside a task's own. A threshold is then calibrated: well-known
tasks are seen as rarely as the new ones, packed, and judged by all that is known of
them, until the overload they get is what was promised.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.colocate.pack import Policy, pack
from cotenant.demand.task import Task
from cotenant.demand.usage import Usage
from cotenant.errors import InvalidInput
from cotenant.fleet import Fleet
from cotenant.planning.problem import Problem
from cotenant.planning.settings import Settings
from cotenant.sim.judge import Carried, judge_exact

RARE = 24  # samples below which a task borrows
KNOWN = 100  # samples from which a task can lend
WEIGHT = 30.0  # samples that the borrowed shape counts for
BINS, QUANTILES = 20, 100
LEAST = 100  # well-known tasks needed to learn from
STEPS = 4  # corrections of the threshold; what is delivered follows it nearly 1 to 1
DRAWN = 40_000  # tasks seen rarely, in all trials together
TOGETHER = 500  # tasks of a trial at least; the fewer, the more room is left unused


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """Usage over mean of well-known tasks, by their mean.

    Parameters
    ----------
    means
        `(bins,)` smallest mean of each bin, ascending.
    quantiles
        `(bins, 100)` quantiles of usage over mean; each row averages to 1.
    """

    means: FloatArray
    quantiles: FloatArray

    @classmethod
    def learn(cls, known: Sequence[Usage]) -> "Shapes":
        """Learn from tasks with many samples, all of equal say.

        Raises
        ------
        InvalidInput
            If there are fewer than 100.
        """
        usages = sorted((u for u in known if u.mean > 0), key=lambda u: u.mean)
        if len(usages) < LEAST:
            raise InvalidInput(
                f"{len(usages)} tasks are well known; expected at least {LEAST} to "
                "learn the shape of usage from"
            )
        bins = np.array_split(np.arange(len(usages)), BINS)
        points = (np.arange(QUANTILES) + 0.5) / QUANTILES
        rows = [_quantiles([usages[i] for i in members], points) for members in bins]
        means = np.array([usages[members[0]].mean for members in bins])
        return cls(means, np.array(rows))

    def lend(self, usage: Usage) -> Usage:
        """Return the usage with the shape of tasks of like mean mixed in."""
        if usage.mean <= 0:
            return usage
        row = max(int(np.searchsorted(self.means, usage.mean, "right")) - 1, 0)
        own = usage.observations / (usage.observations + WEIGHT)
        borrowed = usage.mean * self.quantiles[row]
        values = np.concatenate([usage.values, borrowed])
        each = (1.0 - own) / QUANTILES
        weights = np.concatenate([own * usage.weights, np.full(QUANTILES, each)])
        order = np.argsort(values, kind="stable")
        values, weights = values[order], weights[order]
        mean = float((values * weights).sum())
        variance = float((weights * (values - mean) ** 2).sum())
        return replace(
            usage, mean=mean, variance=variance, values=values, weights=weights
        )


def calibrated_rho(
    known: Sequence[Usage],
    shapes: Shapes,
    counts: IntArray,
    rho: float,
    capacity: float,
    seed: int = 0,
    rare: int = KNOWN,
) -> float:
    """Return the threshold at which rarely seen tasks keep a promise of `rho`.

    Parameters
    ----------
    known
        Tasks with many samples; each is drawn as often as one of `counts` says.
    counts
        Observations of the tasks to be planned. A trial packs as many at a time, but
        at least 500 and no more than are known: packing whole tasks leaves some of the
        promise unused, more where there are few.
    capacity
        CPU capacity of a typical machine.
    rare
        Tasks with fewer observations borrow.
    """
    random = np.random.default_rng(seed)
    size = min(max(len(counts), TOGETHER), len(known))
    trials = []
    for _ in range(max(1, round(DRAWN / size))):
        some = random.choice(len(known), size, replace=False)
        drawn = [known[at] for at in some]
        trials.append(_seen_rarely(drawn, shapes, counts, random, rare))
    threshold = rho
    for _ in range(STEPS):
        delivered = np.mean([_delivered(t, threshold, capacity) for t in trials])
        threshold = min(threshold * rho / max(float(delivered), rho / 100.0), rho)
    return threshold


def borrow(
    problem: Problem, settings: Settings, fleet: Fleet
) -> tuple[Problem, Settings]:
    """Lend shapes to the rarely seen tasks of a problem and calibrate its threshold.

    Nothing changes where no task has fewer than 24 samples, where fewer than 100 have
    100, or where the method looks at moments or at time-of-day slots.
    """
    policy = settings.policy
    usages = [task.usage["cpu"] for task in problem.tasks]
    known = [u for u in usages if u.observations >= KNOWN]
    few = sum(u.observations < RARE for u in usages)
    if policy.method != "exact" or policy.slots > 1 or not few:
        return problem, settings
    if len(known) < LEAST or problem.judged is not None:
        return problem, settings
    shapes = Shapes.learn(known)
    lent = [_lend(task, shapes) for task in problem.tasks]
    counts = np.array([u.observations for u in usages])
    capacity = fleet.usable()[0][0].capacity["cpu"]
    threshold = calibrated_rho(
        known, shapes, counts, policy.rho, capacity, policy.seed, RARE
    )
    said = (
        f"{few:,} tasks with fewer than {RARE} samples borrow the shape of "
        f"{len(known):,} well-known ones; decided at {threshold:.3g} so that "
        f"{policy.rho:.3g} is delivered"
    )
    assumptions = [*problem.assumptions, said]
    borrowed = replace(problem, tasks=lent, assumptions=assumptions)
    return borrowed, replace(settings, threshold=threshold)


def _lend(task: Task, shapes: Shapes) -> Task:
    usage = task.usage["cpu"]
    if usage.observations >= RARE:
        return task
    return replace(task, usage={**task.usage, "cpu": shapes.lend(usage)})


def _quantiles(usages: Sequence[Usage], points: FloatArray) -> FloatArray:
    values = np.concatenate([u.values / u.mean for u in usages])
    weights = np.concatenate([u.weights for u in usages])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    found = values[order][np.searchsorted(reached, points).clip(max=len(values) - 1)]
    return np.asarray(found / found.mean(), dtype=np.float64)


def _seen_rarely(
    known: Sequence[Usage],
    shapes: Shapes,
    counts: IntArray,
    random: np.random.Generator,
    rare: int,
) -> list[tuple[Task, Usage]]:
    trial = []
    for number, usage in enumerate(known):
        count = min(int(random.choice(counts)), usage.observations)
        drawn = random.choice(usage.values, size=count, p=usage.weights)
        seen = Usage.from_samples(drawn)
        believed = shapes.lend(seen) if count < rare else seen
        trial.append((Task(f"known-{number}", {"cpu": believed}), usage))
    return trial


def _delivered(
    trial: Sequence[tuple[Task, Usage]], threshold: float, capacity: float
) -> float:
    fleet = Fleet.of_equal({"cpu": capacity})
    truth = {task.name: usage for task, usage in trial}
    packing = pack([task for task, _ in trial], fleet, Policy("exact", rho=threshold))
    machines = [
        Carried(capacity, [truth[task.name] for task in tasks])
        for tasks in packing.tasks
    ]
    return float(judge_exact(machines).overload.mean())
