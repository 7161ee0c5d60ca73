"""Load that jumps, and load that grows: what a kept fleet delivers then."""

from collections.abc import Callable

import numpy as np
import pytest

from cotenant.arrays import FloatArray
from cotenant.service.asked import Moments, TaskSpec
from cotenant.service.keeping.history import MOMENTS
from cotenant.study.tomorrow.sets import SETS, history_of
from tests.service.keeping.days import Fed
from tests.shared import DATA, needs_data

pytestmark = [*needs_data, pytest.mark.slow]

DAYS, JUMP = 20, 10


def jump(usage: FloatArray) -> FloatArray:
    """Three in ten tasks use half as much again from one day on."""
    chosen = np.random.default_rng(0).random(len(usage)) < 0.3
    usage[chosen, JUMP:] *= 1.5
    return usage


def growth(usage: FloatArray) -> FloatArray:
    """All tasks use two percent more every day."""
    return np.asarray(usage * 1.02 ** np.arange(DAYS)[None, :, None])


@pytest.mark.parametrize("drift", [jump, growth])
def test_the_promise_is_kept_through_drift(
    fed: Fed, drift: Callable[[FloatArray], FloatArray]
) -> None:
    history = history_of(str(DATA), "azure averages")
    usage = drift(history.usage[:, :DAYS].copy()).reshape(len(history.names), -1)
    fed.machines(40, SETS["azure averages"].capacity)
    mean = float(usage[:, : 7 * MOMENTS].mean())
    cpu = {"cpu": Moments(mean, mean**2)}
    names = [f"t{i}" for i in range(len(usage))]
    fed.placement.place([TaskSpec(name, cpu) for name in names]).result()
    for at in range(0, usage.shape[1], 12):
        part = slice(at, at + 12)
        fed.feed(at, dict(zip(names, usage[:, part], strict=True)))
        fed.settle()
    days = fed.told.daybook.days[JUMP:]
    over = np.array([one.overload for one in days]) / fed.settings.rho
    print(
        f"{drift.__name__}: mean {over.mean():.2f}, first day {over[0]:.2f}, "
        f"worst {over.max():.2f} rho, machines {days[0].machine_days} to "
        f"{days[-1].machine_days}"
    )
    assert over.mean() <= 1.0
