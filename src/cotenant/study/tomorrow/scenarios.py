"""What may befall a fleet: a level that shifts, growth, tasks that come and go."""

from dataclasses import replace

import numpy as np

from cotenant.sim.history import History

SHIFTED, BY = 0.3, 1.5
GROWTH = 1.02
RENEWED = 0.1


def level_shift(history: History, day: int, seed: int) -> History:
    """Let 30 % of the tasks use 1.5 times as much from one day on."""
    random = np.random.default_rng(seed)
    some = random.permutation(len(history.names))[: round(SHIFTED * len(history.names))]
    usage = history.usage.copy()
    usage[some, day:] *= BY
    return replace(history, usage=usage)


def growth(history: History) -> History:
    """Let every task use 2 % more each day."""
    factors = GROWTH ** np.arange(history.days)
    return replace(history, usage=history.usage * factors[:, None])


def renewal(history: History, seed: int) -> History:
    """Let 10 % of the tasks end each night, and others without history begin.

    The new ones use what the old ones would have used, under a name of their own.
    """
    random = np.random.default_rng(seed)
    renewed = random.random((len(history.names), history.days)) < RENEWED
    renewed[:, 0] = True
    generation = renewed.cumsum(axis=1)
    names, usage, present = [], [], []
    for task, name in enumerate(history.names):
        for number in np.unique(generation[task]):
            lives = history.present[task] & (generation[task] == number)
            names.append(f"{name}#{number}")
            usage.append(np.where(lives[:, None], history.usage[task], np.nan))
            present.append(lives)
    return History(names, np.array(usage), np.array(present))
