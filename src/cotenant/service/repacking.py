"""Decisions about repacking: a plan is proposed, then applied as shown or refused."""

from dataclasses import asdict, replace
from typing import Any

from cotenant.errors import FleetChanged, UnknownPlan
from cotenant.service.answers import Move, RepackPlan
from cotenant.service.desk import Desk, digest_of
from cotenant.service.passes import Step
from cotenant.service.picture import Picture, take_picture
from cotenant.service.repack import Worked, copy_state, moved_to


def propose(desk: Desk, picture: Picture, worked: Worked) -> RepackPlan:
    """Record a plan, so that any process can apply it."""
    steps = [asdict(step) for step in worked.steps]
    version, plan = picture.number, digest_of([{"at": picture.number}, *steps])[:12]
    data = {"plan": plan, "version": version, "steps": steps}
    data |= {"before": worked.before, "after": worked.after}
    if plan not in desk.state.plans:
        what = f"{len(steps):,} moves" if steps else "nothing to move"
        desk.do("proposed", f"proposed repacking {plan}: {what}", data)
    return told(data)


def apply(desk: Desk, plan: str) -> RepackPlan:
    """Make exactly the moves of a plan, or none."""
    data = desk.state.plans.get(plan)
    if data is None:
        raise UnknownPlan(plan)
    steps = [Step(**step) for step in data["steps"]]
    _check_unchanged(desk, plan, data["version"], steps)
    _check_fits(desk, plan, steps)
    for step in steps:
        words = f"moved {step.task} from {step.source} to {step.target['machine']}"
        facts = {"name": step.task, "moved_from": step.source, "plan": plan}
        facts |= step.target | {"reason": step.reason}
        desk.put("moved", f"{words}: {step.reason}", step.task, facts)
    for source in dict.fromkeys(step.source for step in steps):
        desk.leave_if_empty(source)
    return told(data)


def told(data: dict[str, Any]) -> RepackPlan:
    """Return a plan as its asker sees it."""
    moves = tuple(
        Move(
            step["task"],
            step["source"],
            step["target"]["machine"],
            step["cost"],
            step["gain"],
            step["unit"],
            step["reason"],
        )
        for step in data["steps"]
    )
    plan, version = data["plan"], data["version"]
    return RepackPlan(plan, version, moves, data["before"], data["after"])


def _check_unchanged(desk: Desk, plan: str, version: int, steps: list[Step]) -> None:
    state = desk.state
    if state.fleet_changed > version:
        raise FleetChanged(
            f"machines were added, drained or removed since plan {plan} was made; "
            "make a new one"
        )
    for step in steps:
        for name in (step.source, step.target["machine"]):
            if name not in state.machines or state.machines[name].changed > version:
                raise FleetChanged(
                    f"what is on {name} changed since plan {plan} was made; "
                    "make a new one"
                )


def _check_fits(desk: Desk, plan: str, steps: list[Step]) -> None:
    """Refuse if measurements since then have taken the room on a target."""
    targets = {step.target["machine"] for step in steps}
    involved = targets | {step.source for step in steps}
    copy = copy_state(take_picture(desk.state), desk.state.settings, involved)
    held = {step.task: copy.take(step.task) for step in steps}
    for step in steps:
        moved = moved_to(held[step.task], step.target)
        side = copy.side(copy.machines[moved.machine].spec.kind)
        (verdict,) = side.verdicts([copy.host(moved)], moved.demand)
        if not verdict.fits:
            raise FleetChanged(
                f"{step.task} no longer fits {moved.machine}, {verdict.words}, as plan "
                f"{plan} has it; make a new one"
            )
        copy.put(step.task, replace(moved, overload=None))
