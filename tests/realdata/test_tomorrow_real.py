"""The margin on public traces: the promise is kept on days it has not seen."""

import numpy as np
import pytest

from cotenant.sim.backtest import Setting, backtest
from cotenant.study.tomorrow.cells import RHOS
from cotenant.study.tomorrow.methods import curves_by_replay, methods
from cotenant.study.tomorrow.sets import SETS, history_of
from tests.shared import DATA, needs_data

pytestmark = [*needs_data, pytest.mark.slow]
# `study tomorrow` runs all seven sets; the two long ones are left to it.
QUICK = [name for name, one in SETS.items() if len(one.shifts) < 3]


def delivered(name: str, rho: float, method: str) -> float:
    """Return overload on the next day over rho, mean over days and orders."""
    one = SETS[name]
    setting = Setting(one.capacity, rho, burn_in=one.burn_in, settled=True)
    planner = methods([method], curves_by_replay())[method]
    days = backtest(history_of(str(DATA), name), setting, planner)
    return float(np.mean([day.overload for day in days])) / rho


def test_the_default_delivers_about_what_it_promises_on_public_traces() -> None:
    times = [delivered(name, rho, "default") for name in QUICK for rho in RHOS]
    assert max(times) <= 1.15
    assert sum(0.5 <= t <= 1.15 for t in times) >= len(times) - 2


def test_plain_planning_does_not() -> None:
    assert delivered("alibaba x2", 0.01, "exact") > 3


def test_sets_have_the_days_and_tasks_they_are_said_to_have() -> None:
    azure, google = (history_of(str(DATA), n) for n in ("azure x3", "google job-days"))
    assert (len(azure.names), azure.days) == (300, 21)
    assert google.days == 10
    common = [
        len(np.intersect1d(google.there(d), google.there(d - 1))) for d in range(1, 10)
    ]
    assert (min(common), max(common)) == (128, 151)
