"""How many machines do these workloads need, which goes where, what to expect?

Examples
--------
>>> import cotenant as ct
>>> trace = ct.read_usage(["usage.csv"])  # doctest: +SKIP
>>> made = ct.plan(trace, ct.Fleet.of_equal({"cpu": 64.0}))  # doctest: +SKIP
>>> made.summary["machines"]  # doctest: +SKIP
52
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cotenant.colocate.pack import Policy
    from cotenant.demand.job import Job, Jobs
    from cotenant.demand.rewrite import is_safe
    from cotenant.demand.sla import Sla
    from cotenant.demand.task import Task
    from cotenant.demand.usage import Usage
    from cotenant.errors import CotenantError, InvalidInput, TraceError
    from cotenant.fleet import Cluster, Fleet, MachineType
    from cotenant.planning.backtest import run_backtest
    from cotenant.planning.plan import compare, plan
    from cotenant.planning.problem import Selection
    from cotenant.planning.replay import replay
    from cotenant.planning.saved import SavedPlan
    from cotenant.planning.settings import Settings
    from cotenant.planning.sla.check import rewrite
    from cotenant.planning.sla.place import place_slas
    from cotenant.queueing.clusters import Clusters
    from cotenant.queueing.lookahead import look_ahead
    from cotenant.sim.jobs import run_queue
    from cotenant.traces.collect import from_frame, read_usage
    from cotenant.traces.jobs.source import read_jobs

__version__ = "0.1.0"

# Where each public name lives; imported when first asked for, so that `import cotenant`
# and `cotenant --help` stay fast.
_HOMES = {
    "Cluster": "fleet",
    "Clusters": "queueing.clusters",
    "CotenantError": "errors",
    "Fleet": "fleet",
    "InvalidInput": "errors",
    "Job": "demand.job",
    "Jobs": "demand.job",
    "MachineType": "fleet",
    "Policy": "colocate.pack",
    "SavedPlan": "planning.saved",
    "Selection": "planning.problem",
    "Settings": "planning.settings",
    "Sla": "demand.sla",
    "Task": "demand.task",
    "TraceError": "errors",
    "Usage": "demand.usage",
    "compare": "planning.plan",
    "from_frame": "traces.collect",
    "is_safe": "demand.rewrite",
    "look_ahead": "queueing.lookahead",
    "place_slas": "planning.sla.place",
    "plan": "planning.plan",
    "read_jobs": "traces.jobs.source",
    "read_usage": "traces.collect",
    "replay": "planning.replay",
    "rewrite": "planning.sla.check",
    "run_backtest": "planning.backtest",
    "run_queue": "sim.jobs",
}

__all__ = [
    "Cluster",
    "Clusters",
    "CotenantError",
    "Fleet",
    "InvalidInput",
    "Job",
    "Jobs",
    "MachineType",
    "Policy",
    "SavedPlan",
    "Selection",
    "Settings",
    "Sla",
    "Task",
    "TraceError",
    "Usage",
    "compare",
    "from_frame",
    "is_safe",
    "look_ahead",
    "place_slas",
    "plan",
    "read_jobs",
    "read_usage",
    "replay",
    "rewrite",
    "run_backtest",
    "run_queue",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'cotenant' has no attribute {name!r}")
    value = getattr(import_module(f"cotenant.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
