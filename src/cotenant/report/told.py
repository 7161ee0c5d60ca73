"""Results in sentences, the same for the terminal and the page."""

from collections.abc import Mapping
from typing import Any

from cotenant.planning.results import Comparison, Overload, Plan, Replay
from cotenant.report.verdict import method_name, reference_of
from cotenant.report.words import counted, digits_of, figure, interval, percent


def plan_answer(plan: Plan) -> tuple[str, str]:
    """Return the number of machines, and what it means."""
    rho, over = float(plan.settings["rho"]), plan.overload
    machines = counted(int(plan.summary["machines"]), "machine")
    spare = plan.summary.get("spare")
    if not plan.machines:
        return "nothing fits", "no task could be placed; see why below"
    if over.machines_above_rho:
        worst = percent(over.worst_machine, digits_of(over))
        risk = (
            f"up to {worst} of the time over capacity, above the {percent(rho)} asked"
        )
    elif over.judged_by == "exact":
        risk = f"at most {percent(rho)} of the time over capacity on any of them"
    else:
        risk = (
            f"planned for at most {percent(rho)} of the time over capacity on any of "
            f"them; {percent(over.mean, digits_of(over))} measured"
        )
    load = figure(plan.summary["mean_load_machines"])
    extra = f", and {figure(spare)} more kept spare" if spare else ""
    return machines, f"for {load} machines' worth of mean load{extra}, {risk}"


def comparison_answer(comparison: Comparison) -> tuple[str, str]:
    """Return the fewest machines that keep the promise, and by which method."""
    best, rho = reference_of(comparison), percent(float(comparison.settings["rho"]))
    if best is None:
        return "no method", f"keeps every machine at or below {rho} overload"
    return (
        counted(best.machines, "machine"),
        f"{'is' if best.machines == 1 else 'are'} the fewest that keep the promise of "
        f"{rho}: {method_name(best.method)}, "
        f"{best.rule.replace('-', ' ')}",
    )


def replay_answer(replay: Replay) -> tuple[str, str]:
    """Return whether the promise was kept, and the measured overload."""
    above = replay.overload.machines_above_rho
    answer = "promise broken" if above else "promise kept"
    held = sum(m.moments > 0 for m in replay.machines)
    if not above and (replay.missing_tasks or held < len(replay.machines)):
        answer = "promise not broken by what is here"
    many = counted(len(replay.machines), "machine")
    where = f"on {above:,} of {many}" if above else f"on all {many}"
    worst = percent(replay.overload.worst_machine, digits_of(replay.overload))
    return answer, (
        f"{where}: over capacity {interval(replay.overload)} of the time on average, "
        f"{worst} on the worst, {percent(replay.promised)} promised"
    )


def measured(overload: Overload) -> list[str]:
    """Say how overload was estimated, nothing where it was computed."""
    if overload.low is None:
        return []
    how = {
        "aligned": "replayed on the trace, row by row",
        "samples": "by resampled realisations",
    }
    way = how.get(overload.judged_by, overload.judged_by)
    return [
        f"{interval(overload)} over capacity, {way}",
        "one machine's own figure rests on few moments",
    ]


def calibrated(replay: Replay) -> list[str]:
    """Say which divisor of rho would have kept the promise, where it was asked."""
    found = replay.calibration
    if found is None:
        return []
    if found.divisor == 1.0:
        return ["the plan of the tasks that are in both keeps the promise as it is"]
    machines = {t.divisor: t.machines for t in found.trials}
    return [
        f"planned for rho / {found.divisor:.2g} it would have been kept, by the tasks "
        f"that are in both: {machines[found.divisor]:,} machines for "
        f"{machines[1.0]:,}"
    ]


def set_aside(cleaning: Mapping[str, Any]) -> list[str]:
    """Say which tasks and rows are not in the plan, one phrase a reason."""
    shares = cleaning.get("share_of_load", {})
    tasks = [
        f"{counted(number, 'task')}: {_spoken(reason)}"
        + (f" ({percent(shares[reason], 2)} of the load)" if shares.get(reason) else "")
        for reason, number in cleaning.get("tasks_dropped", {}).items()
        if number
    ]
    rows = [
        f"{counted(number, 'row')}: {_spoken(reason)}"
        for reason, number in cleaning.get("dropped", {}).items()
        if number
    ]
    return tasks + rows


def changed_tasks(replay: Replay) -> list[str]:
    """Say which tasks of the plan were not measured, and which are new."""
    missing, new = len(replay.missing_tasks), len(replay.new_tasks)
    gone = f"{counted(missing, 'task')} of the plan without samples here"
    came = f"{counted(new, 'task')} here that the plan does not know"
    return [text for text, number in ((gone, missing), (came, new)) if number]


_REASONS = {
    "all_zero": "idle throughout",
    "failing": "evicted, failed, killed or lost",
    "short": "too few samples",
    "nan": "not a number",
    "missing": "nothing measured",
    "duplicate": "measured twice at the same time",
    "no_cores": "a machine without cores",
    "truncated": "cut off before the last cell",
    "other_time_unit": "a time in another unit than the rest",
    "no_task": "without the name of a task",
    "no_time": "without a time",
    "implausible": "more than any machine can use",
    "sentinel": "a reading that failed, by the mark of the source",
    "after_trace": "after the end of the trace",
}


def _spoken(reason: str) -> str:
    return _REASONS.get(reason, reason.replace("_", " "))
