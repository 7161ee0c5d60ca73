"""Judges a plan on a trace it has not seen."""

from cotenant.errors import TraceError
from cotenant.planning.calibrate import calibrate
from cotenant.planning.evaluate import measure
from cotenant.planning.results import MachineReplay, Replay
from cotenant.planning.saved import SavedPlan
from cotenant.sim.replay import replay_aligned
from cotenant.traces.trace import Trace

LOUD = 0.1  # share of new load from which a warning is due


def replay(plan: SavedPlan, trace: Trace, history: Trace | None = None) -> Replay:
    """Replay a trace on the machines of a plan, time-aligned.

    Parameters
    ----------
    history
        The trace the plan was made from, to find the divisor of rho that would have
        kept the promise; None to leave that out.

    Raises
    ------
    InvalidInput
        If the trace carries no time.
    TraceError
        If no task of the plan is in the trace.
    """
    machine_of = plan.machine_of()
    here = set(trace.names)
    missing = tuple(sorted(set(machine_of) - here))
    new = tuple(sorted(here - set(machine_of)))
    if len(missing) == len(machine_of):
        raise TraceError(
            trace.source, f"has none of the {len(missing):,} tasks of {plan.file}"
        )
    capacity = plan.capacities()
    seen = replay_aligned(trace, machine_of, capacity)
    machines = tuple(
        MachineReplay(
            machine=str(row["machine"]),
            promised=float(row["overload"]),
            overload=float(seen.judgement.overload[i]),
            moments=int(seen.moments[i]),
            overloaded=int(seen.overloaded[i]),
            peak=float(seen.peak[i]),
            capacity=capacity[i],
        )
        for i, row in enumerate(plan.machines)
    )
    return Replay(
        promised=plan.rho,
        overload=measure(seen.judgement, "aligned", plan.rho),
        machines=machines,
        missing_tasks=missing,
        new_tasks=new,
        timeline=seen.judgement.timeline,
        cleaning=trace.cleaning.to_dict(),
        warnings=_warnings(trace, missing, new, seen.skipped),
        calibration=None
        if history is None
        else calibrate(plan.settings, history, trace),
    )


def _warnings(
    trace: Trace, missing: tuple[str, ...], new: tuple[str, ...], skipped: int
) -> tuple[str, ...]:
    said = []
    if missing:
        said.append(f"{len(missing):,} tasks of the plan have no samples here")
    load = dict(zip(trace.names, trace.facts["mean"], strict=True))
    share = sum(load[name] for name in new) / (sum(load.values()) or 1.0)
    if share > LOUD:
        said.append(
            f"{len(new):,} tasks here are not in the plan and carry {share:.0%} of the "
            "load"
        )
    if skipped:
        said.append(
            f"{skipped:,} machine-moments were not judged: more than a tenth of the "
            "running tasks had no sample"
        )
    return tuple(said)
