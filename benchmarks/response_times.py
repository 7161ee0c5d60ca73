"""Response times of one host against SimSo, which simulates, and pyCPA."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.timing import absent, best, ratio
from cotenant.kernels.response_time import response_times

PERIODS = (10, 12, 15, 20, 24, 30, 40, 60)
BUDGETS = (1, 1, 2, 2, 3, 3, 4, 5)
HYPERPERIOD = int(np.lcm.reduce(PERIODS))


def with_simso() -> list[float]:
    """Simulate one hyperperiod from the critical instant; no first miss, so exact."""
    core: Any = import_module("simso.core")
    configuration: Any = import_module("simso.configuration").Configuration()
    configuration.duration = HYPERPERIOD * configuration.cycles_per_ms
    for number, (budget, period) in enumerate(zip(BUDGETS, PERIODS, strict=True)):
        configuration.add_task(
            name=f"t{number}",
            identifier=number,
            period=period,
            activation_date=0,
            wcet=budget,
            deadline=period,
        )
    configuration.add_processor(name="cpu", identifier=1)
    configuration.scheduler_info.clas = "simso.schedulers.RM"
    configuration.check_all()
    model = core.Model(configuration)
    model.run_model()
    return [
        model.results.tasks[task].jobs[0].response_time / configuration.cycles_per_ms
        for task in model.task_list
    ]


def main() -> None:
    budget, period = np.array(BUDGETS), np.array(PERIODS)
    ours = best(lambda: response_times(budget, period), 100)
    what = f"response times of {len(PERIODS)} tasks"
    if find_spec("simso") is None:
        absent(what, ours, "SimSo")
    else:
        ratio(what, ours, best(with_simso, 1), "SimSo, one hyperperiod")
        told, found = with_simso(), response_times(budget, period).tolist()
        print(f"  ours {found}, SimSo {[round(time) for time in told]}")
    if find_spec("pycpa") is None:
        absent(what, ours, "pyCPA")


if __name__ == "__main__":
    main()
